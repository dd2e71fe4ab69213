#include "btg/numerics/spread_points.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "btg/numerics/nearest_points.hpp"

namespace btg {

std::vector<int> scattered_subset(int n, int count, std::uint64_t seed) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (int i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::swap(order[i], order[i + static_cast<int>((state >> 33) % (n - i))]);
  }
  order.resize(count);
  std::sort(order.begin(), order.end());
  return order;
}

std::vector<int> spread_points(const Eigen::MatrixXd& points, int count, std::uint64_t seed) {
  const int n = static_cast<int>(points.cols()), most = 5000, steps = 5;
  if (count >= n) return scattered_subset(n, n);
  if (count <= 0) return {};
  const std::vector<int> some = scattered_subset(n, std::min(n, std::max(most, count)), seed);
  const int size = static_cast<int>(some.size());
  Eigen::MatrixXd sample(points.rows(), size), centres(points.rows(), count);
  for (int i = 0; i < size; ++i) sample.col(i) = points.col(some[i]);
  const std::vector<int> first = scattered_subset(size, count, seed + 1);
  for (int k = 0; k < count; ++k) centres.col(k) = sample.col(first[k]);
  for (int step = 0; step < steps; ++step) {
    const NearestPoints tree(centres, std::vector<int>(count, 0));
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(points.rows(), count);
    Eigen::VectorXd sizes = Eigen::VectorXd::Zero(count);
    for (int i = 0; i < size; ++i) {
      const int nearest = tree.nearest(sample.col(i), 1, 1).front();
      sums.col(nearest) += sample.col(i);
      sizes[nearest] += 1.0;
    }
    for (int k = 0; k < count; ++k) {
      if (sizes[k] > 0.0) centres.col(k) = sums.col(k) / sizes[k];
    }
  }
  const NearestPoints tree(sample, std::vector<int>(size, 0));
  std::vector<int> chosen;
  for (int k = 0; k < count; ++k) {
    chosen.push_back(some[tree.nearest(centres.col(k), 1, 1).front()]);
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace btg
