// Folds left out in O(n^3) against refits with explicit inverses and determinants in long
// double, and against the package's own refits.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "btg/validation/leave_out.hpp"
#include "btg/validation/leave_out_naive.hpp"
#include "check.hpp"
#include "random_model.hpp"

using btg::Folds;
using btg::FoldStatus;
using btg::LeftOut;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::NaiveFit;
using problems::Random;
using problems::RandomModel;

namespace {

const double infinity = std::numeric_limits<double>::infinity();

// Rows `out` predicted from the others at eta, as the formulas read.
struct Refit {
  Refit(const RandomModel& problem, const VectorXd& eta, const std::vector<int>& out,
        bool observation, double jitter = 0.0) {
    const btg::Model& model = problem.model;
    const double* lambda = eta.data() + model.transform_index();
    const MatrixXd correlation = problem.correlation(model.inputs, eta);
    const std::set<int> left_out(out.begin(), out.end());
    std::vector<int> kept;
    for (int i = 0; i < model.response.size(); ++i) {
      if (!left_out.count(i)) kept.push_back(i);
    }
    const int n = int(kept.size());
    MatrixXd k(n, n), m(n, problem.trend.cols());
    VectorXd z(n);
    double log_jacobian = 0.0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) k(i, j) = correlation(kept[i], kept[j]);
      k(i, i) += eta[model.noise_index()] + jitter;
      m.row(i) = problem.trend.row(kept[i]);
      z[i] = model.transform.forward(model.response[kept[i]], lambda);
      log_jacobian += model.transform.log_derivative(model.response[kept[i]], lambda);
    }
    const NaiveFit fit(k, m, z);
    log_marginal = fit.log_marginal(log_jacobian);
    for (int row : out) {
      VectorXd cross(n);
      for (int i = 0; i < n; ++i) cross[i] = correlation(kept[i], row);
      const VectorXd trend = problem.trend.row(row);
      location.push_back(fit.location(cross, trend));
      scale.push_back(fit.scale(cross, trend, observation ? 1 + eta[model.noise_index()] : 1));
    }
  }

  std::vector<double> location, scale;
  double log_marginal;
};

// The largest differences from refits at node i: locations relative to the larger of their size
// and the scale, scales relatively, log marginals as they are.
struct Errors {
  double location = 0.0, scale = 0.0, log_marginal = 0.0;
};

double larger(double a, double b) { return a >= b ? a : b; }  // b if it is NaN

Errors errors(const RandomModel& problem, const VectorXd& eta, const Folds& folds,
              const LeftOut& left_out, int node, bool observation, double jitter = 0.0) {
  Errors result;
  for (int fold = 0; fold < folds.count(); ++fold) {
    if (left_out.status[fold] != FoldStatus::predicted) continue;
    const std::vector<int> rows = folds.rows(fold);
    const Refit refit(problem, eta, rows, observation, jitter);
    result.log_marginal = larger(result.log_marginal,
                                 std::abs(left_out.log_marginal(node, fold) - refit.log_marginal));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double size = std::fmax(std::abs(refit.location[k]), refit.scale[k]);
      result.location = larger(
          result.location, std::abs(left_out.location(node, rows[k]) - refit.location[k]) / size);
      result.scale =
          larger(result.scale, std::abs(left_out.scale(node, rows[k]) / refit.scale[k] - 1));
    }
  }
  return result;
}

void check_errors(const Errors& e, double tolerance) {
  CHECK_CLOSE(e.location / tolerance, 0, 1);
  CHECK_CLOSE(e.scale / tolerance, 0, 1);
  CHECK_CLOSE(e.log_marginal / tolerance, 0, 1);
}

const std::vector<std::vector<std::string>> transforms{
    {"identity"}, {"boxcox"}, {"sinharcsinh"}, {"softplus", "arcsinh"}, {"affine", "yeojohnson"}};

Folds random_folds(Random& random, int n, int count) {
  std::vector<int> fold_of_row(n);
  for (int i = 0; i < n; ++i) fold_of_row[i] = i < count ? i : random.integer(0, count - 1);
  return btg::make_folds(fold_of_row, count);
}

// Every kernel, radial and product, every transform above and p = 1 to 5: body(problem).
template <class Body>
void for_each_model(Random& random, Body body) {
  for (const btg_compute::Kernel& kernel : btg::kernel_registry()) {
    for (bool product : {false, true}) {
      for (const auto& transform : transforms) {
        for (int p = 1; p <= 5; ++p) {
          body(problems::random_model(random, kernel, product, transform, p));
        }
      }
    }
  }
}

// With n rows exactly.
RandomModel random_problem_of(Random& random, const btg_compute::Kernel& kernel, int n, int p = 1,
                              const std::vector<std::string>& transform = {"boxcox"}) {
  RandomModel problem = problems::random_model(random, kernel, false, transform, p);
  problem.trend = random.polynomial_trend(n, p);
  problem.model.trend = btg::Trend(problem.trend);
  problem.model.inputs = random.matrix(n, 3);
  problem.model.response = random.matrix(n, 1, 0.4, 4);
  return problem;
}

void check_same(const LeftOut& a, const LeftOut& b, double tolerance) {
  CHECK(a.status == b.status && a.degrees_of_freedom == b.degrees_of_freedom);
  for (Eigen::Index i = 0; i < a.location.rows(); ++i) {
    CHECK_CLOSE(a.full_log_marginal[i], b.full_log_marginal[i], tolerance);
    for (Eigen::Index fold = 0; fold < a.log_marginal.cols(); ++fold) {
      CHECK_CLOSE(a.log_marginal(i, fold), b.log_marginal(i, fold), tolerance);
    }
    for (Eigen::Index row = 0; row < a.location.cols(); ++row) {
      if (std::isnan(a.location(i, row)) && std::isnan(b.location(i, row))) continue;
      const double scale = b.scale(i, row);
      CHECK_CLOSE(a.location(i, row) / scale, b.location(i, row) / scale, tolerance);
      CHECK_CLOSE(a.scale(i, row) / scale, 1, tolerance);
    }
  }
}

MatrixXd columns(const std::vector<VectorXd>& etas) {
  MatrixXd result(etas[0].size(), etas.size());
  for (std::size_t i = 0; i < etas.size(); ++i) result.col(i) = etas[i];
  return result;
}

}  // namespace

TEST("one row at a time, over the whole range of the noise") {
  Random random(1);
  for_each_model(random, [&](const RandomModel& problem) {
    const Folds folds = btg::leave_one_out(int(problem.model.response.size()));
    for (double noise : {1e-6, 1e-3, 0.1, 10.0}) {
      VectorXd eta = problem.random_eta(random);
      eta[problem.model.noise_index()] = noise;
      for (bool observation : {true, false}) {
        const LeftOut left_out = btg::leave_out(problem.model, eta, folds, observation);
        check_errors(errors(problem, eta, folds, left_out, 0, observation), 1e-9);
      }
    }
  });
}

TEST("groups of rows, of different sizes and in any order") {
  Random random(2);
  for_each_model(random, [&](const RandomModel& problem) {
    const int n = int(problem.model.response.size());
    for (int count : {2, 3, n - 1}) {
      const Folds folds = random_folds(random, n, count);
      VectorXd eta = problem.random_eta(random);
      eta[problem.model.noise_index()] = std::pow(10, random.uniform(-6, 1));
      const LeftOut left_out = btg::leave_out(problem.model, eta, folds, true);
      for (int fold = 0; fold < count; ++fold) {
        CHECK(left_out.degrees_of_freedom[fold] ==
              n - folds.size(fold) - int(problem.trend.cols()));
        CHECK((left_out.status[fold] == FoldStatus::predicted) ==
              (left_out.degrees_of_freedom[fold] >= 1));
      }
      check_errors(errors(problem, eta, folds, left_out, 0, true), 1e-9);
    }
  });
}

TEST("duplicated inputs, left out one by one and together") {
  Random random(3);
  for (const btg_compute::Kernel& kernel : btg::kernel_registry()) {
    for (double noise : {1e-6, 1e-3, 10.0}) {
      RandomModel problem = random_problem_of(random, kernel, 14);
      problem.model.inputs.row(1) = problem.model.inputs.row(0);
      problem.model.inputs.row(9) = problem.model.inputs.row(0);
      problem.model.inputs.row(8) = problem.model.inputs.row(7);
      VectorXd eta = problem.random_eta(random);
      eta[problem.model.noise_index()] = noise;
      std::vector<int> pairs{0, 0, 1, 1, 2, 2, 3, 4, 4, 0, 3, 5, 5, 5};
      for (const Folds& folds : {btg::leave_one_out(14), btg::make_folds(pairs, 6)}) {
        for (bool observation : {true, false}) {
          const LeftOut left_out = btg::leave_out(problem.model, eta, folds, observation);
          check_errors(errors(problem, eta, folds, left_out, 0, observation), 1e-8);
        }
      }
    }
  }
}

TEST("from six rows, with as few degrees of freedom as there can be") {
  Random random(4);
  for (int p = 1; p <= 4; ++p) {
    const RandomModel problem = random_problem_of(random, btg::kernel_registry()[0], 6, p);
    const VectorXd eta = problem.random_eta(random);
    const Folds folds = btg::leave_one_out(6);
    const LeftOut left_out = btg::leave_out(problem.model, eta, folds, true);
    CHECK((left_out.degrees_of_freedom.array() == 5 - p).all());
    check_errors(errors(problem, eta, folds, left_out, 0, true), 1e-9);
  }
}

TEST("many rows") {
  Random random(5);
  for (double noise : {1e-6, 0.1}) {
    const RandomModel problem = random_problem_of(random, btg::kernel_registry()[0], 60, 2);
    VectorXd eta = problem.random_eta(random);
    eta[problem.model.noise_index()] = noise;
    for (const Folds& folds : {btg::leave_one_out(60), random_folds(random, 60, 5)}) {
      const LeftOut left_out = btg::leave_out(problem.model, eta, folds, true);
      const Errors e = errors(problem, eta, folds, left_out, 0, true);
      check_errors(e, 1e-8);
    }
  }
}

TEST("nodes that share a factor, on any number of threads") {
  Random random(6);
  RandomModel problem = random_problem_of(random, btg::kernel_registry()[1], 12, 2);
  std::vector<VectorXd> etas;
  for (int kernel = 0; kernel < 5; ++kernel) {
    const VectorXd eta = problem.random_eta(random);
    for (int transform = 0; transform < 3; ++transform) {
      etas.push_back(problem.random_eta(random));
      etas.back().head(problem.model.transform_index()) = eta.head(problem.model.transform_index());
    }
  }
  const Folds folds = random_folds(random, 12, 5);
  const LeftOut one = btg::leave_out(problem.model, columns(etas), folds, true);
  const LeftOut one_naive = btg::leave_out_naive(problem.model, columns(etas), folds, true);
  for (std::size_t i = 0; i < etas.size(); ++i) {
    check_errors(errors(problem, etas[i], folds, one, int(i), true), 1e-9);
    CHECK_CLOSE(one.full_log_marginal[i], problem.naive_log_marginal(etas[i]), 1e-10);
  }
  problem.model.execution.threads = 3;
  const LeftOut three = btg::leave_out(problem.model, columns(etas), folds, true);
  CHECK(three.location == one.location && three.scale == one.scale);
  CHECK(three.log_marginal == one.log_marginal);
  CHECK(btg::leave_out_naive(problem.model, columns(etas), folds, true).location ==
        one_naive.location);
  btg::Callbacks callbacks;
  callbacks.interval = 0.0;
  callbacks.check_interrupt = [] { throw std::runtime_error("stop"); };
  problem.model.execution = btg::Execution(1, callbacks);
  CHECK_THROWS(btg::leave_out(problem.model, columns(etas), folds, true), std::runtime_error);
  CHECK_THROWS(btg::leave_out_naive(problem.model, columns(etas), folds, true), std::runtime_error);
}

TEST("refitting gives the same") {
  Random random(7);
  for_each_model(random, [&](const RandomModel& problem) {
    const int n = int(problem.model.response.size());
    const MatrixXd etas = columns({problem.random_eta(random), problem.random_eta(random)});
    for (const Folds& folds : {btg::leave_one_out(n), random_folds(random, n, n / 2)}) {
      for (bool observation : {true, false}) {
        const LeftOut naive = btg::leave_out_naive(problem.model, etas, folds, observation);
        const LeftOut fast = btg::leave_out(problem.model, etas, folds, observation);
        check_same(fast, naive, 1e-9);
        check_errors(errors(problem, etas.col(1), folds, naive, 1, observation), 1e-9);
      }
    }
  });
}

TEST("the jitter stays when rows are left out, and is no part of the prediction") {
  Random random(8);
  for (const btg_compute::Kernel& kernel : btg::kernel_registry()) {
    RandomModel problem = random_problem_of(random, kernel, 12);
    problem.model.inputs.row(1) = problem.model.inputs.row(0);
    VectorXd eta = problem.random_eta(random);
    eta[problem.model.noise_index()] = 1e-18;
    const double jitter = btg::evaluate(problem.model, eta).jitter[0];
    CHECK(jitter > 0 && jitter < 1e-5);
    const Folds folds = btg::leave_one_out(12);
    const LeftOut fast = btg::leave_out(problem.model, eta, folds, true);
    const LeftOut naive = btg::leave_out_naive(problem.model, eta, folds, true);
    // One twin predicts the other with a variance of the size of the jitter: a small difference
    // of numbers near 1, so less accurate.
    const double scale = fast.scale.maxCoeff();
    for (const LeftOut* left_out : {&fast, &naive}) {
      for (int i = 0; i < 12; ++i) {
        const Refit refit(problem, eta, {i}, true, jitter);
        CHECK_CLOSE((left_out->location(0, i) - refit.location[0]) / scale, 0, 1e-5);
        CHECK_CLOSE(left_out->log_marginal(0, i), refit.log_marginal, 1e-5);
        CHECK_CLOSE(left_out->scale(0, i) / refit.scale[0], 1, i <= 1 ? 1e-2 : 1e-5);
      }
    }
  }
}

TEST("a fold without which the trend is rank deficient") {
  Random random(9);
  RandomModel problem = random_problem_of(random, btg::kernel_registry()[0], 10, 2);
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
  RandomModel problem = random_problem_of(random, btg::kernel_registry()[0], 12, 2);
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
  const RandomModel problem = random_problem_of(random, btg::kernel_registry()[0], 7, 3);
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
  for (const btg_compute::Kernel& kernel : btg::kernel_registry()) {
    for (double noise : {1e-6, 1e-2, 1.0}) {
      for (int n : {8, 40}) {
        for (int p : {1, 3}) {
          RandomModel problem = random_problem_of(random, kernel, n, p, {"identity"});
          problem.model.response = 3 * problem.trend.rowwise().sum();
          problem.model.response[4] += 1;
          VectorXd eta = problem.random_eta(random);
          eta[problem.model.noise_index()] = noise;
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
  RandomModel problem = random_problem_of(random, btg::kernel_registry()[0], 12, 2, {"identity"});
  problem.model.response[7] = 1e6;
  const VectorXd eta = problem.random_eta(random);
  const Folds folds = btg::leave_one_out(12);
  const LeftOut left_out = btg::leave_out(problem.model, eta, folds, true);
  check_errors(errors(problem, eta, folds, left_out, 0, true), 1e-8);
}

TEST("a node without a likelihood predicts nothing, and the others are as they were") {
  Random random(14);
  const RandomModel problem = random_problem_of(random, btg::kernel_registry()[0], 9, 1);
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

int main() { return check::run(); }
