// Exponential, the Matern with smoothness 1/2: k(r) = exp(-r).
#pragma once

#include "btg/kernels/kernel.hpp"

namespace btg {

struct Exponential {
  static constexpr const char* name = "exponential";

  static void accumulate(const Chunk& r2, Chunk& /*polynomial*/, Chunk& exponent) {
    exponent += r2.sqrt();
  }

  // dk/dr^2 = -exp(-r) / (2 r). It is only ever multiplied by squared distances of
  // order r^2, so at r = 0 any finite value gives the right limit, zero.
  static Chunk log_slope(const Chunk& r2) { return -0.5 / r2.sqrt().max(1e-150); }
};

}  // namespace btg
