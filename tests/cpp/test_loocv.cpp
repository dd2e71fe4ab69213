// Folds left out in O(n^3) against refits with explicit inverses and determinants in long
// double, and against the package's own refits.
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "btg/base/parallel.hpp"
#include "btg/base/select_rows.hpp"
#include "btg/model/folds.hpp"
#include "btg/numerics/decompositions.hpp"
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

namespace {

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
  for (const btg_compute::Kernel& kernel : problems::kernels()) {
    for (btg::Form form : {btg::Form::radial, btg::Form::product}) {
      for (const auto& transform : transforms) {
        for (int p = 1; p <= 5; ++p) {
          body(problems::random_model(random, kernel, form, transform, p));
        }
      }
    }
  }
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

// The least eigenvalue of B'B for the rows of the trend's orthonormal basis that a fold leaves: 1
// if it leaves all, 0 if they do not determine the trend.
double least_determined(const RandomModel& problem, const Folds& folds, const LeftOut& left_out) {
  double least = 1;
  for (int fold = 0; fold < folds.count(); ++fold) {
    if (left_out.status[fold] != FoldStatus::predicted) continue;
    const MatrixXd kept = btg::select_rows(problem.model.trend.basis(), folds.kept(fold));
    least = std::fmin(least, btg::symmetric_eigen(kept.transpose() * kept).values[0]);
  }
  return least;
}

}  // namespace

TEST("one row at a time, over the whole range of the noise") {
  Random random(1);
  for_each_model(random, [&](const RandomModel& problem) {
    const Folds folds = btg::leave_one_out(int(problem.model.response.size()));
    for (double noise : {1e-6, 1e-3, 0.1, 10.0}) {
      VectorXd eta = problem.random_eta(random);
      eta[problem.noise_index()] = noise;
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
      eta[problem.noise_index()] = std::pow(10, random.uniform(-6, 1));
      const LeftOut left_out = btg::leave_out(problem.model, eta, folds, true);
      for (int fold = 0; fold < count; ++fold) {
        CHECK(left_out.degrees_of_freedom[fold] ==
              n - folds.size(fold) - int(problem.trend.cols()));
        CHECK((left_out.status[fold] == FoldStatus::predicted) ==
              (left_out.degrees_of_freedom[fold] >= 1));
      }
      // Rounding grows as the rest determines the trend less.
      const double determined = least_determined(problem, folds, left_out);
      check_errors(errors(problem, eta, folds, left_out, 0, true),
                   std::fmax(1e-9, 1e-15 / determined));
    }
  });
}

TEST("duplicated inputs, left out one by one and together") {
  Random random(3);
  for (const btg_compute::Kernel& kernel : problems::kernels()) {
    for (double noise : {1e-6, 1e-3, 10.0}) {
      RandomModel problem = random_problem_of(random, kernel, 14);
      problem.model.inputs.row(1) = problem.model.inputs.row(0);
      problem.model.inputs.row(9) = problem.model.inputs.row(0);
      problem.model.inputs.row(8) = problem.model.inputs.row(7);
      VectorXd eta = problem.random_eta(random);
      eta[problem.noise_index()] = noise;
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

TEST("many rows") {
  Random random(5);
  for (double noise : {1e-6, 0.1}) {
    const RandomModel problem = random_problem_of(random, problems::kernels()[0], 60, 2);
    VectorXd eta = problem.random_eta(random);
    eta[problem.noise_index()] = noise;
    for (const Folds& folds : {btg::leave_one_out(60), random_folds(random, 60, 5)}) {
      const LeftOut left_out = btg::leave_out(problem.model, eta, folds, true);
      check_errors(errors(problem, eta, folds, left_out, 0, true), 1e-8);
    }
  }
}

TEST("nodes that share a factor, on any number of threads") {
  Random random(6);
  RandomModel problem = random_problem_of(random, problems::kernels()[1], 12, 2);
  std::vector<VectorXd> etas;
  for (int kernel = 0; kernel < 5; ++kernel) {
    const VectorXd eta = problem.random_eta(random);
    for (int transform = 0; transform < 3; ++transform) {
      etas.push_back(problem.random_eta(random));
      const int shared = problem.model.hyperparameters.covariance_size();
      etas.back().head(shared) = eta.head(shared);
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
