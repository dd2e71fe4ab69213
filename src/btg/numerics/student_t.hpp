// Student's t with nu degrees of freedom, shared by all nodes of a fit. It is the normal
// distribution if nu is infinite. For |x| < 8, the tail T(-|x|) is a table of polynomials, the
// integrals of interpolants of the density. Further out, its ratio to the density is tabulated,
//
//   T(-x) = f(x) (nu + x^2) / (nu (1 + x)) * G(x / (1 + x)),
//
// because G is smooth and bounded and tends to 1 for every nu, including infinity.
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

  // Table of the tail and the density for 0 <= x < body_end.
  btg_compute::TTable table() const { return {body_.data(), 1.0 / body_step, body_end}; }

  struct TailDensity {
    double tail;     // T(-x)
    double density;  // f(x)
  };

  // Requires x >= 0.
  TailDensity tail_and_density(double x) const {
    if (!(x < body_end)) return far(x);
    const double position = x * (1.0 / body_step);
    const int piece = static_cast<int>(position);
    const double t = position - piece, s = t * t;
    const double* c = &body_[static_cast<std::size_t>(piece) * body_order];
    // Evaluates even and odd powers together, as polynomials in s = t^2, with derivatives in s.
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

  // Solves T(-x) = tail <= 1/2 for x >= 0: bisects for the piece, then applies Newton's method.
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

  // Coefficients in t of the polynomial that interpolates f(start + width t) at the Chebyshev
  // points of 0 <= t <= 1.
  template <int size, class F>
  static std::array<double, size> interpolate(double start, double width, F f) {
    static const std::array<double, size> nodes = chebyshev_points<size>();
    std::array<double, size> g, powers{};
    for (int i = 0; i < size; ++i) g[i] = f(start + width * nodes[i]);
    // Forms divided differences, then expands them into powers.
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

  // Works inwards from the outermost piece. The tail at the start of a piece is the tail at its end
  // plus the integral between, so all terms are positive.
  void tabulate_body();

  void tabulate_far();

  // Computes G from the cdf, or for x >= 20 by a continued fraction, which cannot underflow:
  // T(-x) / f(x) = (x / nu) 2F1(1, a + b; a + 1; w), a = nu / 2, b = 1 / 2, w = nu / (nu + x^2),
  // by the fraction of the incomplete beta function (DLMF 8.17.22). The normal always uses the
  // fraction of Mills' ratio, 1 / (x + 1 / (x + 2 / (x + ...))).
  double exact_ratio(double x) const;

  double nu_;
  double log_constant_;
  std::vector<double> body_;  // `body_order` coefficients per piece of [0, body_end)
  std::vector<double> far_;   // `order` coefficients of G per piece of [far_start, 1)
};

}  // namespace btg
