// Student's t with one number of degrees of freedom nu, shared by all nodes of a fit.
// Its cdf is tabulated as the ratio of tail to density, which is smooth out to infinity:
//
//   T(-x) = f(x) (nu + x^2) / (nu (1 + x)) * G(x / (1 + x)),   x >= 0,
//
// where G is bounded and tends to 1, for the normal limit as for one degree of freedom.
#pragma once

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <vector>

#include "error.hpp"
#include "policy.hpp"

namespace btg {

class StudentT {
 public:
  explicit StudentT(double degrees_of_freedom) : nu_(degrees_of_freedom) {
    if (!(nu_ > 0.0) || !std::isfinite(nu_)) {
      throw Error("argument", "The degrees of freedom must be positive and finite.");
    }
    // log Gamma((nu+1)/2) - log Gamma(nu/2), by Boost without the cancellation for large nu.
    log_constant_ = -std::log(boost::math::tgamma_delta_ratio(0.5 * nu_, 0.5, MathPolicy())) -
                    0.5 * std::log(nu_ * 3.14159265358979323846);
    for (int piece = 0; piece < pieces; ++piece) tabulate(piece);
  }

  double degrees_of_freedom() const { return nu_; }

  double log_density(double x) const {
    return log_constant_ - 0.5 * (nu_ + 1.0) * std::log1p(x * (x / nu_));
  }
  double density(double x) const { return std::exp(log_density(x)); }

  double cdf(double x) const { return cdf(x, density(x)); }

  // The same for callers who have the density at x.
  double cdf(double x, double density_at_x) const {
    const double size = std::abs(x);
    const double tail = size < 1e100
                            ? density_at_x * tail_factor(size) * interpolate(size / (1.0 + size))
                            : far_tail(size);
    return x < 0.0 ? tail : 1.0 - tail;
  }

  double quantile(double p) const { return boost::math::quantile(exact(), p); }

 private:
  static constexpr int pieces = 128, order = 8;

  boost::math::students_t_distribution<double, MathPolicy> exact() const {
    return boost::math::students_t_distribution<double, MathPolicy>(nu_);
  }

  // x f(x) / nu with f(x) = constant * (x^2 / nu)^(-(nu + 1) / 2), where x^2 may overflow.
  double far_tail(double x) const {
    return std::exp(log_constant_ + 0.5 * (nu_ - 1.0) * std::log(nu_) - nu_ * std::log(x));
  }

  // (nu + x^2) / (nu (1 + x))
  double tail_factor(double x) const { return (1.0 + x * (x / nu_)) / (1.0 + x); }

  // Newton's form of the polynomial through G at the Chebyshev points of one piece.
  void tabulate(int piece) {
    double nodes[order], g[order];
    for (int i = 0; i < order; ++i) {
      nodes[i] = 0.5 - 0.5 * std::cos(3.14159265358979323846 * (i + 0.5) / order);
      const double s = (piece + nodes[i]) / pieces;
      const double x = s / (1.0 - s);
      g[i] = exact_ratio(x);
    }
    // Divided differences, then expanded into powers of the position in the piece.
    for (int j = 1; j < order; ++j) {
      for (int i = order - 1; i >= j; --i) g[i] = (g[i] - g[i - 1]) / (nodes[i] - nodes[i - j]);
    }
    double powers[order] = {g[order - 1]};
    for (int i = order - 2; i >= 0; --i) {
      for (int k = order - 1; k >= 1; --k) powers[k] = powers[k - 1] - nodes[i] * powers[k];
      powers[0] = g[i] - nodes[i] * powers[0];
    }
    table_.insert(table_.end(), powers, powers + order);
  }

  // G: by the cdf as long as it is not tiny, further out by a continued fraction that knows no
  // underflow. T(-x) / f(x) = (x / nu) 2F1(1, a + b; a + 1; w) with a = nu / 2, b = 1 / 2,
  // w = nu / (nu + x^2), from the fraction of the incomplete beta function (DLMF 8.17.22).
  double exact_ratio(double x) const {
    if (x < 20.0) return boost::math::cdf(exact(), -x) / (density(x) * tail_factor(x));
    const double a = 0.5 * nu_, b = 0.5, w = 1.0 / (1.0 + x * (x / nu_));
    double c = 1.0, d = 0.0, fraction = 1.0;  // modified Lentz
    for (int i = 1; i < 100000; ++i) {
      const int m = i / 2;
      const double term = i % 2 == 0 ? m * (b - m) * w / ((a + i - 1) * (a + i))
                                     : -(a + m) * (a + b + m) * w / ((a + i - 1) * (a + i));
      d = 1.0 / (1.0 + term * d);
      c = 1.0 + term / c;
      fraction *= c * d;
      if (std::abs(c * d - 1.0) < 1e-16) break;
    }
    return x / (nu_ * fraction * tail_factor(x));
  }

  double interpolate(double s) const {
    const double position = s * pieces;
    const int piece = position < pieces ? static_cast<int>(position) : pieces - 1;
    const double t = position - piece;
    const double* c = &table_[static_cast<std::size_t>(piece) * order];
    double value = c[order - 1];
    for (int k = order - 2; k >= 0; --k) value = value * t + c[k];
    return value;
  }

  double nu_;
  double log_constant_;
  std::vector<double> table_;  // `order` powers for each piece of [0, 1)
};

}  // namespace btg
