#include "btg/numerics/nearest_points.hpp"

#include <algorithm>
#include <limits>

namespace btg {

NearestPoints::NearestPoints(const Eigen::MatrixXd& points, const std::vector<int>& rank)
    : tree_(points, leaf_size), points_(points.rows(), points.cols()), rank_(rank.size()) {
  for (std::size_t k = 0; k < rank.size(); ++k) {
    points_.col(k) = points.col(tree_.order()[k]);
    rank_[k] = rank[tree_.order()[k]];
  }
  const int count = rank.empty() ? 0 : static_cast<int>(tree_.nodes().size());
  low_.resize(points.rows(), count);
  high_.resize(points.rows(), count);
  least_rank_.resize(count);
  // Children follow their parents.
  for (int id = count - 1; id >= 0; --id) {
    const CellTree::Node& node = tree_.nodes()[id];
    if (node.cell < 0) {
      low_.col(id) = low_.col(node.left).cwiseMin(low_.col(node.right));
      high_.col(id) = high_.col(node.left).cwiseMax(high_.col(node.right));
      least_rank_[id] = std::min(least_rank_[node.left], least_rank_[node.right]);
    } else {
      const auto inside = points_.middleCols(node.first, node.end - node.first);
      low_.col(id) = inside.rowwise().minCoeff();
      high_.col(id) = inside.rowwise().maxCoeff();
      least_rank_[id] = *std::min_element(rank_.begin() + node.first, rank_.begin() + node.end);
    }
  }
}

std::vector<int> NearestPoints::nearest(const Eigen::VectorXd& centre, int count, int limit) const {
  Search search{centre, limit, static_cast<std::size_t>(std::max(count, 0)), {}};
  if (count > 0 && !least_rank_.empty()) visit(0, 0.0, search);
  std::sort_heap(search.found.begin(), search.found.end());
  std::vector<int> result;
  for (const auto& [distance, point] : search.found) result.push_back(point);
  return result;
}

double NearestPoints::distance(const Eigen::VectorXd& centre, int id) const {
  const double *low = low_.col(id).data(), *high = high_.col(id).data();
  double sum = 0.0;
  for (Eigen::Index k = 0; k < centre.size(); ++k) {
    const double beyond = std::max({0.0, low[k] - centre[k], centre[k] - high[k]});
    sum += beyond * beyond;
  }
  // Rounds down, so that a box is never farther than its points.
  return sum * (1.0 - 1e-12);
}

void NearestPoints::visit(int id, double distance_to, Search& search) const {
  const auto hopeless = [&](double squared) {
    return search.found.size() == search.count && squared > search.found.front().first;
  };
  if (least_rank_[id] >= search.limit || hopeless(distance_to)) return;
  const CellTree::Node& node = tree_.nodes()[id];
  if (node.cell >= 0) return visit_leaf(node, search);
  const double left = distance(search.centre, node.left);
  const double right = distance(search.centre, node.right);
  if (left <= right) {
    visit(node.left, left, search);
    visit(node.right, right, search);
  } else {
    visit(node.right, right, search);
    visit(node.left, left, search);
  }
}

void NearestPoints::visit_leaf(const CellTree::Node& node, Search& search) const {
  for (int k = node.first; k < node.end; ++k) {
    if (rank_[k] >= search.limit) continue;
    const std::pair<double, int> candidate{(points_.col(k) - search.centre).squaredNorm(),
                                           tree_.order()[k]};
    if (search.found.size() == search.count) {
      if (!(candidate < search.found.front())) continue;
      std::pop_heap(search.found.begin(), search.found.end());
      search.found.pop_back();
    }
    search.found.push_back(candidate);
    std::push_heap(search.found.begin(), search.found.end());
  }
}

}  // namespace btg
