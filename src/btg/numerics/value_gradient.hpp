// The value and gradient of a function at a point.
#pragma once

#include <Eigen/Core>
#include <limits>

namespace btg {

struct ValueGradient {
  double value = -std::numeric_limits<double>::infinity();
  Eigen::VectorXd gradient;
};

}  // namespace btg
