// Partitions into folds, and what the trend says of them.
#include <limits>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/base/select_rows.hpp"
#include "btg/model/folds.hpp"
#include "check.hpp"
#include "problems.hpp"

using btg::Folds;
using btg::FoldStatus;
using Eigen::MatrixXd;
using Indices = std::vector<int>;

namespace {

// By Gram and Schmidt, twice: once loses digits of columns that are nearly dependent.
MatrixXd orthonormal(MatrixXd columns) {
  for (int k = 0; k < columns.cols(); ++k) {
    for (int repeat = 0; repeat < 2; ++repeat) {
      for (int j = 0; j < k; ++j) {
        columns.col(k) -= columns.col(j).dot(columns.col(k)) * columns.col(j);
      }
      columns.col(k) /= columns.col(k).norm();
    }
  }
  return columns;
}

std::vector<FoldStatus> check_columns(const MatrixXd& columns, const Folds& folds) {
  return btg::check_folds(orthonormal(columns), folds);
}

}  // namespace

TEST("rows by fold, and all others") {
  const Folds folds = btg::make_folds({2, 0, 1, 0, 2}, 3);
  CHECK(folds.count() == 3);
  CHECK(folds.order == Indices({1, 3, 2, 0, 4}));
  CHECK(folds.rows(0) == Indices({1, 3}) && folds.kept(0) == Indices({0, 2, 4}));
  CHECK(folds.rows(1) == Indices({2}) && folds.kept(1) == Indices({0, 1, 3, 4}));
  CHECK(folds.rows(2) == Indices({0, 4}) && folds.kept(2) == Indices({1, 2, 3}));
  for (int fold = 0; fold < 3; ++fold) CHECK(folds.size(fold) == int(folds.rows(fold).size()));
}

TEST("leaving out one row is a fold for each") {
  const Folds one = btg::leave_one_out(4), same = btg::make_folds({0, 1, 2, 3}, 4);
  CHECK(one.order == same.order && one.first == same.first);
}

TEST("folds are a partition") {
  CHECK_THROWS(btg::make_folds({0, 0, 2}, 3), btg::Error);
  CHECK_THROWS(btg::make_folds({0, 1, 2}, 2), btg::Error);
  CHECK_THROWS(btg::make_folds({0, 1, -1}, 2), btg::Error);
}

TEST("rows of a matrix and of a vector") {
  MatrixXd matrix(3, 2);
  matrix << 1, 2, 3, 4, 5, 6;
  MatrixXd expected(2, 2);
  expected << 5, 6, 1, 2;
  CHECK(btg::select_rows(matrix, {2, 0}) == expected);
  CHECK(btg::select_rows(Eigen::VectorXd(matrix.col(1)), {1}) == Eigen::VectorXd::Constant(1, 4));
}

TEST("a level of a factor that only one fold has") {
  MatrixXd trend(8, 3);
  trend.setOnes();
  trend.col(1) << 0, 0, 1, 1, 1, 0, 0, 0;
  trend.col(2) << 0, 0, 0, 0, 0, 1, 1, 0;
  CHECK(check_columns(trend, btg::leave_one_out(8)) ==
        std::vector<FoldStatus>(8, FoldStatus::predicted));
  // The last fold has all rows with neither, the second all with the first indicator.
  const std::vector<FoldStatus> status =
      check_columns(trend, btg::make_folds({2, 2, 1, 1, 1, 0, 3, 2}, 4));
  CHECK(status[0] == FoldStatus::predicted && status[3] == FoldStatus::predicted);
  CHECK(status[1] == FoldStatus::undetermined_trend);
  CHECK(status[2] == FoldStatus::undetermined_trend);
}

TEST("leverage near 1 is not 1") {
  problems::Random random(1);
  for (double far : {1e3, 1e6, 1e9}) {
    MatrixXd trend = random.polynomial_trend(10, 2);
    trend(6, 1) = far;
    CHECK(check_columns(trend, btg::leave_one_out(10)) ==
          std::vector<FoldStatus>(10, FoldStatus::predicted));
  }
}

TEST("too few rows come first") {
  const MatrixXd trend = problems::Random(2).polynomial_trend(5, 3);
  const std::vector<FoldStatus> status = check_columns(trend, btg::make_folds({0, 0, 1, 2, 2}, 3));
  CHECK(status[0] == FoldStatus::too_few_rows && status[2] == FoldStatus::too_few_rows);
  CHECK(status[1] == FoldStatus::predicted);
}
