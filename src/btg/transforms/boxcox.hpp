// boxcox: g(y) = (y^lambda - 1) / lambda, and log y at lambda = 0.
#pragma once

#include <cmath>

#include "btg/transforms/scaled_expm1.hpp"
#include "btg/transforms/transform.hpp"

namespace btg {

class BoxCox final : public Transform {
 public:
  std::string name() const override { return "boxcox"; }
  std::string summary() const override { return "powers between the logarithm and the cube"; }

  // The prior excludes lambda < 0, for which the predictive has mass at y = inf.
  std::vector<Parameter> parameters() const override {
    return {{"lambda", Scale::real, {"uniform", {0, 3}}, 1}};
  }

  Interval domain(const double*) const override { return {0}; }

  // -1/lambda bounds the image below if lambda > 0, above if lambda < 0.
  Interval image(const double* lambda) const override {
    const double power = lambda[0];
    Interval image;
    if (power > 0) image.lower = -1 / power;
    if (power < 0) image.upper = -1 / power;
    return image;
  }

  double forward(double y, const double* lambda) const override {
    return scaled_expm1(std::log(y), lambda[0]);
  }

  double inverse(double z, const double* lambda) const override {
    return std::exp(scaled_log1p(z, lambda[0]));
  }

  // g'(y) = y^(lambda - 1)
  double log_derivative(double y, const double* lambda) const override {
    return (lambda[0] - 1) * std::log(y);
  }

  // Consecutive equal y, as in a first layer, share one logarithm.
  void advance(int count, const double* lambda, int stride, double* y,
               double* slope) const override {
    double previous = 1, log_y = 0;
    for (int i = 0; i < count; ++i) {
      const double power = lambda[static_cast<std::size_t>(i) * stride];
      if (y[i] != previous) log_y = std::log(previous = y[i]);
      const double value = scaled_expm1(log_y, power);
      slope[i] *= (1 + power * value) / previous;  // y^lambda / y
      y[i] = value;
    }
  }

  double tail_power(const double* lambda, bool upper) const override {
    if (!upper) return 0;
    return lambda[0] > 0 ? 1 / lambda[0] : std::numeric_limits<double>::infinity();
  }

  double log_derivative_slope(double y, const double* lambda) const override {
    return (lambda[0] - 1) / y;
  }

  void forward_gradient(double y, const double* lambda, double* out) const override {
    out[0] = scaled_expm1_gradient(std::log(y), lambda[0]);
  }

  void log_derivative_gradient(double y, const double*, double* out) const override {
    out[0] = std::log(y);
  }

  // g(k y) = k^lambda g(y) + g(k), so a change of scale becomes an affine change.
  Absorption absorbs(Absorption downstream) const override {
    return {false, downstream.shift && downstream.scale};
  }
};

}  // namespace btg
