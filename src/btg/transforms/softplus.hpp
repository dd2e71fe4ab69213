// softplus: g(y) = log(e^t - 1), t = y / s, the inverse of y = s log(1 + e^z). It behaves like
// log y near 0 and like y / s beyond a few s.
#pragma once

#include <cmath>

#include "btg/transforms/transform.hpp"

namespace btg {

class Softplus final : public Transform {
 public:
  std::string name() const override { return "softplus"; }
  std::string summary() const override {
    return "a logarithm for small values, linear for large ones";
  }

  std::vector<Parameter> parameters() const override {
    return {{"s", Scale::positive, {"lognormal", {0, 1.5}}, 1}};
  }

  Interval domain(const double*) const override { return {0}; }
  Interval image(const double*) const override { return {}; }

  // log(e^t - 1) = t + log(1 - e^-t), which cannot overflow.
  double forward(double y, const double* lambda) const override {
    const double t = y / lambda[0];
    return t + log1m_exp(t);
  }

  double inverse(double z, const double* lambda) const override {
    return lambda[0] * (std::fmax(z, 0.0) + std::log1p(std::exp(-std::abs(z))));
  }

  // g'(y) = 1 / (s (1 - e^-t))
  double log_derivative(double y, const double* lambda) const override {
    const double s = lambda[0];
    return -std::log(s) - log1m_exp(y / s);
  }

  Jet jet(double y, const double* lambda) const override {
    const double s = lambda[0], t = y / s, log_complement = log1m_exp(t);
    return {t + log_complement, -std::log(s) - log_complement};
  }

  // Away from 0 and overflow, needs only one exponential and one logarithm.
  void advance(int count, const double* lambda, int stride, double* y,
               double* slope) const override {
    for (int i = 0; i < count; ++i) {
      const double s = lambda[static_cast<std::size_t>(i) * stride], t = y[i] / s;
      const double complement = t < 0.5 ? -std::expm1(-t) : 1 - std::exp(-t);
      y[i] = t + std::log(complement);
      slope[i] /= s * complement;
    }
  }

  double tail_power(const double*, bool upper) const override { return upper ? 1 : 0; }

  double log_derivative_slope(double y, const double* lambda) const override {
    const double s = lambda[0];
    return -1 / (s * std::expm1(y / s));
  }

  void forward_gradient(double y, const double* lambda, double* out) const override {
    const double s = lambda[0], t = y / s;
    out[0] = t / (s * std::expm1(-t));
  }

  void log_derivative_gradient(double y, const double* lambda, double* out) const override {
    const double s = lambda[0], t = y / s;
    out[0] = (t / std::expm1(t) - 1) / s;
  }

  Absorption absorbs(Absorption) const override { return {false, true}; }

 private:
  // log(1 - e^-t) for t > 0, in the form that does not cancel.
  static double log1m_exp(double t) {
    const double log_2 = 0.693147180559945309417;
    return t < log_2 ? std::log(-std::expm1(-t)) : std::log1p(-std::exp(-t));
  }
};

}  // namespace btg
