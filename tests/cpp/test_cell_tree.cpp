// Cells of points, with clusters, ties and outliers.
#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "btg/numerics/cell_tree.hpp"
#include "check.hpp"
#include "problems.hpp"

using btg::CellTree;
using Eigen::MatrixXd;
using problems::Random;

namespace {

// Every point is in one cell, which is not too large, and the ranges of parts add up.
void check_cells(const MatrixXd& points, int most) {
  const CellTree tree(points, most);
  std::vector<int> order = tree.order();
  std::sort(order.begin(), order.end());
  std::vector<int> all(points.cols());
  std::iota(all.begin(), all.end(), 0);
  CHECK(order == all);
  int next = 0;
  for (const auto& [first, end] : tree.ranges()) {
    CHECK(first == next && end - first <= most && (end > first || points.cols() == 0));
    next = end;
  }
  CHECK(next == points.cols());
  for (const CellTree::Node& node : tree.nodes()) {
    if (node.cell >= 0) continue;
    CHECK(tree.nodes()[node.left].first == node.first && tree.nodes()[node.right].end == node.end);
    CHECK(tree.nodes()[node.left].end == tree.nodes()[node.right].first);
  }
}

// Indicator columns of `levels` levels, `far` apart, below `d` columns of uniform numbers.
MatrixXd points_with_levels(Random& random, int d, int n, int levels, double far,
                            std::vector<int>& level) {
  MatrixXd points = MatrixXd::Zero(d + levels, n);
  points.topRows(d) = random.matrix(d, n, 0, 1);
  level.resize(n);
  for (int i = 0; i < n; ++i) {
    level[i] = random.integer(0, levels - 1);
    points(d + level[i], i) = far;
  }
  return points;
}

}  // namespace

TEST("cells hold every point once") {
  Random random(1);
  for (const int n : {0, 1, 2, 33, 500}) {
    for (const int d : {1, 4}) {
      for (const int most : {1, 7, 32}) check_cells(random.matrix(d, n), most);
    }
  }
}

TEST("points lie in their cells") {
  Random random(2);
  for (const int d : {1, 2, 6}) {
    const MatrixXd points = random.matrix(d, 400);
    const CellTree tree(points, 16);
    for (std::size_t c = 0; c < tree.ranges().size(); ++c) {
      for (int k = tree.ranges()[c].first; k < tree.ranges()[c].second; ++k) {
        CHECK(tree.cell_of(points.col(tree.order()[k])) == static_cast<int>(c));
      }
    }
  }
}

TEST("cells of evenly spread points are full and compact") {
  Random random(3);
  const MatrixXd points = random.matrix(2, 1024, 0, 1);
  const CellTree tree(points, 32);
  CHECK(tree.ranges().size() == 32);
  double squares = 0.0;
  for (const auto& [first, end] : tree.ranges()) {
    MatrixXd own(2, end - first);
    for (int k = first; k < end; ++k) own.col(k - first) = points.col(tree.order()[k]);
    const Eigen::Vector2d centre = own.rowwise().mean();
    squares += (own.colwise() - centre).squaredNorm();
  }
  // A square that holds 1 / 32 of the points has a mean squared radius of 1 / 192.
  CHECK(squares / 1024 < 1.5 / 192);
}

TEST("levels that are far apart share no cell, however many there are") {
  Random random(4);
  for (const int levels : {2, 8, 30}) {
    std::vector<int> level;
    const MatrixXd points = points_with_levels(random, 2, 40 * levels, levels, 20.0, level);
    const CellTree tree(points, 16);
    for (const auto& [first, end] : tree.ranges()) {
      std::set<int> found;
      for (int k = first; k < end; ++k) found.insert(level[tree.order()[k]]);
      CHECK(found.size() == 1);
    }
    // Cells are at least half full on average.
    CHECK(tree.ranges().size() <= 2 * static_cast<std::size_t>(40 * levels / 16 + 1));
  }
}

TEST("levels that hardly differ do not matter") {
  Random random(5);
  std::vector<int> level;
  const MatrixXd points = points_with_levels(random, 2, 512, 8, 1e-3, level);
  const CellTree tree(points, 32);
  CHECK(tree.ranges().size() == 16);
}

TEST("equal values are not divided if there is another cut") {
  Random random(6);
  MatrixXd points(2, 300);
  for (int i = 0; i < 300; ++i) {
    points(0, i) = 3.0 * random.integer(0, 4);  // few values
    points(1, i) = 7.0;                         // constant
  }
  const CellTree tree(points, 90);
  std::vector<std::set<int>> cells_of_value(5);
  for (std::size_t c = 0; c < tree.ranges().size(); ++c) {
    for (int k = tree.ranges()[c].first; k < tree.ranges()[c].second; ++k) {
      const int value = static_cast<int>(points(0, tree.order()[k]) / 3.0);
      cells_of_value[value].insert(static_cast<int>(c));
    }
  }
  for (const std::set<int>& cells : cells_of_value) CHECK(cells.size() == 1);
}

TEST("points at one place, far points and infinite ones have cells") {
  Random random(7);
  check_cells(MatrixXd::Constant(3, 100, 0.5), 8);
  MatrixXd points = random.matrix(2, 100);
  points(0, 3) = 1e300;
  points(1, 7) = std::numeric_limits<double>::infinity();
  check_cells(points, 8);
  MatrixXd growing(1, 200);
  for (int i = 0; i < 200; ++i) growing(0, i) = std::pow(2.0, i);
  check_cells(growing, 8);
}
