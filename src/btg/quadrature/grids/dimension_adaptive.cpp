#include "btg/quadrature/grids/dimension_adaptive.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace btg {

DimensionAdaptiveGrid::DimensionAdaptiveGrid(const Target& target, LaplaceFrame frame,
                                             const Levels& levels, int most)
    : target_(target),
      frame_(std::move(frame)),
      most_(static_cast<std::size_t>(most)),
      indices_(static_cast<int>(levels.size())) {
  for (std::size_t l = 0; l < levels.size(); ++l) {
    ProductSum difference;
    difference.add({&levels[l]}, 1.0);
    if (l > 0) difference.add({&levels[l - 1]}, -1.0);
    const Grid merged = difference.grid(1);
    differences_.push_back({merged.points.row(0).transpose(), merged.weights});
  }
  insert({LevelIndex(target.dimension, 0)});
}

WeightedPoints DimensionAdaptiveGrid::result() const {
  const Eigen::Index size = static_cast<Eigen::Index>(nodes_.size());
  Eigen::MatrixXd x(target_.dimension, size);
  Eigen::VectorXd weights(size), log_ratios(size);
  WeightedPoints result;
  result.log_likelihood.resize(size);
  Eigen::Index count = 0;
  for (const auto& [point, node] : nodes_) {
    if (node.weight.is_zero()) continue;
    x.col(count) = as_vector(point);
    weights[count] = node.weight.sum;
    log_ratios[count] = node.log_ratio;
    result.log_likelihood[count++] = node.log_likelihood;
  }
  result.points = frame_.points(x.leftCols(count));
  result.log_likelihood.conservativeResize(count);
  set_weights(result, weights.head(count), log_ratios.head(count));
  return result;
}

void DimensionAdaptiveGrid::insert(const std::vector<LevelIndex>& indices) {
  std::vector<LevelIndex> accepted;
  std::set<Point> wanted;
  for (const LevelIndex& index : indices) {
    std::vector<Point> added;
    for_each_point(index, [&](const Point& x, double) {
      if (nodes_.count(x) + wanted.count(x) == 0) added.push_back(x);
    });
    if (nodes_.size() + wanted.size() + added.size() <= most_) {
      wanted.insert(added.begin(), added.end());
      accepted.push_back(index);
    } else {
      indices_.reject(index);
    }
  }
  evaluate(wanted);
  for (const LevelIndex& index : accepted) indices_.insert(index, accumulate(index));
}

void DimensionAdaptiveGrid::evaluate(const std::set<Point>& wanted) {
  if (wanted.empty()) return;
  Eigen::MatrixXd x(target_.dimension, wanted.size());
  Eigen::Index i = 0;
  for (const Point& point : wanted) x.col(i++) = as_vector(point);
  const Eigen::VectorXd log_likelihood = target_.log_likelihood(frame_.points(x));
  i = 0;
  for (const Point& point : wanted) {
    nodes_[point] = {log_likelihood[i], frame_.log_ratio(x.col(i), log_likelihood[i]), {}};
    ++i;
  }
}

double DimensionAdaptiveGrid::accumulate(const LevelIndex& index) {
  Eigen::ArrayXd terms = Eigen::ArrayXd::Zero(1 + 2 * target_.dimension);
  for_each_point(index, [&](const Point& point, double weight) {
    Node& node = nodes_.at(point);
    node.weight.add(weight);
    const Eigen::ArrayXd x = as_vector(point).array();
    const double excess = weight * std::expm1(std::min(node.log_ratio - frame_.log_mass, 700.0));
    terms[0] += excess;
    terms.segment(1, x.size()) += excess * x;
    terms.tail(x.size()) += excess * x.square();
  });
  return terms.abs().maxCoeff();
}

}  // namespace btg
