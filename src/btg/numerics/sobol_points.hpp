// Scrambled Sobol points in the open unit cube, the same on every machine.
#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace btg {

// Columns are points `first`, ..., `first + count - 1` of the scrambled sequence.
Eigen::MatrixXd sobol_points(int dimension, int count, int first = 0, std::uint64_t seed = 0);

}  // namespace btg
