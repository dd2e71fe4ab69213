#include "btg/numerics/kd_tree.hpp"

#include <algorithm>
#include <numeric>

namespace btg {

KdTree::KdTree(Eigen::MatrixXd points, std::vector<int> rank)
    : points_(std::move(points)), rank_(std::move(rank)), order_(rank_.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  if (!order_.empty()) build(0, static_cast<int>(order_.size()));
}

std::vector<int> KdTree::nearest(const Eigen::VectorXd& centre, int count, int limit) const {
  Search search{
      centre, limit, static_cast<std::size_t>(count), {}, Eigen::VectorXd::Zero(centre.size())};
  if (count > 0 && !nodes_.empty()) visit(0, 0.0, search);
  std::sort_heap(search.found.begin(), search.found.end());
  std::vector<int> result;
  for (const auto& [distance, point] : search.found) result.push_back(point);
  return result;
}

int KdTree::build(int first, int end) {
  const int id = static_cast<int>(nodes_.size());
  nodes_.push_back({first, end, -1, -1, 0, 0.0, 0});
  if (end - first <= leaf_size) {
    std::sort(order_.begin() + first, order_.begin() + end,
              [&](int a, int b) { return std::pair(rank_[a], a) < std::pair(rank_[b], b); });
    nodes_[id].least_rank = rank_[order_[first]];
    return id;
  }
  const int axis = widest_axis(points_, order_, first, end), middle = (first + end) / 2;
  split_at(points_, order_, first, middle, end, axis);
  const double split = points_(axis, order_[middle]);
  const int left = build(first, middle), right = build(middle, end);
  nodes_[id] = {first,
                end,
                left,
                right,
                axis,
                split,
                std::min(nodes_[left].least_rank, nodes_[right].least_rank)};
  return id;
}

void KdTree::visit(int id, double distance, Search& search) const {
  const Node& node = nodes_[id];
  if (node.least_rank >= search.limit) return;
  if (node.left < 0) return visit_leaf(node, search);
  const double beyond = search.centre[node.axis] - node.split;
  visit(beyond < 0.0 ? node.left : node.right, distance, search);
  const double before = search.beyond[node.axis];
  const double farther = distance - before + beyond * beyond;
  if (search.found.size() < search.count || farther <= search.found.front().first) {
    search.beyond[node.axis] = beyond * beyond;
    visit(beyond < 0.0 ? node.right : node.left, farther, search);
    search.beyond[node.axis] = before;
  }
}

void KdTree::visit_leaf(const Node& node, Search& search) const {
  for (int k = node.first; k < node.end && rank_[order_[k]] < search.limit; ++k) {
    const int point = order_[k];
    const std::pair<double, int> candidate{(points_.col(point) - search.centre).squaredNorm(),
                                           point};
    if (search.found.size() == search.count) {
      if (!(candidate < search.found.front())) continue;
      std::pop_heap(search.found.begin(), search.found.end());
      search.found.pop_back();
    }
    search.found.push_back(candidate);
    std::push_heap(search.found.begin(), search.found.end());
  }
}

int KdTree::widest_axis(const Eigen::MatrixXd& points, const std::vector<int>& order, int first,
                        int end) {
  Eigen::VectorXd low = points.col(order[first]), high = low;
  for (int k = first + 1; k < end; ++k) {
    low = low.cwiseMin(points.col(order[k]));
    high = high.cwiseMax(points.col(order[k]));
  }
  Eigen::Index axis;
  (high - low).maxCoeff(&axis);
  return static_cast<int>(axis);
}

void KdTree::split_at(const Eigen::MatrixXd& points, std::vector<int>& order, int first, int middle,
                      int end, int axis) {
  std::nth_element(
      order.begin() + first, order.begin() + middle, order.begin() + end,
      [&](int a, int b) { return std::pair(points(axis, a), a) < std::pair(points(axis, b), b); });
}

}  // namespace btg
