// Squared exponential: k(r) = exp(-r^2 / 2).
#pragma once

#include "btg/kernels/kernel.hpp"

namespace btg {

struct Rbf {
  static constexpr const char* name = "rbf";
  static constexpr const char* summary = "very smooth, like many computer models";
  static constexpr double derivatives = infinitely_often;

  static void accumulate(const Chunk& r2, Chunk& /*polynomial*/, Chunk& exponent) {
    exponent += 0.5 * r2;
  }

  static Chunk log_slope(const Chunk& /*r2*/) { return Chunk::Constant(-0.5); }
};

}  // namespace btg
