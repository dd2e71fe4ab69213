// arcsinh: g(y) = asinh(t), t = (y - c) / d. It is linear within d of c and logarithmic in both
// tails, so it shortens heavy tails.
#pragma once

#include <cmath>

#include "btg/transforms/transform.hpp"

namespace btg {

class Arcsinh final : public Transform {
 public:
  std::string name() const override { return "arcsinh"; }
  std::string summary() const override { return "heavy tails on both sides"; }

  // d >= 0.1, because as d -> 0 the map squeezes responses tied at c together and the likelihood is
  // unbounded.
  std::vector<Parameter> parameters() const override {
    return {{"c", Scale::real, {"normal", {0, 1}}, 0},
            {"d", Scale::positive, {"lognormal", {0, 1}, 0.1}, 1}};
  }

  Interval domain(const double*) const override { return {}; }
  Interval image(const double*) const override { return {}; }

  double forward(double y, const double* lambda) const override {
    return std::asinh(standardize(y, lambda));
  }

  double inverse(double z, const double* lambda) const override {
    const double c = lambda[0], d = lambda[1];
    return c + d * std::sinh(z);
  }

  // g'(y) = 1 / (d h),  h = sqrt(1 + t^2)
  double log_derivative(double y, const double* lambda) const override {
    return -std::log(lambda[1] * std::hypot(1.0, standardize(y, lambda)));
  }

  double tail_power(const double*, bool) const override {
    return std::numeric_limits<double>::infinity();
  }

  // -t / (d h^2)
  double log_derivative_slope(double y, const double* lambda) const override {
    const double t = standardize(y, lambda), h = std::hypot(1.0, t);
    return -(t / h) / (lambda[1] * h);
  }

  void forward_gradient(double y, const double* lambda, double* out) const override {
    const double t = standardize(y, lambda), h = std::hypot(1.0, t);
    out[0] = -1 / (lambda[1] * h);
    out[1] = -(t / h) / lambda[1];
  }

  void log_derivative_gradient(double y, const double* lambda, double* out) const override {
    const double t = standardize(y, lambda), h = std::hypot(1.0, t);
    out[0] = (t / h) / (lambda[1] * h);
    out[1] = -1 / (lambda[1] * h) / h;
  }

  Absorption absorbs(Absorption) const override { return {true, true}; }

 private:
  static double standardize(double y, const double* lambda) { return (y - lambda[0]) / lambda[1]; }
};

}  // namespace btg
