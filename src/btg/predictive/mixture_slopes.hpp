// Derivatives of a mixture's cdf in the location and scale of each node.
#pragma once

#include <Eigen/Core>

#include "btg/predictive/mixture.hpp"

namespace btg {

// Derivatives of a number in each node's location and scale.
struct NodeSlopes {
  explicit NodeSlopes(int nodes)
      : location(Eigen::VectorXd::Zero(nodes)), scale(Eigen::VectorXd::Zero(nodes)) {}
  Eigen::VectorXd location, scale;
};

// Adds `times` the slopes of F(y).
void add_cdf_slopes(const Mixture& mixture, double y, double times, NodeSlopes& slopes);

}  // namespace btg
