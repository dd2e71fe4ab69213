// Folds left out where little is left: few rows, a trend that is not determined, exact fits,
// outliers, a singular K.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "btg/model/folds.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/validation/left_out.hpp"
#include "btg/validation/left_out_naive.hpp"
#include "check.hpp"
#include "left_out_refits.hpp"

using btg::Folds;
using btg::FoldStatus;
using btg::LeftOut;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Random;
using problems::RandomModel;
using refits::check_errors;
using refits::columns;
using refits::errors;
using refits::random_problem_of;
using refits::Refit;

namespace {

const double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST("from six rows, with as few degrees of freedom as there can be") {
  Random random(4);
  for (int p = 1; p <= 4; ++p) {
    const RandomModel problem = random_problem_of(random, problems::kernels()[0], 6, p);
    const VectorXd eta = problem.random_eta(random);
    const Folds folds = btg::leave_one_out(6);
    const LeftOut left_out = btg::leave_out(problem.model, eta, folds, true);
    CHECK((left_out.degrees_of_freedom.array() == 5 - p).all());
    check_errors(errors(problem, eta, folds, left_out, 0, true), 1e-9);
  }
}

TEST("the floor of the noise stays when rows are left out") {
  Random random(8);
  for (const btg_compute::Kernel& kernel : problems::kernels()) {
    RandomModel problem = random_problem_of(random, kernel, 12);
    problem.model.inputs.row(1) = problem.model.inputs.row(0);
    VectorXd eta = problem.random_eta(random);
    eta[problem.noise_index()] = 1e-18;
    problem.model.noise.set_floor(1e-10);
    const Folds folds = btg::leave_one_out(12);
    const LeftOut fast = btg::leave_out(problem.model, eta, folds, true);
    const LeftOut naive = btg::leave_out_naive(problem.model, eta, folds, true);
    // One twin predicts the other with a variance of the size of the floor: a small difference of
    // numbers near 1, so less accurate.
    const double scale = fast.scale.maxCoeff();
    for (const LeftOut* left_out : {&fast, &naive}) {
      for (int i = 0; i < 12; ++i) {
        const Refit refit(problem, eta, {i}, true);
        CHECK_CLOSE((left_out->location(0, i) - refit.location[0]) / scale, 0, 1e-5);
        CHECK_CLOSE(left_out->log_marginal(0, i), refit.log_marginal, 1e-5);
        CHECK_CLOSE(left_out->scale(0, i) / refit.scale[0], 1, i <= 1 ? 1e-2 : 1e-5);
      }
    }
  }
}

TEST("a fold without which the trend is rank deficient") {
  Random random(9);
  RandomModel problem = random_problem_of(random, problems::kernels()[0], 10, 2);
  problem.trend.col(1).setZero();
  problem.trend(3, 1) = 1;  // an indicator of row 3
  problem.model.trend = btg::Trend(problem.trend);
  const VectorXd eta = problem.random_eta(random);
  const std::vector<int> groups{0, 1, 1, 2, 2, 0, 3, 3, 3, 3};
  for (const Folds& folds : {btg::leave_one_out(10), btg::make_folds(groups, 4)}) {
    const LeftOut fast = btg::leave_out(problem.model, eta, folds, true);
    const LeftOut naive = btg::leave_out_naive(problem.model, eta, folds, true);
    for (int fold = 0; fold < folds.count(); ++fold) {
      const std::vector<int> rows = folds.rows(fold);
      const bool bad = std::count(rows.begin(), rows.end(), 3) > 0;
      CHECK(fast.status[fold] == (bad ? FoldStatus::undetermined_trend : FoldStatus::predicted));
      CHECK(naive.status[fold] == fast.status[fold]);
      CHECK((fast.log_marginal(0, fold) == -infinity) == bad);
      for (int row : rows) {
        CHECK(std::isnan(fast.location(0, row)) == bad && std::isnan(fast.scale(0, row)) == bad);
        CHECK(std::isnan(naive.location(0, row)) == bad);
      }
      if (!bad) {
        const Refit refit(problem, eta, rows, true);
        CHECK_CLOSE(fast.log_marginal(0, fold), refit.log_marginal, 1e-9);
        CHECK_CLOSE(fast.location(0, rows[0]), refit.location[0], 1e-9);
      }
    }
  }
}

TEST("a row of very high leverage is still predicted") {
  Random random(10);
  RandomModel problem = random_problem_of(random, problems::kernels()[0], 12, 2);
  const VectorXd eta = problem.random_eta(random);
  const Folds folds = btg::leave_one_out(12);
  for (double far : {1e2, 1e4}) {
    problem.trend(5, 1) = far;
    problem.model.trend = btg::Trend(problem.trend);
    const LeftOut left_out = btg::leave_out(problem.model, eta, folds, true);
    check_errors(errors(problem, eta, folds, left_out, 0, true), 1e-15 * far * far + 1e-11);
  }
}

TEST("too few rows") {
  Random random(11);
  const RandomModel problem = random_problem_of(random, problems::kernels()[0], 7, 3);
  const VectorXd eta = problem.random_eta(random);
  const Folds folds = btg::make_folds({0, 0, 0, 0, 1, 1, 1}, 2);
  for (const LeftOut& left_out : {btg::leave_out(problem.model, eta, folds, true),
                                  btg::leave_out_naive(problem.model, eta, folds, true)}) {
    CHECK(left_out.degrees_of_freedom[0] == 0 && left_out.degrees_of_freedom[1] == 1);
    CHECK(left_out.status[0] == FoldStatus::too_few_rows);
    CHECK(left_out.status[1] == FoldStatus::predicted);
    CHECK(std::isnan(left_out.location(0, 0)) && std::isfinite(left_out.location(0, 5)));
    CHECK(left_out.log_marginal(0, 0) == -infinity);
  }
  const Folds all = btg::make_folds(std::vector<int>(7, 0), 1);
  CHECK(btg::leave_out(problem.model, eta, all, true).status[0] == FoldStatus::too_few_rows);
}

TEST("rows that the trend fits exactly without one of them") {
  Random random(12);
  for (const btg_compute::Kernel& kernel : problems::kernels()) {
    for (double noise : {1e-6, 1e-2, 1.0}) {
      for (int n : {8, 40}) {
        for (int p : {1, 3}) {
          RandomModel problem = random_problem_of(random, kernel, n, p, {"identity"});
          problem.model.response = 3 * problem.trend.rowwise().sum();
          problem.model.response[4] += 1;
          VectorXd eta = problem.random_eta(random);
          eta[problem.noise_index()] = noise;
          const Folds folds = btg::leave_one_out(n);
          for (const LeftOut& left_out : {btg::leave_out(problem.model, eta, folds, true),
                                          btg::leave_out_naive(problem.model, eta, folds, true)}) {
            for (int i = 0; i < n; ++i) {
              CHECK(left_out.status[i] == (i == 4 ? FoldStatus::exact_fit : FoldStatus::predicted));
            }
            CHECK(std::isnan(left_out.location(0, 4)) && left_out.log_marginal(0, 4) == -infinity);
          }
        }
      }
    }
  }
}

TEST("without an outlier q is all but zero, and still accurate") {
  Random random(13);
  RandomModel problem = random_problem_of(random, problems::kernels()[0], 12, 2, {"identity"});
  problem.model.response[7] = 1e6;
  const VectorXd eta = problem.random_eta(random);
  const Folds folds = btg::leave_one_out(12);
  const LeftOut left_out = btg::leave_out(problem.model, eta, folds, true);
  check_errors(errors(problem, eta, folds, left_out, 0, true), 1e-8);
}

TEST("a node without a likelihood predicts nothing, and the others are as they were") {
  Random random(14);
  const RandomModel problem = random_problem_of(random, problems::kernels()[0], 9, 1);
  VectorXd bad = problem.random_eta(random);
  const VectorXd good = problem.random_eta(random);
  bad.tail(1).setConstant(1e5);  // Box-Cox of a response above 1
  const Folds folds = btg::leave_one_out(9);
  for (const LeftOut& left_out :
       {btg::leave_out(problem.model, columns({bad, good}), folds, true),
        btg::leave_out_naive(problem.model, columns({bad, good}), folds, true)}) {
    CHECK(left_out.full_log_marginal[0] == -infinity);
    CHECK((left_out.log_marginal.row(0).array() == -infinity).all());
    CHECK(left_out.location.row(0).array().isNaN().all());
    CHECK(left_out.status == std::vector<FoldStatus>(9, FoldStatus::predicted));
    check_errors(errors(problem, good, folds, left_out, 1, true), 1e-9);
  }
}
