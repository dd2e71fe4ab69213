// Points that stand for many: those nearest to the centres of k-means.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace btg {

// `count` of the numbers from 0 to n - 1 in increasing order, scattered without a pattern that rows
// may have as well, and the same for the same seed.
std::vector<int> scattered_subset(int n, int count, std::uint64_t seed = 0);

// At most `count` numbers of columns of `points`, in increasing order.
std::vector<int> spread_points(const Eigen::MatrixXd& points, int count, std::uint64_t seed);

}  // namespace btg
