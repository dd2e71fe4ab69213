// The posterior of the conditional mean at one point, mu = E(Y | f, tau), where f is the process
// and tau its precision. Given a node and omega = tau q / (n - p), which is chi-square / (n - p),
//
//   f ~ N(m, s_f^2 / omega),   g(Y) ~ N(f, s_v^2 / omega),   s_f^2 + s_v^2 = s^2,
//
// so mu is an increasing function of f, an integral over the noise. If g has a bounded image, all
// are given that g(Y) is inside, so that E mu = E Y. Integrates over omega by a Gauss rule, and
// tabulates mu for each of its points. Probabilities are right to about 1e-5.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <vector>

#include "btg/predictive/censored_inverse.hpp"
#include "btg/predictive/mixture.hpp"

namespace btg {

struct OmegaRule;
struct GivenOmega;

// The scale of tables of mu: log mu if it is positive, so that small values keep their digits. Both
// forms make tables that follow a change of the response's units.
struct MeanScale {
  bool positive;
  double from(double y) const { return positive ? std::fmax(std::log(y), -690.0) : y; }
  double to(double v) const { return positive ? std::exp(v) : v; }
  double slope(double v) const { return positive ? std::exp(v) : 1.0; }
};

class ConditionalMean {
 public:
  ConditionalMean(const Mixture& mixture, const Censoring& censoring);

  double cdf(double y) const { return cdf_at(scale_.from(y)); }
  double quantile(double p) const;

  // NaN if it does not exist.
  double variance() const { return variance_; }

 private:
  // mu at one node and value of omega, on its scale. Knots are values of
  // x = (f - m) sqrt(omega) / s_f.
  struct Table {
    double weight;
    bool truncated;
    std::vector<double> v, x, slope;  // v increases; slope = dv/dx
    // If truncated, P(f < its value at the knot) and P(g(Y) inside the image) there.
    std::vector<double> below, inside;

    void add(double at, double its_x, double its_slope, double its_below, double its_inside);
    void limit_slopes();
    double x_between(std::size_t j, double at) const;
    double cdf(double at) const;
  };

  struct Sums;
  void add_node(int i, const OmegaRule& rule, Sums& sums);
  Table make_table(const GivenOmega& given, Sums& sums) const;
  double cdf_at(double v) const;

  const Mixture& mixture_;
  Censoring censoring_;
  MeanScale scale_;
  std::vector<Table> tables_;
  double variance_;
};

// Slopes of a node's location and scale along a direction, and the posterior covariance of the
// process with its derivative and variance of the derivative, by node.
struct ProcessSlope {
  Eigen::VectorXd location, scale, covariance, variance;
};

// The posterior of the slope of mu, dmu/df f' + dmu/ds_v s_v'. Given a node, omega and f, the
// derivative f' is normal, so this is a mixture of normals.
class ConditionalMeanSlope {
 public:
  ConditionalMeanSlope(const Mixture& mixture, const Censoring& censoring,
                       const ProcessSlope& slope);

  double cdf(double y) const;
  double quantile(double p) const;

 private:
  struct Part {
    double weight, location, scale;
  };
  std::vector<Part> parts_;
};

}  // namespace btg
