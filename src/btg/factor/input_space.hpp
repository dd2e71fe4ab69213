// The kernel's distances between inputs, as distances in a Euclidean space, for searches of nearby
// points.
#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "btg/factor/covariance.hpp"

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
  // Lengthscales of the columns of the inputs. Columns whose lengthscale is infinite are left out.
  explicit InputSpace(Eigen::RowVectorXd scales, std::vector<Levels> factors = {},
                      std::vector<InputMap> input_maps = {})
      : length_scales(std::move(scales)), levels(std::move(factors)), maps(std::move(input_maps)) {}

  // Returns points x coordinates. After the maps, a column of numbers is divided by its
  // lengthscale; a column of levels becomes one coordinate per level, all 0 for a new one.
  Eigen::MatrixXd coordinates(const Eigen::MatrixXd& points) const;

  Eigen::RowVectorXd length_scales;
  std::vector<Levels> levels;
  std::vector<InputMap> maps;
};

// The space in which near points are those with a large covariance. To first order, squared
// distances of terms add with their shares. Terms of low rank are left out, because V has them
// exactly.
InputSpace space_of(const Covariance& covariance, std::vector<Levels> factors);

}  // namespace btg
