// Likelihood ratios of left-out censored rows against integrals over their intervals, and against
// refitting.
#include <cmath>
#include <limits>
#include <vector>

#include "btg/model/folds.hpp"
#include "btg/posterior/completed_nodes.hpp"
#include "btg/validation/left_out.hpp"
#include "btg/validation/left_out_intervals.hpp"
#include "btg/validation/left_out_naive.hpp"
#include "censored_model.hpp"
#include "check.hpp"

using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Random;
using problems::RandomModel;

namespace {

const double infinity = std::numeric_limits<double>::infinity();

MatrixXd some_nodes(const RandomModel& made, Random& random) {
  MatrixXd etas(made.model.size(), 3);
  for (int i = 0; i < 3; ++i) etas.col(i) = made.random_eta(random);
  return btg::complete_nodes(made.model, etas, VectorXd::Constant(3, 1.0 / 3.0), 6).etas;
}

}  // namespace

TEST("ratios integrate over intervals") {
  Random random(21);
  const RandomModel made = problems::censored_model(random, 2, -infinity, 5.0, 64);
  const MatrixXd etas = some_nodes(made, random);
  const int n = static_cast<int>(made.model.response.size());
  // Folds of one censored row, of both with an exact row, of exact rows.
  std::vector<int> fold_of_row(n, 2);
  fold_of_row[0] = 0;
  for (const bool together : {false, true}) {
    fold_of_row[1] = together ? 0 : 1;
    fold_of_row[2] = together ? 0 : 2;
    fold_of_row[3] = 1;
    const btg::Folds folds = btg::make_folds(fold_of_row, 3);
    const btg::LeftOut found = btg::leave_out(made.model, etas, folds, true);
    std::vector<double> difference;
    for (Eigen::Index i = 0; i < etas.cols(); ++i) {
      const VectorXd eta = etas.col(i);
      const std::vector<int> rows = folds.rows(0);
      const std::vector<int> censored = together ? std::vector<int>{0, 2} : std::vector<int>{0};
      // p(data without the fold) / integral of p(data) over the intervals, up to a constant.
      const double expected = problems::integrated_marginal(made, eta, {}, rows) -
                              problems::integrated_marginal(made, eta, censored, {});
      difference.push_back(found.log_marginal(i, 0) - found.full_log_marginal[i] - expected);
    }
    for (const double one : difference)
      CHECK_CLOSE(one - difference[0], 0.0, together ? 0.03 : 1e-8);
    CHECK(found.exact_rows[0] == (together ? 1.0 : 0.0));
  }
}

TEST("single rows agree with refits") {
  Random random(22);
  const RandomModel made = problems::censored_model(random, 1, 0.1, infinity, 64);
  const MatrixXd etas = some_nodes(made, random);
  const btg::Folds folds = btg::leave_one_out(static_cast<int>(made.model.response.size()));
  for (const bool observation : {true, false}) {
    const btg::LeftOut fast = btg::leave_out(made.model, etas, folds, observation);
    const btg::LeftOut slow = btg::leave_out_naive(made.model, etas, folds, observation);
    CHECK_CLOSE((fast.location - slow.location).cwiseAbs().maxCoeff(), 0.0, 1e-8);
    CHECK_CLOSE((fast.scale - slow.scale).cwiseAbs().maxCoeff(), 0.0, 1e-8);
    CHECK_CLOSE((fast.full_log_marginal - slow.full_log_marginal).cwiseAbs().maxCoeff(), 0.0, 1e-8);
    for (int fold = 0; fold < folds.count(); ++fold) {
      const VectorXd a = fast.log_marginal.col(fold) - fast.full_log_marginal;
      const VectorXd b = slow.log_marginal.col(fold) - slow.full_log_marginal;
      // Ratios of a fold may differ by a constant.
      const VectorXd off = (a - b).array() - (a - b)[0];
      CHECK_CLOSE(off.cwiseAbs().maxCoeff(), 0.0, 1e-7);
    }
  }
}

TEST("exact rows decide what can be left out") {
  Random random(23);
  RandomModel made = problems::censored_model(random, 2, -infinity, 5.0, 64);
  btg::Model& model = made.model;
  // Censor all but four rows; the trend has two columns.
  const int n = static_cast<int>(model.response.size());
  std::vector<int> rows;
  for (int row = 4; row < n; ++row) rows.push_back(row);
  const VectorXd upper = model.response.tail(n - 4);
  model.censored = btg::Censored(rows, VectorXd::Constant(n - 4, -infinity), upper);
  const MatrixXd etas = some_nodes(made, random);
  std::vector<int> fold_of_row(n, 1);
  fold_of_row[0] = fold_of_row[1] = 0;
  const btg::LeftOut found = btg::leave_out(model, etas, btg::make_folds(fold_of_row, 2), true);
  CHECK(found.status[0] == btg::FoldStatus::too_few_rows);
}
