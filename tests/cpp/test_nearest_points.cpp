// Nearest neighbours of low rank against a look at all points.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "btg/numerics/nearest_points.hpp"
#include "check.hpp"
#include "problems.hpp"

using btg::NearestPoints;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Random;

namespace {

// Sorted by distance, then by number.
std::vector<int> brute_force(const MatrixXd& points, const std::vector<int>& rank,
                             const VectorXd& centre, int count, int limit) {
  std::vector<std::pair<double, int>> all;
  for (int i = 0; i < points.cols(); ++i) {
    double squares = 0;
    for (int k = 0; k < points.rows(); ++k) squares += std::pow(points(k, i) - centre[k], 2);
    if (rank[i] < limit) all.emplace_back(squares, i);
  }
  std::sort(all.begin(), all.end());
  std::vector<int> result;
  for (int i = 0; i < std::min<int>(count, static_cast<int>(all.size())); ++i) {
    result.push_back(all[i].second);
  }
  return result;
}

std::vector<int> shuffled(Random& random, int n) {
  std::vector<int> rank(n);
  std::iota(rank.begin(), rank.end(), 0);
  for (int i = n - 1; i > 0; --i) std::swap(rank[i], rank[random.integer(0, i)]);
  return rank;
}

// A tree of the points against brute force, at its own points and at others.
void check_tree(Random& random, const MatrixXd& points, const std::vector<int>& rank) {
  const int n = static_cast<int>(points.cols()), d = static_cast<int>(points.rows());
  const NearestPoints tree(points, rank);
  for (int trial = 0; trial < 40; ++trial) {
    VectorXd centre = random.matrix(d, 1, -3, 3);
    if (n > 0 && trial % 2 == 0) centre = points.col(random.integer(0, n - 1));
    const int count = random.integer(0, std::min(n + 2, 40)), limit = random.integer(-1, n + 1);
    CHECK(tree.nearest(centre, count, limit) == brute_force(points, rank, centre, count, limit));
  }
}

}  // namespace

TEST("the nearest of lower rank are those of a look at all") {
  Random random(1);
  for (const int d : {1, 2, 3, 8}) {
    for (const int n : {1, 2, 12, 13, 14, 100, 700}) {
      check_tree(random, random.matrix(d, n, -2, 2), shuffled(random, n));
    }
  }
}

TEST("of equally near points, those of lower number come first") {
  Random random(2);
  for (const int d : {1, 2, 3}) {
    // A grid of integers, with points that coincide.
    MatrixXd points(d, 300);
    for (int i = 0; i < points.size(); ++i) points.data()[i] = random.integer(-2, 2);
    check_tree(random, points, shuffled(random, 300));
    check_tree(random, MatrixXd::Ones(d, 50), shuffled(random, 50));
  }
}

TEST("ranks may be equal, and need not begin at 0") {
  Random random(3);
  const MatrixXd points = random.matrix(3, 200);
  std::vector<int> rank(200);
  for (int& one : rank) one = random.integer(-5, 5);
  const NearestPoints tree(points, rank);
  for (const int limit : {-6, -5, -4, 0, 5, 6}) {
    const VectorXd centre = random.matrix(3, 1);
    CHECK(tree.nearest(centre, 20, limit) == brute_force(points, rank, centre, 20, limit));
  }
  check_tree(random, points, std::vector<int>(200, 0));
}

TEST("inputs of very different spread") {
  Random random(4);
  MatrixXd points = random.matrix(4, 400);
  points.row(1) *= 1e8;
  points.row(2) *= 1e-8;
  check_tree(random, points, shuffled(random, 400));
}

TEST("no points, no neighbours, none of so low a rank") {
  const NearestPoints empty(MatrixXd(2, 0), {});
  CHECK(empty.nearest(Eigen::Vector2d(0, 0), 3, 10).empty());
  Random random(5);
  const NearestPoints tree(random.matrix(2, 30), shuffled(random, 30));
  CHECK(tree.nearest(Eigen::Vector2d(0, 0), 0, 30).empty());
  CHECK(tree.nearest(Eigen::Vector2d(0, 0), 5, 0).empty());
  CHECK(tree.nearest(Eigen::Vector2d(0, 0), 1000, 30).size() == 30);
}

TEST("a point that is infinitely far comes last") {
  Random random(6);
  MatrixXd points = random.matrix(2, 40);
  points(0, 7) = std::numeric_limits<double>::infinity();
  const std::vector<int> rank = shuffled(random, 40);
  const NearestPoints tree(points, rank);
  const VectorXd centre = Eigen::Vector2d(0.1, 0.2);
  const std::vector<int> all = tree.nearest(centre, 40, 40);
  CHECK(all == brute_force(points, rank, centre, 40, 40));
  CHECK(all.size() == 40 && all.back() == 7);
}
