// New points, in the units of the model's inputs and trend.
#pragma once

#include <Eigen/Core>

namespace btg {

struct Points {
  Eigen::MatrixXd inputs;
  Eigen::MatrixXd trend;           // as the columns of M
  Eigen::VectorXd relative_noise;  // 1 / weight for an observation, 0 for the noise-free process
  Eigen::MatrixXd noise_columns;   // b(x) of noise.hpp, or nothing

  Eigen::Index size() const { return inputs.rows(); }

  Points middle(Eigen::Index first, Eigen::Index count) const {
    return {inputs.middleRows(first, count), trend.middleRows(first, count),
            relative_noise.segment(first, count),
            noise_columns.cols() == 0 ? Eigen::MatrixXd() : noise_columns.middleRows(first, count)};
  }
};

// All of the noise for observations of weight 1, none for the noise-free process.
inline Eigen::VectorXd equal_noise(Eigen::Index points, bool observation) {
  return Eigen::VectorXd::Constant(points, observation ? 1.0 : 0.0);
}

}  // namespace btg
