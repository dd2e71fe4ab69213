// Points of the unit cube to points of a standard normal, coordinate by coordinate.
#pragma once

#include <Eigen/Core>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>

#include "btg/base/policy.hpp"

namespace btg {

inline Eigen::MatrixXd normal_points(const Eigen::MatrixXd& uniform) {
  return uniform.unaryExpr(
      [](double p) { return -std::sqrt(2.0) * boost::math::erfc_inv(2.0 * p, MathPolicy()); });
}

}  // namespace btg
