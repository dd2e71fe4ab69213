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
#include <cmath>
#include <cstddef>
#include <vector>

#include "btg/compute/compute.hpp"

namespace btg {

class StudentT {
 public:
  explicit StudentT(double degrees_of_freedom);

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
  double upper_quantile(double tail) const;

 private:
  static constexpr double pi = 3.14159265358979323846;
  static constexpr int order = 9, body_order = btg_compute::TTable::order, body_pieces = 512,
                       far_pieces = 16;
  static constexpr double body_end = 8.0, body_step = body_end / body_pieces;
  static constexpr double far_start = body_end / (1.0 + body_end);
  static constexpr double far_step = (1.0 - far_start) / far_pieces;

  bool is_normal() const { return std::isinf(nu_); }

  double exact_cdf(double x) const;

  double exact_upper_quantile(double tail) const;

  TailDensity far(double x) const;

  // x f(x) / nu with f(x) = constant * (x^2 / nu)^(-(nu + 1) / 2), where x^2 may overflow.
  double far_tail(double x) const;

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
  void tabulate_body();

  void tabulate_far();

  // G: by the cdf as long as it is not tiny, further out by a continued fraction that knows no
  // underflow. T(-x) / f(x) = (x / nu) 2F1(1, a + b; a + 1; w) with a = nu / 2, b = 1 / 2,
  // w = nu / (nu + x^2), from the fraction of the incomplete beta function (DLMF 8.17.22); for
  // the normal it is the fraction of Mills' ratio, 1 / (x + 1 / (x + 2 / (x + ...))).
  double exact_ratio(double x) const;

  double nu_;
  double log_constant_;
  std::vector<double> body_;  // `body_order` powers for each piece of [0, body_end)
  std::vector<double> far_;   // `order` powers of G, for each piece of [far_start, 1)
};

}  // namespace btg
