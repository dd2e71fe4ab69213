// Matern with smoothness 3/2: k(r) = (1 + t) exp(-t), t = sqrt(3) r.
#pragma once

#include "btg/kernels/kernel.hpp"

namespace btg {

struct Matern32 {
  static constexpr const char* name = "matern32";
  static constexpr const char* summary = "fairly smooth";
  static constexpr double derivatives = 1;

  static void accumulate(const Chunk& r2, Chunk& polynomial, Chunk& exponent) {
    const Chunk t = (3.0 * r2).sqrt();
    polynomial *= 1.0 + t;
    exponent += t;
  }

  // dk/dr^2 = -(3/2) exp(-t)
  static Chunk log_slope(const Chunk& r2) { return -1.5 / (1.0 + (3.0 * r2).sqrt()); }
};

}  // namespace btg
