// Finds nearest neighbours among the points of lower rank. Each subtree stores its least rank, so
// the search is exact and skips subtrees of higher rank.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <utility>
#include <vector>

namespace btg {

class KdTree {
 public:
  // Points are columns; `rank` has one entry per point.
  KdTree(Eigen::MatrixXd points, std::vector<int> rank);

  // Returns at most `count` points of rank below `limit`, nearest first. Ties go to the lower
  // index.
  std::vector<int> nearest(const Eigen::VectorXd& centre, int count, int limit) const;

 private:
  static constexpr int leaf_size = 12;

  struct Node {
    int first, end;   // range of order_
    int left, right;  // children, or -1
    int axis;
    double split;
    int least_rank;
  };

  struct Search {
    const Eigen::VectorXd& centre;
    int limit;
    std::size_t count;
    std::vector<std::pair<double, int>> found;  // a heap with the farthest on top
    Eigen::VectorXd beyond;                     // squared distance to the cell along each axis
  };

  int build(int first, int end);

  void visit(int id, double distance, Search& search) const;

  void visit_leaf(const Node& node, Search& search) const;

 public:
  // Returns the coordinate in which the points order[first], ..., order[end - 1] spread most.
  static int widest_axis(const Eigen::MatrixXd& points, const std::vector<int>& order, int first,
                         int end);

  // Puts the points with the smallest coordinates before `middle`.
  static void split_at(const Eigen::MatrixXd& points, std::vector<int>& order, int first,
                       int middle, int end, int axis);

 private:
  Eigen::MatrixXd points_;
  std::vector<int> rank_, order_;
  std::vector<Node> nodes_;
};

}  // namespace btg
