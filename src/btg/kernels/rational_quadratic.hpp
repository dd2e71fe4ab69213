// Rational quadratic: k(r) = (1 + r^2 / (2 alpha))^-alpha, a mixture of squared exponentials whose
// inverse squared lengthscales are gamma distributed. Large alpha gives the squared exponential.
#pragma once

#include "btg/compute/compute.hpp"
#include "btg/kernels/kernel.hpp"

namespace btg {

struct RationalQuadratic {
  static constexpr const char* name = "rational_quadratic";
  static constexpr const char* summary = "very smooth, with variation at several distances";
  static constexpr double derivatives = infinitely_often;
  static constexpr btg_compute::KernelParameter parameters[] = {{"alpha", 0.5, 1.0}};

  explicit RationalQuadratic(const double* values) : alpha(values[0]) {}

  void accumulate(const Chunk& r2, Chunk& /*polynomial*/, Chunk& exponent) const {
    exponent += alpha * log_one_plus(relative(r2));
  }

  // -1/2 / (1 + r^2 / (2 alpha))
  Chunk log_slope(const Chunk& r2) const { return -0.5 / (1.0 + relative(r2)); }

  // d/d log alpha of -alpha log(1 + u), u = r^2 / (2 alpha)
  Chunk parameter_slope(const Chunk& r2, int /*j*/) const {
    const Chunk u = relative(r2);
    return alpha * (u / (1.0 + u) - log_one_plus(u));
  }

  double alpha;

 private:
  Chunk relative(const Chunk& r2) const { return r2 * (0.5 / alpha); }

  static Chunk log_one_plus(const Chunk& u) {
    Chunk result;
    for (int i = 0; i < chunk_size; ++i) result[i] = std::log1p(u[i]);
    return result;
  }
};

}  // namespace btg
