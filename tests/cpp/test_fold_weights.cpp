// Weights of the nodes without each fold against Bayes' theorem applied directly.
#include <cmath>
#include <limits>
#include <vector>

#include "btg/base/parallel.hpp"
#include "btg/base/select_rows.hpp"
#include "btg/model/folds.hpp"
#include "btg/model/subset.hpp"
#include "btg/validation/fold_weights.hpp"
#include "btg/validation/left_out.hpp"
#include "btg/validation/left_out_naive.hpp"
#include "check.hpp"
#include "random_model.hpp"

using btg::FoldStatus;
using btg::FoldWeights;
using btg::LeftOut;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Random;
using problems::RandomModel;

namespace {

const double infinity = std::numeric_limits<double>::infinity();
const btg::Execution one_thread;

// The given likelihoods, of one fold a column.
LeftOut left_out_with(const VectorXd& full, const MatrixXd& without) {
  LeftOut left_out;
  left_out.full_log_marginal = full;
  left_out.log_marginal = without;
  left_out.status.assign(without.cols(), FoldStatus::predicted);
  return left_out;
}

}  // namespace

TEST("a posterior over a prior is that over the same prior with fewer rows") {
  Random random(1);
  for (const btg_compute::Kernel& kernel : problems::kernels()) {
    const RandomModel problem =
        problems::random_model(random, kernel, btg::Form::radial, {"boxcox"}, 2);
    const int n = int(problem.model.response.size()), nodes = 6;
    MatrixXd etas(problem.model.size(), nodes);
    VectorXd prior(nodes), full(nodes);
    for (int i = 0; i < nodes; ++i) {
      etas.col(i) = problem.random_eta(random);
      prior[i] = random.uniform(0.1, 1);
      full[i] = prior[i] * std::exp(problem.naive_log_marginal(etas.col(i)));
    }
    std::vector<int> fold_of_row(n);
    for (int i = 0; i < n; ++i) fold_of_row[i] = i % 3;
    const btg::Folds folds = btg::make_folds(fold_of_row, 3);
    const FoldWeights result = btg::fold_weights(btg::leave_out(problem.model, etas, folds, true),
                                                 full / full.sum(), one_thread);
    for (int fold = 0; fold < 3; ++fold) {
      // The model of the rows kept, with the trend in its own units.
      RandomModel kept = problem;
      kept.model = btg::keep_rows(problem.model, folds.kept(fold));
      kept.trend = btg::select_rows(problem.trend, folds.kept(fold));
      VectorXd expected(nodes);
      for (int i = 0; i < nodes; ++i) {
        expected[i] = prior[i] * std::exp(kept.naive_log_marginal(etas.col(i)));
      }
      expected /= expected.sum();
      for (int i = 0; i < nodes; ++i) CHECK_CLOSE(result.weights(i, fold), expected[i], 1e-10);
      CHECK_CLOSE(result.effective_nodes[fold], 1 / expected.squaredNorm(), 1e-9);
      CHECK_CLOSE(result.distance[fold], (expected - full / full.sum()).cwiseMax(0).sum(), 1e-10);
    }
  }
}

TEST("signed weights keep their signs") {
  const VectorXd weights = (VectorXd(3) << 0.9, -0.3, 0.4).finished();
  const VectorXd full = (VectorXd(3) << -10, -11, -12).finished();
  const MatrixXd ratios = (MatrixXd(3, 2) << 1, 0, 2, 5, 3, 0).finished();
  MatrixXd without = ratios;
  without.colwise() += full;
  const FoldWeights result = btg::fold_weights(left_out_with(full, without), weights, one_thread);
  const double sum = 0.9 * std::exp(1) - 0.3 * std::exp(2) + 0.4 * std::exp(3);
  CHECK_CLOSE(result.weights(0, 0), 0.9 * std::exp(1) / sum, 1e-14);
  CHECK_CLOSE(result.weights(1, 0), -0.3 * std::exp(2) / sum, 1e-14);
  CHECK_CLOSE(result.weights.col(0).sum(), 1, 1e-14);
  CHECK(result.status[0] == FoldStatus::predicted);
  CHECK(result.status[1] == FoldStatus::negative_evidence);
  CHECK(result.weights.col(1).array().isNaN().all() && std::isnan(result.effective_nodes[1]));
}

TEST("likelihoods far beyond the range of exp") {
  const VectorXd weights = VectorXd::Constant(2, 0.5);
  const VectorXd full = (VectorXd(2) << -5000, 4000).finished();
  const MatrixXd without = (MatrixXd(2, 2) << -3000, -5000, 6000 + std::log(3), 9000).finished();
  const FoldWeights result = btg::fold_weights(left_out_with(full, without), weights, one_thread);
  CHECK_CLOSE(result.weights(0, 0), 0.25, 1e-12);
  CHECK_CLOSE(result.weights(1, 0), 0.75, 1e-12);
  CHECK(result.weights(0, 1) == 0 && result.weights(1, 1) == 1);
  CHECK_CLOSE(result.distance[1], 0.5, 1e-15);
}

TEST("a light node of a huge ratio does not drown the others") {
  const VectorXd weights = (VectorXd(3) << 1e-300, 0.5, 0.5).finished();
  const MatrixXd without = (MatrixXd(3, 1) << 800, 0, std::log(4)).finished();
  const FoldWeights result =
      btg::fold_weights(left_out_with(VectorXd::Zero(3), without), weights, one_thread);
  const double light = std::exp(800 + std::log(1e-300));
  for (int i = 1; i < 3; ++i) {
    CHECK_CLOSE(result.weights(i, 0) * 1e40, 1e40 * std::exp(without(i, 0)) / 2 / light, 1e-10);
  }
}

TEST("nodes without a likelihood have no weight, and folds without one have none at all") {
  const VectorXd weights = (VectorXd(3) << 0.2, 0.3, 0.5).finished();
  const VectorXd full = (VectorXd(3) << 0, -infinity, 0).finished();
  MatrixXd without = MatrixXd::Zero(3, 2);
  without.row(1).setConstant(-infinity);
  LeftOut left_out = left_out_with(full, without);
  left_out.status[1] = FoldStatus::undetermined_trend;
  const FoldWeights result = btg::fold_weights(left_out, weights, one_thread);
  CHECK_CLOSE(result.weights(0, 0), 2.0 / 7, 1e-15);
  CHECK(result.weights(1, 0) == 0);
  CHECK(result.weights.col(1).array().isNaN().all());
  CHECK(result.status[1] == FoldStatus::undetermined_trend);
}

TEST("the shape of the ratios' tail") {
  // Exact quantiles of Pareto distributions; k-hat is drawn to 1/2 by its prior.
  const int nodes = 2000;
  for (double shape : {0.2, 0.5, 0.9}) {
    MatrixXd without(nodes, 1);
    for (int i = 0; i < nodes; ++i) without(i, 0) = -shape * std::log((i + 0.5) / nodes);
    const VectorXd weights = VectorXd::Constant(nodes, 1.0 / nodes);
    const LeftOut left_out = left_out_with(VectorXd::Zero(nodes), without);
    const FoldWeights result = btg::fold_weights(left_out, weights, one_thread);
    CHECK_CLOSE(result.pareto_shape[0], shape, 0.06);
  }
  const LeftOut few = left_out_with(VectorXd::Zero(3), MatrixXd::Ones(3, 1));
  CHECK(std::isnan(
      btg::fold_weights(few, VectorXd::Constant(3, 1.0 / 3), one_thread).pareto_shape[0]));
}
