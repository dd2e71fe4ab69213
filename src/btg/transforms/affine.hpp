// affine: g(y) = a + b y. It is useful only before another layer.
#pragma once

#include <cmath>

#include "btg/transforms/transform.hpp"

namespace btg {

class Affine final : public Transform {
 public:
  std::string name() const override { return "affine"; }
  std::string summary() const override {
    return "shift and stretch, before another transform only";
  }

  // b <= 10 keeps the next layer at least a tenth of a unit of y wide. A narrower layer can squeeze
  // tied responses together, which makes the likelihood unbounded.
  std::vector<Parameter> parameters() const override {
    return {{"a", Scale::real, {"normal", {0, 1}}, 0},
            {"b", Scale::positive, {"lognormal", {0, 1}, 0, 10}, 1}};
  }

  Interval domain(const double*) const override { return {}; }
  Interval image(const double*) const override { return {}; }

  double forward(double y, const double* lambda) const override {
    const double a = lambda[0], b = lambda[1];
    return a + b * y;
  }

  double inverse(double z, const double* lambda) const override {
    const double a = lambda[0], b = lambda[1];
    return (z - a) / b;
  }

  double log_derivative(double, const double* lambda) const override { return std::log(lambda[1]); }
  double tail_power(const double*, bool) const override { return 1; }
  double log_derivative_slope(double, const double*) const override { return 0; }

  void forward_gradient(double y, const double*, double* out) const override {
    out[0] = 1;
    out[1] = y;
  }

  void log_derivative_gradient(double, const double* lambda, double* out) const override {
    out[0] = 0;
    out[1] = 1 / lambda[1];
  }

  Absorption absorbs(Absorption) const override { return {true, true}; }

  bool redundant(int index, Absorption downstream) const override {
    return index == 0 ? downstream.shift : downstream.scale;
  }
};

}  // namespace btg
