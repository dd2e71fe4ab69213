// The standard normal distribution.
#pragma once

#include <cmath>

namespace btg {

inline double normal_cdf(double x) { return 0.5 * std::erfc(-0.7071067811865476 * x); }

inline double normal_density(double x) { return 0.3989422804014327 * std::exp(-0.5 * x * x); }

// The probability between a and b, without cancellation.
inline double normal_mass(double a, double b) {
  return a > 0.0 ? normal_cdf(-a) - normal_cdf(-b) : normal_cdf(b) - normal_cdf(a);
}

}  // namespace btg
