// yeojohnson: Box-Cox of 1 + |y| on both sides of 0, with mirrored powers,
//
//   g(y) =  ((1 + y)^lambda - 1) / lambda              y >= 0
//   g(y) = -((1 - y)^(2 - lambda) - 1) / (2 - lambda)  y <  0
//
// and logarithms where a power is 0.
#pragma once

#include <cmath>

#include "btg/transforms/scaled_expm1.hpp"
#include "btg/transforms/transform.hpp"

namespace btg {

class YeoJohnson final : public Transform {
 public:
  std::string name() const override { return "yeojohnson"; }
  std::string summary() const override { return "skewness of a response of either sign"; }

  // The prior excludes lambda outside [0, 2], where the image is bounded.
  std::vector<Parameter> parameters() const override {
    return {{"lambda", Scale::real, {"normal", {1, 0.5}, 0, 2}, 1}};
  }

  Interval domain(const double*) const override { return {}; }

  Interval image(const double* lambda) const override {
    const double power = lambda[0];
    Interval image;
    if (power < 0) image.upper = -1 / power;
    if (power > 2) image.lower = -1 / (power - 2);
    return image;
  }

  double forward(double y, const double* lambda) const override {
    return std::copysign(scaled_expm1(signless_log(y), power(y, lambda)), y);
  }

  double inverse(double z, const double* lambda) const override {
    return std::copysign(std::expm1(scaled_log1p(std::abs(z), power(z, lambda))), z);
  }

  // log g'(y) = (lambda - 1) sign(y) log(1 + |y|)
  double log_derivative(double y, const double* lambda) const override {
    return (lambda[0] - 1) * std::copysign(signless_log(y), y);
  }

  // Like Box-Cox of 1 + |y|, with the power of that side.
  double tail_power(const double* lambda, bool upper) const override {
    const double power = upper ? lambda[0] : 2 - lambda[0];
    return power > 0 ? 1 / power : std::numeric_limits<double>::infinity();
  }

  double log_derivative_slope(double y, const double* lambda) const override {
    return (lambda[0] - 1) / (1 + std::abs(y));
  }

  // Below 0, both the map and d(2 - lambda)/dlambda change sign.
  void forward_gradient(double y, const double* lambda, double* out) const override {
    out[0] = scaled_expm1_gradient(signless_log(y), power(y, lambda));
  }

  void log_derivative_gradient(double y, const double*, double* out) const override {
    out[0] = std::copysign(signless_log(y), y);
  }

 private:
  static double signless_log(double y) { return std::log1p(std::abs(y)); }

  // y and g(y) have the same sign, so either determines the side.
  static double power(double y_or_z, const double* lambda) {
    return y_or_z < 0 ? 2 - lambda[0] : lambda[0];
  }
};

}  // namespace btg
