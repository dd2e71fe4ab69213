// The predictive distribution of one point: a mixture over nodes of Student t
// distributions of g(Y), each truncated to the image of its transform.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "student_t.hpp"
#include "transforms/compose.hpp"

namespace btg {

// What the mixtures of all points share.
struct MixtureNodes {
  MixtureNodes(const StudentT& t_, const Composition& g_, const Eigen::MatrixXd& theta_,
               const Eigen::VectorXd& weights_)
      : t(t_), g(g_), theta(theta_), weights(weights_) {
    for (Eigen::Index i = 0; i < weights.size(); ++i) {
      domains.push_back(g.domain(theta.col(i).data()));
      images.push_back(g.image(theta.col(i).data()));
    }
  }

  StudentT t;
  Composition g;
  Eigen::MatrixXd theta;    // parameters of g, one column a node
  Eigen::VectorXd weights;  // sum to 1; some may be negative, by rules with signed weights
  std::vector<Interval> domains, images;
};

struct CdfDensity {
  double cdf;
  double density;
};

class Mixture {
 public:
  Mixture(const MixtureNodes& nodes, const Eigen::VectorXd& location, const Eigen::VectorXd& scale)
      : nodes_(nodes) {
    for (Eigen::Index i = 0; i < location.size(); ++i) {
      const double lower = (nodes.images[i].lower - location[i]) / scale[i];
      const double upper = (nodes.images[i].upper - location[i]) / scale[i];
      // Tail differences are taken on the side where they do not cancel.
      const double side = lower > 0.0 ? -1.0 : 1.0;
      const double start = nodes.t.cdf(side * (side > 0.0 ? lower : upper));
      const double end = nodes.t.cdf(side * (side > 0.0 ? upper : lower));
      components_.push_back({location[i], scale[i], side, start, end - start});
    }
  }

  int size() const { return static_cast<int>(components_.size()); }

  CdfDensity evaluate(double y) const {
    CdfDensity total{0.0, 0.0};
    for (int i = 0; i < size(); ++i) {
      const CdfDensity part = evaluate_component(i, y);
      total.cdf += nodes_.weights[i] * part.cdf;
      total.density += nodes_.weights[i] * part.density;
    }
    return total;
  }

  // f_i^-1(p), for 0 < p < 1, given the t quantile at p, which is that of every
  // component that is not truncated.
  double component_quantile(int i, double p, double t_quantile) const {
    const Component& c = components_[i];
    const Interval& image = nodes_.images[i];
    const Interval& domain = nodes_.domains[i];
    if (!(c.mass > 0.0)) return c.side < 0.0 ? domain.lower : domain.upper;
    const double tail = c.side > 0.0 ? p : 1.0 - p;
    const double x =
        c.mass == 1.0 ? t_quantile : c.side * nodes_.t.quantile(c.start + tail * c.mass);
    const double z = c.location + c.scale * x;
    const double inside = std::fmin(std::fmax(z, image.lower), image.upper);
    const double y = nodes_.g.inverse(inside, nodes_.theta.col(i).data());
    return std::fmin(std::fmax(y, domain.lower), domain.upper);
  }

  // The predictive mass that the untruncated t distributions put outside the images.
  double lost_mass() const {
    double kept = 0.0;
    for (int i = 0; i < size(); ++i) kept += nodes_.weights[i] * components_[i].mass;
    return std::fmax(0.0, 1.0 - kept);
  }

  double weight(int i) const { return nodes_.weights[i]; }
  double t_quantile(double p) const { return nodes_.t.quantile(p); }

  // sum |w_i| over the negative weights.
  double negative_mass() const { return -nodes_.weights.cwiseMin(0.0).sum(); }

  // sqrt(sum_i w_i^2 (F_i(y) - p)^2): the standard error of F(y) = p as an importance
  // sampling estimate.
  double cdf_error(double y, double p) const {
    double sum = 0.0;
    for (int i = 0; i < size(); ++i) {
      const double term = nodes_.weights[i] * (evaluate_component(i, y).cdf - p);
      sum += term * term;
    }
    return std::sqrt(sum);
  }

 private:
  struct Component {
    double location, scale;
    double side;   // 1: by the lower tail, -1: by the upper tail
    double start;  // t cdf, on that side, where the image starts
    double mass;   // t mass inside the image
  };

  CdfDensity evaluate_component(int i, double y) const {
    const Component& c = components_[i];
    if (!(y > nodes_.domains[i].lower)) return {0.0, 0.0};
    if (!(y < nodes_.domains[i].upper)) return {1.0, 0.0};
    if (!(c.mass > 0.0)) return {c.side < 0.0 ? 1.0 : 0.0, 0.0};  // all of it at an end
    const Jet g = nodes_.g.jet(y, nodes_.theta.col(i).data());
    const double x = (g.value - c.location) / c.scale;
    if (!std::isfinite(x)) return {x > 0.0 ? 1.0 : 0.0, 0.0};
    const double log_t = nodes_.t.log_density(x);
    const double part = (nodes_.t.cdf(c.side * x, std::exp(log_t)) - c.start) / c.mass;
    const double cdf = std::fmin(std::fmax(c.side > 0.0 ? part : 1.0 - part, 0.0), 1.0);
    return {cdf, std::exp(log_t + g.log_derivative) / (c.scale * c.mass)};
  }

  const MixtureNodes& nodes_;
  std::vector<Component> components_;
};

}  // namespace btg
