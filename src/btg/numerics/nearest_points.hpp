// Finds nearest neighbours among the points of lower rank. Each node of a tree stores the box of
// its points and their least rank, so the search is exact and skips boxes that are too far or of
// higher rank. The tree's cuts follow clusters, so boxes are small with tied values too.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <utility>
#include <vector>

#include "btg/numerics/cell_tree.hpp"

namespace btg {

class NearestPoints {
 public:
  // Points are columns; `rank` has one entry per point.
  NearestPoints(const Eigen::MatrixXd& points, const std::vector<int>& rank);

  // Returns at most `count` points of rank below `limit`, nearest first. Ties go to the lower
  // index.
  std::vector<int> nearest(const Eigen::VectorXd& centre, int count, int limit) const;

 private:
  static constexpr int leaf_size = 12;

  struct Search {
    const Eigen::VectorXd& centre;
    int limit;
    std::size_t count;
    std::vector<std::pair<double, int>> found;  // a heap with the farthest on top
  };

  // Squared distance from a point to the box of a node.
  double distance(const Eigen::VectorXd& centre, int id) const;

  // `distance` is to the box of the node.
  void visit(int id, double distance, Search& search) const;

  void visit_leaf(const CellTree::Node& node, Search& search) const;

  CellTree tree_;
  Eigen::MatrixXd points_;       // in the order of the tree
  std::vector<int> rank_;        // in the same order
  Eigen::MatrixXd low_, high_;   // corners of the boxes, one column per node
  std::vector<int> least_rank_;  // of each node
};

}  // namespace btg
