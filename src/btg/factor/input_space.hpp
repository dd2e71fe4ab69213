// The kernel's distances between inputs, as distances in a Euclidean space, for searches of nearby
// points.
#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

namespace btg {

// A column that holds the levels of a factor as codes 1, ..., count. All pairs of different levels
// have the same squared distance, before division by the squared lengthscale.
struct Levels {
  int column, count;
  double squared_distance;
};

// Returns the levels that a column holds, or null if it holds numbers.
inline const Levels* levels_of(const std::vector<Levels>& levels, Eigen::Index column) {
  for (const Levels& one : levels) {
    if (one.column == column) return &one;
  }
  return nullptr;
}

struct InputSpace {
  // Lengthscales of the columns of the inputs.
  explicit InputSpace(Eigen::RowVectorXd scales, std::vector<Levels> factors = {})
      : length_scales(std::move(scales)), levels(std::move(factors)) {}

  // Returns points x coordinates. A column of numbers is divided by its lengthscale; a column of
  // levels becomes one coordinate per level.
  Eigen::MatrixXd coordinates(const Eigen::MatrixXd& inputs) const;

  Eigen::RowVectorXd length_scales;
  std::vector<Levels> levels;
};

}  // namespace btg
