// The power family shared by Box-Cox and Yeo-Johnson, with u = log y:
//
//   P(u, lambda) = (e^(lambda u) - 1) / lambda = u phi(lambda u),   phi(x) = (e^x - 1) / x
//
// It is smooth through lambda = 0, where P = u.
#pragma once

#include <cmath>
#include <limits>

namespace btg {

inline double scaled_expm1(double u, double lambda) {
  return lambda == 0 ? u : std::expm1(lambda * u) / lambda;
}

// Inverse of P in u. It is infinite at and beyond the end -1/lambda of the image.
inline double scaled_log1p(double z, double lambda) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (lambda == 0) return z;
  if (lambda > 0 && z <= -1 / lambda) return -infinity;
  if (lambda < 0 && z >= -1 / lambda) return infinity;
  return std::log1p(lambda * z) / lambda;
}

// phi'(x) = (e^x (x - 1) + 1) / x^2 = sum_k x^k / (k! (k + 2)). The closed form cancels near 0.
inline double expm1_ratio_derivative(double x) {
  if (std::abs(x) > 1) return (std::exp(x) * (x - 1) + 1) / x / x;
  double sum = 0, power = 1;  // power = x^k / k!
  for (int k = 0; k < 20; ++k) {
    sum += power / (k + 2);
    power *= x / (k + 1);
  }
  return sum;
}

// dP/dlambda = u^2 phi'(lambda u)
inline double scaled_expm1_gradient(double u, double lambda) {
  return u * u * expm1_ratio_derivative(lambda * u);
}

}  // namespace btg
