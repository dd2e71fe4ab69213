// Nonnegative least squares: optimality conditions and closed forms.
#include <cmath>
#include <vector>

#include "btg/numerics/nonnegative_path.hpp"
#include "check.hpp"
#include "problems.hpp"

using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Random;

namespace {

MatrixXd random_matrix(int rows, int columns, Random& random) {
  MatrixXd a(rows, columns);
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) a(i, j) = random.uniform(-1, 1);
  }
  return a;
}

int positive(const VectorXd& x) { return static_cast<int>((x.array() > 0.0).count()); }

}  // namespace

TEST("the end of the path is the minimum: x >= 0, gradient >= 0 and zero where x > 0") {
  for (int seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    const int rows = 5 + seed, columns = 3 + 2 * seed;
    const MatrixXd a = random_matrix(rows, columns, random);
    const VectorXd b = random_matrix(rows, 1, random);
    btg::NonnegativePath path(a.transpose() * a, a.transpose() * b);
    while (path.extend()) {
    }
    const VectorXd x = path.solution(), gradient = a.transpose() * (a * x - b);
    CHECK(x.minCoeff() >= 0.0);
    CHECK(gradient.minCoeff() > -1e-7);
    CHECK(std::abs(gradient.dot(x)) < 1e-7);
  }
}

TEST("on the way, few columns are used, at their own minimum, and the error decreases") {
  Random random(7);
  const MatrixXd a = random_matrix(20, 60, random);
  const VectorXd b = a * random_matrix(60, 1, random).cwiseAbs() / 60.0;
  btg::NonnegativePath path(a.transpose() * a, a.transpose() * b);
  double before = b.squaredNorm();
  int steps = 0;
  while (path.extend()) {
    const VectorXd& x = path.solution();
    const double now = (a * x - b).squaredNorm();
    CHECK(now < before + 1e-12);
    before = now;
    CHECK(positive(x) <= ++steps);
    CHECK(positive(x) == static_cast<int>(path.used().size()));
    for (const Eigen::Index j : path.used()) CHECK(std::abs(a.col(j).dot(a * x - b)) < 1e-7);
  }
  // b is in the cone of the columns, so Caratheodory's theorem gives an exact sparse solution.
  CHECK(before < 1e-8);
  CHECK(positive(path.solution()) <= 20);
}

TEST("with orthogonal columns the solution is the positive part of the projections") {
  const VectorXd c = (VectorXd(4) << 2.0, -1.0, 0.5, -3.0).finished();
  btg::NonnegativePath path(MatrixXd::Identity(4, 4), c);
  CHECK(path.extend());
  CHECK(std::abs(path.solution()[0] - 2.0) < 1e-9 && positive(path.solution()) == 1);
  while (path.extend()) {
  }
  CHECK((path.solution() - c.cwiseMax(0.0)).norm() < 1e-9);
}

TEST("equal columns and negative targets do no harm") {
  btg::NonnegativePath equal(MatrixXd::Ones(3, 3), VectorXd::Ones(3));
  while (equal.extend()) {
  }
  CHECK(std::abs(equal.solution().sum() - 1.0) < 1e-6);
  btg::NonnegativePath none(MatrixXd::Identity(2, 2), -VectorXd::Ones(2));
  CHECK(!none.extend());
  CHECK(none.solution().isZero());
}
