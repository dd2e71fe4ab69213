// Computes log(sum_i exp(x_i)) without overflow.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>

namespace btg {

// Returns -Inf for an empty vector, or if all entries are -Inf.
inline double log_sum_exp(const Eigen::Ref<const Eigen::VectorXd>& x) {
  if (x.size() == 0) return -std::numeric_limits<double>::infinity();
  const double largest = x.maxCoeff();
  if (!std::isfinite(largest)) return largest;
  return largest + std::log((x.array() - largest).exp().sum());
}

}  // namespace btg
