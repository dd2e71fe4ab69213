#include "btg/factor/input_space.hpp"

#include <cmath>

namespace btg {

Eigen::MatrixXd InputSpace::coordinates(const Eigen::MatrixXd& inputs) const {
  Eigen::Index columns = inputs.cols();
  for (const Levels& one : levels) columns += one.count - 1;
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(inputs.rows(), columns);
  Eigen::Index to = 0;
  for (Eigen::Index from = 0; from < inputs.cols(); ++from) {
    const Levels* factor = levels_of(levels, from);
    if (!factor) {
      result.col(to++) = inputs.col(from) / length_scales[from];
      continue;
    }
    // Indicators of two levels differ in two coordinates.
    const double indicator = std::sqrt(0.5 * factor->squared_distance) / length_scales[from];
    for (Eigen::Index i = 0; i < inputs.rows(); ++i) {
      result(i, to + static_cast<Eigen::Index>(inputs(i, from)) - 1) = indicator;
    }
    to += factor->count;
  }
  return result;
}

}  // namespace btg
