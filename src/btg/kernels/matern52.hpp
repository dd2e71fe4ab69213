// Matern with smoothness 5/2: k(r) = (1 + t + t^2/3) exp(-t), t = sqrt(5) r.
#pragma once

#include "btg/kernels/kernel.hpp"

namespace btg {

struct Matern52 {
  static constexpr const char* name = "matern52";
  static constexpr const char* summary = "smooth";
  static constexpr double derivatives = 2;

  static void accumulate(const Chunk& r2, Chunk& polynomial, Chunk& exponent) {
    const Chunk t = (5.0 * r2).sqrt();
    polynomial *= 1.0 + t * (1.0 + t * (1.0 / 3.0));
    exponent += t;
  }

  // dk/dr^2 = -(5/6) (1 + t) exp(-t)
  static Chunk log_slope(const Chunk& r2) {
    const Chunk t = (5.0 * r2).sqrt();
    return (-5.0 / 6.0) * (1.0 + t) / (1.0 + t * (1.0 + t * (1.0 / 3.0)));
  }
};

}  // namespace btg
