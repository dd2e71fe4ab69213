// sinharcsinh: g(y) = sinh(v), v = b w - a, w = asinh(y). The shift a skews the tails; b < 1
// shortens both tails and b > 1 lengthens them.
#pragma once

#include <cmath>

#include "btg/transforms/transform.hpp"

namespace btg {

class SinhArcsinh final : public Transform {
 public:
  std::string name() const override { return "sinharcsinh"; }
  std::string summary() const override { return "skewness, heavy or light tails"; }

  std::vector<Parameter> parameters() const override {
    return {{"a", Scale::real, {"normal", {0, 0.5}}, 0},
            {"b", Scale::positive, {"lognormal", {0, 0.5}}, 1}};
  }

  Interval domain(const double*) const override { return {}; }
  Interval image(const double*) const override { return {}; }

  double forward(double y, const double* lambda) const override {
    const double a = lambda[0], b = lambda[1];
    return std::sinh(b * std::asinh(y) - a);
  }

  double inverse(double z, const double* lambda) const override {
    const double a = lambda[0], b = lambda[1];
    return std::sinh((std::asinh(z) + a) / b);
  }

  // g'(y) = b cosh(v) / sqrt(1 + y^2), and sqrt(1 + y^2) = cosh(w)
  double log_derivative(double y, const double* lambda) const override {
    const double a = lambda[0], b = lambda[1];
    const double w = std::asinh(y), v = b * w - a;
    return std::abs(v) - std::abs(w) + std::log(b * scaled_cosh(v) / scaled_cosh(w));
  }

  // Away from overflow, needs only one exponential and one asinh: with x = e^|v| - 1,
  // sinh|v| = (x + x / (x + 1)) / 2 and 2 cosh(v) / e^|v| = 1 + (x + 1)^-2.
  Jet jet(double y, const double* lambda) const override {
    const double a = lambda[0], b = lambda[1];
    const double v = b * std::asinh(y) - a;
    if (!(std::abs(v) < 300) || !(std::abs(y) < 1e100)) return Transform::jet(y, lambda);
    const double x = std::expm1(std::abs(v)), shrink = 1 / (x + 1);
    const double log_derivative =
        std::abs(v) + std::log(0.5 * b * (1 + shrink * shrink) / std::sqrt(1 + y * y));
    return {std::copysign(0.5 * (x + x * shrink), v), log_derivative};
  }

  // One exponential per node: with x = e^v, sinh(v) = (x - 1/x) / 2 and cosh(v) = (x + 1/x) / 2.
  // Consecutive equal y, as in a first layer, share one asinh.
  void advance(int count, const double* lambda, int stride, double* y,
               double* slope) const override {
    double previous = 0, w = 0, half_cosh = 0.5;
    for (int i = 0; i < count; ++i) {
      const double* parameters = lambda + static_cast<std::size_t>(i) * stride;
      const double a = parameters[0], b = parameters[1];
      if (y[i] != previous) {
        previous = y[i];
        w = std::asinh(previous);
        half_cosh = 0.5 / std::hypot(1.0, previous);
      }
      const double x = std::exp(b * w - a), inverse = 1 / x;
      y[i] = 0.5 * (x - inverse);
      slope[i] *= half_cosh * b * (x + inverse);
    }
  }

  double tail_power(const double* lambda, bool) const override { return 1 / lambda[1]; }

  // (b tanh(v) - tanh(w)) / cosh(w)
  double log_derivative_slope(double y, const double* lambda) const override {
    const double a = lambda[0], b = lambda[1];
    const double w = std::asinh(y), v = b * w - a, cosh_w = std::hypot(1.0, y);
    return (b * std::tanh(v) - y / cosh_w) / cosh_w;
  }

  void forward_gradient(double y, const double* lambda, double* out) const override {
    const double a = lambda[0], b = lambda[1];
    const double w = std::asinh(y), v = b * w - a;
    out[0] = -std::cosh(v);
    out[1] = w * std::cosh(v);
  }

  void log_derivative_gradient(double y, const double* lambda, double* out) const override {
    const double a = lambda[0], b = lambda[1];
    const double w = std::asinh(y), v = b * w - a;
    out[0] = -std::tanh(v);
    out[1] = 1 / b + w * std::tanh(v);
  }

 private:
  // 2 cosh(x) / e^|x|, which does not overflow.
  static double scaled_cosh(double x) { return 1 + std::exp(-2 * std::abs(x)); }
};

}  // namespace btg
