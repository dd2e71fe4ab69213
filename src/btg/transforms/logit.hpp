// logit: g(y) = log(y / (1 - y)), of responses strictly between two bounds, scaled to 0 and 1.
#pragma once

#include <cmath>

#include "btg/transforms/transform.hpp"

namespace btg {

class Logit final : public Transform {
 public:
  std::string name() const override { return "logit"; }
  std::string summary() const override { return "percentages, before another transform"; }
  std::vector<Parameter> parameters() const override { return {}; }

  Interval domain(const double*) const override { return {0, 1}; }
  Interval image(const double*) const override { return {}; }

  double forward(double y, const double*) const override { return std::log(y) - std::log1p(-y); }

  // Neither form overflows. Beyond z = 37 the result rounds to 1, the end of the domain.
  double inverse(double z, const double*) const override {
    if (z >= 0) return 1 / (1 + std::exp(-z));
    const double odds = std::exp(z);
    return odds / (1 + odds);
  }

  // g'(y) = 1 / (y (1 - y))
  double log_derivative(double y, const double*) const override {
    return -std::log(y) - std::log1p(-y);
  }

  Jet jet(double y, const double*) const override {
    const double log_y = std::log(y), log_rest = std::log1p(-y);
    return {log_y - log_rest, -log_y - log_rest};
  }

  double tail_power(const double*, bool) const override { return 0; }

  double log_derivative_slope(double y, const double*) const override {
    return (2 * y - 1) / (y * (1 - y));
  }

  void forward_gradient(double, const double*, double*) const override {}
  void log_derivative_gradient(double, const double*, double*) const override {}
};

}  // namespace btg
