// Student's t with one number of degrees of freedom nu, shared by all nodes of a fit; the
// normal distribution if nu is infinite. For |x| < 8 the tail T(-|x|) is a table of
// polynomials: integrals of those that interpolate the density. Further out it is tabulated as its
// ratio to the density, which is smooth up to infinity:
//
//   T(-x) = f(x) (nu + x^2) / (nu (1 + x)) * G(x / (1 + x))
//
// where G is bounded and tends to 1, for the normal limit as for one degree of freedom.
#pragma once

#include <Eigen/Core>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/base/policy.hpp"
#include "btg/compute/compute.hpp"

namespace btg {

class StudentT {
 public:
  explicit StudentT(double degrees_of_freedom) : nu_(degrees_of_freedom) {
    if (!(nu_ > 0.0)) throw Error("argument", "The degrees of freedom must be positive.");
    // log Gamma((nu+1)/2) - log Gamma(nu/2), by Boost without the cancellation for large nu.
    log_constant_ = is_normal()
                        ? -0.5 * std::log(2.0 * pi)
                        : -std::log(boost::math::tgamma_delta_ratio(0.5 * nu_, 0.5, MathPolicy())) -
                              0.5 * std::log(nu_ * pi);
    tabulate_body();
    tabulate_far();
  }

  double degrees_of_freedom() const { return nu_; }

  double log_density(double x) const {
    if (is_normal()) return log_constant_ - 0.5 * x * x;
    return log_constant_ - 0.5 * (nu_ + 1.0) * std::log1p(x * (x / nu_));
  }
  double density(double x) const { return tail_and_density(std::abs(x)).density; }

  double cdf(double x) const {
    const double tail = tail_and_density(std::abs(x)).tail;
    return x < 0.0 ? tail : 1.0 - tail;
  }

  // The tail and the density at 0 <= x < end.
  btg_compute::TTable table() const { return {body_.data(), 1.0 / body_step, body_end}; }

  struct TailDensity {
    double tail;     // T(-x)
    double density;  // f(x)
  };

  // For x >= 0.
  TailDensity tail_and_density(double x) const {
    if (!(x < body_end)) return far(x);
    const double position = x * (1.0 / body_step);
    const int piece = static_cast<int>(position);
    const double t = position - piece, s = t * t;
    const double* c = &body_[static_cast<std::size_t>(piece) * body_order];
    // Even and odd powers side by side, as polynomials of s = t^2 with their slopes in s.
    Eigen::Array2d value(c[body_order - 2], c[body_order - 1]), slope(0.0, 0.0);
    for (int k = body_order - 4; k >= 0; k -= 2) {
      slope = slope * s + value;
      value = value * s + Eigen::Array2d(c[k], c[k + 1]);
    }
    const double derivative = value[1] + 2.0 * (s * slope[1] + t * slope[0]);
    return {value[0] + t * value[1], derivative * (-1.0 / body_step)};
  }

  double quantile(double p) const {
    return p < 0.5 ? -upper_quantile(p) : p > 0.5 ? upper_quantile(1.0 - p) : 0.0;
  }

  // The x >= 0 with T(-x) = tail, for tail <= 1/2: the piece that holds it, then Newton.
  double upper_quantile(double tail) const {
    int piece = 0, beyond = body_pieces;
    while (beyond - piece > 1) {
      const int middle = (piece + beyond) / 2;
      (body_[static_cast<std::size_t>(middle) * body_order] < tail ? beyond : piece) = middle;
    }
    double x = (piece + 0.5) * body_step;
    for (int i = 0; i < 5; ++i) {
      const TailDensity f = tail_and_density(x);
      const double step = (f.tail - tail) / f.density;
      x = std::fmax(x + step, 0.0);
      if (!(x < body_end)) return exact_upper_quantile(tail);
      if (std::abs(step) <= 1e-9 * x) break;
    }
    return x;
  }

 private:
  static constexpr double pi = 3.14159265358979323846;
  static constexpr int order = 9, body_order = btg_compute::TTable::order, body_pieces = 512,
                       far_pieces = 16;
  static constexpr double body_end = 8.0, body_step = body_end / body_pieces;
  static constexpr double far_start = body_end / (1.0 + body_end);
  static constexpr double far_step = (1.0 - far_start) / far_pieces;

  bool is_normal() const { return std::isinf(nu_); }

  double exact_cdf(double x) const {
    if (is_normal()) {
      return boost::math::cdf(boost::math::normal_distribution<double, MathPolicy>(), x);
    }
    return boost::math::cdf(boost::math::students_t_distribution<double, MathPolicy>(nu_), x);
  }

  double exact_upper_quantile(double tail) const {
    if (!(tail > 0.0)) return std::numeric_limits<double>::infinity();
    if (is_normal()) {
      return -boost::math::quantile(boost::math::normal_distribution<double, MathPolicy>(), tail);
    }
    return -boost::math::quantile(boost::math::students_t_distribution<double, MathPolicy>(nu_),
                                  tail);
  }

  TailDensity far(double x) const {
    if (std::isnan(x)) return {x, x};
    if (!(x < 1e100)) return {far_tail(x), std::exp(log_density(x))};
    const double density = std::exp(log_density(x));
    const double position = (x / (1.0 + x) - far_start) / far_step;
    const int piece = position < 0.0          ? 0
                      : position < far_pieces ? static_cast<int>(position)
                                              : far_pieces - 1;
    const double t = position - piece;
    const double* c = &far_[static_cast<std::size_t>(piece) * order];
    double value = c[order - 1];
    for (int k = order - 2; k >= 0; --k) value = value * t + c[k];
    return {density * tail_factor(x) * value, density};
  }

  // x f(x) / nu with f(x) = constant * (x^2 / nu)^(-(nu + 1) / 2), where x^2 may overflow.
  double far_tail(double x) const {
    if (is_normal()) return 0.0;
    return std::exp(log_constant_ + 0.5 * (nu_ - 1.0) * std::log(nu_) - nu_ * std::log(x));
  }

  // (nu + x^2) / (nu (1 + x))
  double tail_factor(double x) const { return (1.0 + x * (x / nu_)) / (1.0 + x); }

  // The powers of t of the polynomial through f(start + width t) at the Chebyshev points of
  // 0 <= t <= 1.
  template <int size, class F>
  static std::array<double, size> interpolate(double start, double width, F f) {
    static const std::array<double, size> nodes = chebyshev_points<size>();
    std::array<double, size> g, powers{};
    for (int i = 0; i < size; ++i) g[i] = f(start + width * nodes[i]);
    // Divided differences, then expanded into powers.
    for (int j = 1; j < size; ++j) {
      for (int i = size - 1; i >= j; --i) g[i] = (g[i] - g[i - 1]) / (nodes[i] - nodes[i - j]);
    }
    powers[0] = g[size - 1];
    for (int i = size - 2; i >= 0; --i) {
      for (int k = size - 1; k >= 1; --k) powers[k] = powers[k - 1] - nodes[i] * powers[k];
      powers[0] = g[i] - nodes[i] * powers[0];
    }
    return powers;
  }

  template <int size>
  static std::array<double, size> chebyshev_points() {
    std::array<double, size> points;
    for (int i = 0; i < size; ++i) points[i] = 0.5 - 0.5 * std::cos(pi * (i + 0.5) / size);
    return points;
  }

  // From the outermost piece inwards: the tail at the start of a piece is the tail at its end
  // and the integral between, a sum of positive terms.
  void tabulate_body() {
    body_.resize(static_cast<std::size_t>(body_pieces) * body_order);
    double tail = exact_cdf(-body_end);
    for (int piece = body_pieces - 1; piece >= 0; --piece) {
      const auto density = interpolate<body_order - 1>(
          piece * body_step, body_step, [&](double x) { return std::exp(log_density(x)); });
      double* powers = &body_[static_cast<std::size_t>(piece) * body_order];
      for (int k = 0; k < body_order - 1; ++k) {
        powers[k + 1] = -body_step * density[k] / (k + 1);
        tail -= powers[k + 1];
      }
      powers[0] = tail;
    }
  }

  void tabulate_far() {
    for (int piece = 0; piece < far_pieces; ++piece) {
      const auto powers = interpolate<order>(far_start + piece * far_step, far_step,
                                             [&](double s) { return exact_ratio(s / (1.0 - s)); });
      far_.insert(far_.end(), powers.begin(), powers.end());
    }
  }

  // G: by the cdf as long as it is not tiny, further out by a continued fraction that knows no
  // underflow. T(-x) / f(x) = (x / nu) 2F1(1, a + b; a + 1; w) with a = nu / 2, b = 1 / 2,
  // w = nu / (nu + x^2), from the fraction of the incomplete beta function (DLMF 8.17.22); for
  // the normal it is the fraction of Mills' ratio, 1 / (x + 1 / (x + 2 / (x + ...))).
  double exact_ratio(double x) const {
    if (is_normal()) {
      double fraction = x;
      for (int i = 200; i >= 1; --i) fraction = x + i / fraction;
      return (1.0 + x) / fraction;
    }
    if (x < 20.0) return exact_cdf(-x) / (std::exp(log_density(x)) * tail_factor(x));
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

  double nu_;
  double log_constant_;
  std::vector<double> body_;  // `body_order` powers for each piece of [0, body_end)
  std::vector<double> far_;   // `order` powers of G, for each piece of [far_start, 1)
};

}  // namespace btg
