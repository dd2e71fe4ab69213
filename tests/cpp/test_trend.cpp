// The orthonormalised trend basis.
#include <string>

#include "btg/base/error.hpp"
#include "btg/model/trend.hpp"
#include "check.hpp"
#include "problems.hpp"

using btg::Trend;
using Eigen::MatrixXd;
using problems::Random;

namespace {

double largest(const MatrixXd& a) { return a.hasNaN() ? INFINITY : a.cwiseAbs().maxCoeff(); }

// The trends of p = 1, ..., 4 columns, plain and in units many orders apart.
template <class Body>
void for_each(Body body) {
  Random random(1);
  for (int p = 1; p <= 4; ++p) {
    for (double unit : {1.0, 1e4, 1e-6}) {
      MatrixXd columns = random.polynomial_trend(12, p);
      for (int k = 0; k < p; ++k) columns.col(k) *= std::pow(unit, k);
      body(columns);
    }
  }
}

std::string kind_of_error(const MatrixXd& columns) {
  try {
    Trend trend(columns);
  } catch (const btg::Error& error) {
    return error.kind;
  }
  return "";
}

}  // namespace

TEST("the basis is orthonormal and spans the columns") {
  for_each([](const MatrixXd& columns) {
    const Trend trend(columns);
    const MatrixXd& q = trend.basis();
    CHECK(q.rows() == columns.rows() && q.cols() == columns.cols());
    CHECK(largest(q.transpose() * q - MatrixXd::Identity(q.cols(), q.cols())) < 1e-14);
    for (int k = 0; k < columns.cols(); ++k) {
      const Eigen::VectorXd column = columns.col(k).normalized();
      CHECK(largest(column - q * (q.transpose() * column)) < 1e-14);
    }
  });
}

TEST("log_abs_det is half the log determinant of M'M") {
  for_each([](const MatrixXd& columns) {
    const problems::LongMatrix m = problems::widen(columns);
    const double expected =
        double(problems::log_abs_determinant(problems::transposed_times(m, m)) / 2);
    CHECK_CLOSE(Trend(columns).log_abs_det(), expected, 1e-12);
  });
}

TEST("to_basis takes rows of M to rows of the basis") {
  for_each([](const MatrixXd& columns) {
    const Trend trend(columns);
    CHECK(largest(trend.to_basis(columns) - trend.basis()) < 1e-12);
    CHECK(largest(trend.to_basis(columns.topRows(3)) - trend.basis().topRows(3)) < 1e-12);
    CHECK(trend.to_basis(columns.topRows(0)).rows() == 0);
  });
}

TEST("to_basis takes a new row to coordinates that give the same trend value") {
  Random random(2);
  for_each([&](const MatrixXd& columns) {
    const Trend trend(columns);
    const int p = int(columns.cols());
    // beta and its coordinates gamma describe one trend: M beta = basis gamma.
    const Eigen::VectorXd beta =
        random.matrix(p, 1).cwiseQuotient(columns.colwise().norm().transpose());
    const Eigen::VectorXd gamma = trend.basis().transpose() * (columns * beta);
    const MatrixXd rows = random.matrix(5, p) * columns.colwise().norm().asDiagonal();
    CHECK(largest(trend.to_basis(rows) * gamma - rows * beta) < 1e-11);
  });
}

TEST("a trend needs a column, and fewer of them than rows") {
  CHECK(kind_of_error(MatrixXd(5, 0)) == "trend");
  CHECK(kind_of_error(MatrixXd::Ones(1, 1)) == "trend");
  CHECK(kind_of_error(Random(3).matrix(4, 4)) == "trend");
  CHECK(kind_of_error(Random(3).matrix(4, 5)) == "trend");
  CHECK(kind_of_error(Random(3).matrix(4, 3)) == "");
  CHECK(kind_of_error(MatrixXd::Ones(2, 1)) == "");
}

TEST("a column of zeros is rank deficient") {
  MatrixXd columns = Random(4).polynomial_trend(8, 3);
  columns.col(1).setZero();
  CHECK(kind_of_error(columns) == "trend");
  CHECK(kind_of_error(MatrixXd::Zero(8, 1)) == "trend");
}

TEST("columns that are dependent to rounding are rank deficient") {
  Random random(5);
  for (int n : {5, 8, 30}) {
    MatrixXd columns = random.polynomial_trend(n, 3);
    columns.col(2) = columns.col(1);
    CHECK(kind_of_error(columns) == "trend");
    columns.col(2) = 1e6 * (columns.col(0) - 0.3 * columns.col(1));
    CHECK(kind_of_error(columns) == "trend");
  }
}
