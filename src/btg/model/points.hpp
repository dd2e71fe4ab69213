// New points, in the units of the model's inputs and trend.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "btg/base/select_rows.hpp"

namespace btg {

struct Points {
  Eigen::MatrixXd inputs;
  Eigen::MatrixXd trend;           // columns as in M
  Eigen::VectorXd relative_noise;  // 1 / weight for an observation, 0 for the noise-free process
  Eigen::MatrixXd noise_columns;   // b(x) in noise.hpp, or empty
  // The names of terms, to predict their sum instead of the process; see model.hpp.
  std::optional<std::vector<std::string>> terms = std::nullopt;

  Eigen::Index size() const { return inputs.rows(); }

  Points at(const std::vector<int>& some) const {
    return {select_rows(inputs, some), select_rows(trend, some), select_rows(relative_noise, some),
            noise_columns.cols() == 0 ? Eigen::MatrixXd() : select_rows(noise_columns, some),
            terms};
  }
};

// Derivatives of the inputs, trend and noise columns of points in one variable.
struct Direction {
  Eigen::MatrixXd inputs, trend, noise_columns;

  Direction at(const std::vector<int>& some) const {
    return {select_rows(inputs, some), select_rows(trend, some),
            noise_columns.cols() == 0 ? Eigen::MatrixXd() : select_rows(noise_columns, some)};
  }
};

// Relative noise: 1 for observations of weight 1, 0 for the noise-free process.
inline Eigen::VectorXd equal_noise(Eigen::Index points, bool observation) {
  return Eigen::VectorXd::Constant(points, observation ? 1.0 : 0.0);
}

}  // namespace btg
