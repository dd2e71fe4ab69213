// Scrambled Sobol points in the open unit cube, identical on every machine.
#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace btg {

// Returns points `first`, ..., `first + count - 1` of the sequence as columns.
Eigen::MatrixXd sobol_points(int dimension, int count, int first = 0, std::uint64_t seed = 0);

}  // namespace btg
