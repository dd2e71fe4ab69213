// The noise of a row of weight 1, relative to the process, as a function of where it is and of the
// hyperparameters of role `noise`: here the same everywhere,
//
//   v(x) = sigma2.
//
// A row of weight w has v(x) / w.
#pragma once

#include <Eigen/Core>

namespace btg {

class NoiseModel {
 public:
  // v at `count` places.
  static Eigen::VectorXd variance(Eigen::Index count, const double* noise) {
    return Eigen::VectorXd::Constant(count, noise[0]);
  }

  // From the slopes of a function in each v to its slopes in the coordinates, here log sigma2.
  static void gradient(const Eigen::VectorXd& slopes, const double* noise, double* out) {
    out[0] = noise[0] * slopes.sum();
  }
};

}  // namespace btg
