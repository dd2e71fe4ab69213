// Evaluates a mixture of t distributions from a table, four components at a time.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "btg/compute/compute.hpp"

namespace btg {

using Four = Eigen::Array4d;

// Loads four values; those from `count` on are 0.
inline Four load_four(const double* values, int count) {
  if (count >= 4) return Eigen::Map<const Four>(values);
  Four result = Four::Zero();
  for (int i = 0; i < count; ++i) result[i] = values[i];
  return result;
}

// 1 where x > 0, else 0, without a branch.
inline Four is_positive(const Four& x) { return (x * 1e300).max(0.0).min(1.0); }

struct FourTails {
  Four tail, density;
};

// Computes T(-x) and the density for each 0 <= x < t.end.
inline FourTails tails_and_densities(const btg_compute::TTable& t, const Four& x) {
  const Four position = x * t.per_unit, piece = position.floor();
  Eigen::Matrix4d low, high;  // coefficients 0 to 3 and 4 to 7, transposed below
  for (int i = 0; i < 4; ++i) {
    const auto number = static_cast<std::ptrdiff_t>(piece[i] > 0.0 ? piece[i] : 0.0);
    const double* c = t.coefficients + btg_compute::TTable::order * number;
    low.col(i) = Eigen::Map<const Eigen::Vector4d>(c);
    high.col(i) = Eigen::Map<const Eigen::Vector4d>(c + 4);
  }
  low.transposeInPlace();
  high.transposeInPlace();
  const Four c0 = low.col(0), c1 = low.col(1), c2 = low.col(2), c3 = low.col(3);
  const Four c4 = high.col(0), c5 = high.col(1), c6 = high.col(2), c7 = high.col(3);
  // Separates even and odd powers, as polynomials in r^2 with derivatives in r^2.
  const Four r = position - piece, s = r * r;
  const Four even = ((c6 * s + c4) * s + c2) * s + c0, odd = ((c7 * s + c5) * s + c3) * s + c1;
  const Four even_slope = (3.0 * c6 * s + 2.0 * c4) * s + c2;
  const Four odd_slope = (3.0 * c7 * s + 2.0 * c5) * s + c3;
  return {even + r * odd, (odd + 2.0 * (s * odd_slope + r * even_slope)) * -t.per_unit};
}

[[gnu::flatten]] inline btg_compute::TMixture mix_t(const btg_compute::TTable& t, int count,
                                                    const double* u, const double* slope,
                                                    const double* location,
                                                    const double* inverse_scale,
                                                    const double* weight, double* x) {
  Four cdf = Four::Zero(), survival = Four::Zero(), density = Four::Zero(), near = Four::Zero();
  const double last = t.end * (1.0 - 1e-15);
  for (int i = 0; i < count; i += 4) {
    const int some = count - i;
    const Four scale = load_four(inverse_scale + i, some);
    const Four argument = (load_four(u + i, some) - load_four(location + i, some)) * scale;
    if (some >= 4) {
      Eigen::Map<Four>(x + i) = argument;
    } else {
      std::copy(argument.data(), argument.data() + some, x + i);
    }
    const Four size = argument.abs(), inside = is_positive(last - size);
    const FourTails f = tails_and_densities(t, size.min(last));
    const Four share = load_four(weight + i, some) * inside, above = is_positive(argument);
    const Four steep = load_four(slope + i, some).min(1e300) * scale;
    cdf += share * (above * (1.0 - f.tail) + (1.0 - above) * f.tail);
    survival += share * (above * f.tail + (1.0 - above) * (1.0 - f.tail));
    density += share * steep * f.density;
    near += inside;
  }
  const int padded = (count + 3) / 4 * 4;
  const bool numbers = std::isfinite((cdf + density + near).sum());
  return {cdf.sum(), survival.sum(), density.sum(),
          numbers ? padded - static_cast<int>(near.sum()) : -1};
}

}  // namespace btg
