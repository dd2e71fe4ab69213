// Chooses representative points: those nearest to k-means centres.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace btg {

// Draws `count` of 0, ..., n - 1 pseudo-randomly, so that no pattern in the rows can match. The
// result is increasing and depends only on the arguments.
std::vector<int> scattered_subset(int n, int count, std::uint64_t seed = 0);

// Returns the indices of at most `count` columns of `points`, in increasing order.
std::vector<int> spread_points(const Eigen::MatrixXd& points, int count, std::uint64_t seed);

}  // namespace btg
