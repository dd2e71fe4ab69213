// Exponential, the Matern with smoothness 1/2: k(r) = exp(-r).
#pragma once

#include "btg/kernels/kernel.hpp"

namespace btg {

struct Exponential {
  static constexpr const char* name = "exponential";
  static constexpr const char* summary = "rough, like an exponential variogram";
  static constexpr double derivatives = 0;

  static void accumulate(const Chunk& r2, Chunk& /*polynomial*/, Chunk& exponent) {
    exponent += r2.sqrt();
  }

  // d log k / dr^2 = -1 / (2 r). Callers multiply it by a difference or its square, so any finite
  // value at r = 0 gives 0 (see backend/forms.hpp).
  static Chunk log_slope(const Chunk& r2) { return -0.5 / r2.sqrt().max(1e-150); }
};

}  // namespace btg
