// Whether tail_power says how a transform's inverse grows.
#pragma once

#include <cmath>

#include "btg/transforms/transform.hpp"
#include "check.hpp"

namespace check {

// How |g^-1| grows when z doubles, as a power.
template <class G>
double growth(const G& g, const double* lambda, double z) {
  return std::log2(std::abs(g.inverse(2 * z, lambda) / g.inverse(z, lambda)));
}

// Where the image is unbounded, tail_power is what z does.
template <class G>
void check_tail_power(const G& g, const double* lambda, bool upper) {
  const btg::Interval image = g.image(lambda);
  if (std::isfinite(upper ? image.upper : image.lower)) return;
  const double sign = upper ? 1 : -1, power = g.tail_power(lambda, upper);
  if (power == 0) {
    CHECK(std::abs(g.inverse(-1e8, lambda)) < 10);
  } else if (power < 20) {
    CHECK_CLOSE(growth(g, lambda, sign * 1e8), power, 1e-3);
  } else {
    CHECK(std::abs(g.inverse(sign * 40, lambda)) > 1e13);
  }
}

}  // namespace check
