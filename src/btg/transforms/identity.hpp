// identity: g(y) = y, the ordinary Gaussian process.
#pragma once

#include "btg/transforms/transform.hpp"

namespace btg {

class Identity final : public Transform {
 public:
  std::string name() const override { return "identity"; }
  std::string summary() const override { return "no transformation: an ordinary Gaussian process"; }
  std::vector<Parameter> parameters() const override { return {}; }

  Interval domain(const double*) const override { return {}; }
  Interval image(const double*) const override { return {}; }

  double forward(double y, const double*) const override { return y; }
  double inverse(double z, const double*) const override { return z; }
  double log_derivative(double, const double*) const override { return 0; }
  void advance(int, const double*, int, double*, double*) const override {}
  double tail_power(const double*, bool) const override { return 1; }
  double log_derivative_slope(double, const double*) const override { return 0; }

  void forward_gradient(double, const double*, double*) const override {}
  void log_derivative_gradient(double, const double*, double*) const override {}

  Absorption absorbs(Absorption downstream) const override { return downstream; }
};

}  // namespace btg
