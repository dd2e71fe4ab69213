// The block factor: equal to the dense one where it leaves nothing out; elsewhere a Gaussian model
// of its own, checked against its covariance matrix, written down from W'W = K^-1.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "btg/factor/approximation_error.hpp"
#include "btg/factor/block_factor.hpp"
#include "btg/model/folds.hpp"
#include "btg/node/gradient.hpp"
#include "btg/predictive/joint_draws.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/validation/leave_out.hpp"
#include "check.hpp"
#include "random_model.hpp"

using btg::BlockOptions;
using btg::Model;
using btg_compute::Kernel;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::NaiveFit;
using problems::Random;
using problems::RandomModel;

namespace {

// `n` sites with rows of different weights, of which every third site has two if `replicated`.
RandomModel large_model(Random& random, const Kernel& kernel, bool product, int n, int p,
                        bool replicated) {
  RandomModel result = problems::random_model(random, kernel, product, {"boxcox"}, p);
  Model& model = result.model;
  model.inputs = random.matrix(n, 3);
  result.trend = random.polynomial_trend(n, p);
  model.trend = btg::Trend(result.trend);
  std::vector<int> of_row;
  for (int i = 0; i < n; ++i) of_row.push_back(i);
  for (int i = 0; replicated && i < n; i += 3) of_row.push_back(i);
  const int rows = static_cast<int>(of_row.size());
  model.response = random.matrix(rows, 1, 0.4, 4);
  if (replicated) model.sites = btg::Sites(of_row, random.matrix(rows, 1, 0.3, 2));
  return result;
}

Model with_blocks(const Model& model, const BlockOptions& options) {
  Model result = model;
  const Eigen::RowVectorXd length_scales = Eigen::RowVectorXd::Constant(model.inputs.cols(), 0.8);
  result.factor_method = std::make_shared<btg::BlockMethod>(
      std::make_shared<btg::BlockStructure>(model.inputs, length_scales, options));
  return result;
}

double evaluate_one(const Model& model, const VectorXd& eta) {
  return btg::evaluate(model, eta).log_marginal[0];
}

btg::Points random_points(Random& random, const Model& model, int count, int p) {
  MatrixXd inputs = random.matrix(count, static_cast<int>(model.inputs.cols()), -1.2, 1.2);
  inputs.row(0) = model.inputs.row(3);
  return {inputs, random.polynomial_trend(count, p), random.matrix(count, 1, 0, 1)};
}

void check_close(const MatrixXd& actual, const MatrixXd& expected, double tolerance) {
  CHECK(actual.rows() == expected.rows() && actual.cols() == expected.cols());
  for (Eigen::Index i = 0; i < actual.size(); ++i) {
    CHECK_CLOSE(actual.data()[i], expected.data()[i], tolerance);
  }
}

void check_same_model(const Model& block, const Model& dense, const VectorXd& eta, Random& random,
                      double tolerance) {
  const int p = static_cast<int>(dense.trend.basis().cols());
  CHECK_CLOSE(evaluate_one(block, eta), evaluate_one(dense, eta), tolerance);
  const btg::MarginalGradient slopes = btg::evaluate_gradient(block, eta.data());
  check_close(slopes.gradient, btg::evaluate_gradient(dense, eta.data()).gradient, tolerance);

  const btg::Points points = random_points(random, dense, 30, p);
  const btg::LatentPredictions predicted = btg::predict_latent(block, eta, points);
  const btg::LatentPredictions expected = btg::predict_latent(dense, eta, points);
  check_close(predicted.location, expected.location, tolerance);
  check_close(predicted.scale, expected.scale, tolerance);

  const btg::KernelNode node = *btg::kernel_node(block, eta.data());
  const btg::KernelNode dense_node = *btg::kernel_node(dense, eta.data());
  check_close(problems::symmetric(node.factor->cross(points.inputs)->covariance()),
              problems::symmetric(dense_node.factor->cross(points.inputs)->covariance()),
              tolerance);

  const int rows = static_cast<int>(dense.response.size());
  std::vector<int> three(rows);
  for (int i = 0; i < rows; ++i) three[i] = i / 3;
  for (const btg::Folds& folds :
       {btg::leave_one_out(rows), btg::make_folds(three, three.back() + 1)}) {
    const btg::LeftOut left_out = btg::leave_out(block, eta, folds, true);
    const btg::LeftOut exact = btg::leave_out(dense, eta, folds, true);
    check_close(left_out.location, exact.location, tolerance);
    check_close(left_out.scale, exact.scale, tolerance);
    check_close(left_out.log_marginal, exact.log_marginal, tolerance);
  }
}

// body(model, eta, random) of dense models with all kernels.
template <class Body>
void for_each(int n, Body body) {
  Random random(3);
  int turn = 0;
  for (const Kernel& kernel : btg::kernel_registry()) {
    for (const bool replicated : {false, true}) {
      RandomModel made = large_model(random, kernel, turn % 3 == 1, n, 1 + turn % 3, replicated);
      if (turn % 4 == 3) made.model.likelihood = btg::Likelihood::profiled;
      ++turn;
      body(made, made.random_eta(random), random);
    }
  }
}

// The covariance of the sites that a factor stands for.
MatrixXd covariance_of(const btg::Factor& factor, int n) {
  const MatrixXd w = factor.whiten(MatrixXd::Identity(n, n));
  const problems::LongMatrix precision =
      (w.transpose().cast<problems::Long>() * w.cast<problems::Long>()).eval();
  return Eigen::FullPivLU<problems::LongMatrix>(precision).inverse().cast<double>();
}

// Of all rows.
MatrixXd covariance_of_rows(const Model& model, const btg::KernelNode& node) {
  const int n = static_cast<int>(model.site_count()),
            rows = static_cast<int>(model.response.size());
  MatrixXd sites = covariance_of(*node.factor, n);
  sites.diagonal() -= node.noise_in_kernel().cwiseProduct(model.sites.relative_noise(n));
  MatrixXd k(rows, rows);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < rows; ++j) k(i, j) = sites(model.sites.of_row(i), model.sites.of_row(j));
    k(i, i) += node.noise_in_kernel()[model.sites.of_row(i)] / model.sites.weight(i);
  }
  return k;
}

const std::vector<BlockOptions> few = {
    {7, 5, 6, 1}, {10, 1, 0, 2}, {6, 8, 0, 3}, {4, 1, 9, 4}, {0, 5, 7, 5}};

}  // namespace

TEST("with all neighbours, the block factor is the dense one") {
  for_each(47, [](const RandomModel& made, const VectorXd& eta, Random& random) {
    for (const BlockOptions& options : {BlockOptions{47, 6, 0, 1}, BlockOptions{60, 6, 9, 2}}) {
      check_same_model(with_blocks(made.model, options), made.model, eta, random, 1e-9);
    }
  });
}

TEST("with all sites inducing, the block factor is the dense one") {
  for_each(47, [](const RandomModel& made, const VectorXd& eta, Random& random) {
    for (const BlockOptions& options : {BlockOptions{8, 6, 47, 1}, BlockOptions{3, 1, 90, 2}}) {
      check_same_model(with_blocks(made.model, options), made.model, eta, random, 1e-9);
    }
  });
}

TEST("one block holds all sites") {
  Random random(5);
  const RandomModel made = large_model(random, btg::kernel_registry()[1], false, 20, 2, false);
  for (const int inducing : {0, 5, 200}) {
    check_same_model(with_blocks(made.model, {100, 32, inducing, 0}), made.model,
                     made.random_eta(random), random, 1e-9);
  }
}

TEST("the transposed of W is its transposed, and unwhitened is as before") {
  for_each(31, [](const RandomModel& made, const VectorXd& eta, Random&) {
    for (const BlockOptions& options : few) {
      const Model model = with_blocks(made.model, options);
      const btg::KernelNode node = *btg::kernel_node(model, eta.data());
      const MatrixXd w = node.factor->whiten(MatrixXd::Identity(31, 31));
      const int length = static_cast<int>(w.rows());
      check_close(node.factor->whiten_transposed(MatrixXd::Identity(length, length)), w.transpose(),
                  1e-10);
    }
  });
}

TEST("the likelihood and left-out rows are those of the Gaussian model that W stands for") {
  for_each(38, [](const RandomModel& made, const VectorXd& eta, Random&) {
    for (const BlockOptions& options : few) {
      const Model model = with_blocks(made.model, options);
      const btg::KernelNode node = *btg::kernel_node(model, eta.data());
      const MatrixXd k = covariance_of_rows(model, node);
      const btg::TransformedResponse g =
          btg::transform_response(model.transform, model.response, model.lambda(eta.data()));
      const MatrixXd trend =
          btg::select_rows(made.trend, btg::sites_of(model, btg::all_rows(model)));
      const NaiveFit naive(k, trend, g.z);
      const bool profiled = model.likelihood == btg::Likelihood::profiled;
      CHECK_CLOSE(evaluate_one(model, eta),
                  profiled ? naive.log_profile(g.log_jacobian) : naive.log_marginal(g.log_jacobian),
                  1e-9);
      if (profiled) continue;

      const int rows = static_cast<int>(g.z.size());
      std::vector<int> fold(rows);
      for (int i = 0; i < rows; ++i) fold[i] = i < 8 ? i : 8 + (i * 7) % 9;
      const btg::Folds folds = btg::make_folds(fold, 17);
      const btg::LeftOut left_out = btg::leave_out(model, eta, folds, true);
      for (int f = 0; f < folds.count(); ++f) {
        const std::vector<int> out = folds.rows(f);
        std::vector<int> kept;
        for (int i = 0; i < rows; ++i) {
          if (fold[i] != f) kept.push_back(i);
        }
        const MatrixXd of_kept = btg::select_rows(k, kept);
        const MatrixXd among = btg::select_rows(MatrixXd(of_kept.transpose()), kept);
        const NaiveFit rest(among, btg::select_rows(trend, kept), btg::select_rows(g.z, kept));
        for (const int row : out) {
          VectorXd cross(kept.size());
          for (std::size_t j = 0; j < kept.size(); ++j) cross[j] = k(row, kept[j]);
          const problems::LongVector whole = cross.cast<problems::Long>();
          const problems::LongVector at = trend.row(row).transpose().cast<problems::Long>();
          const problems::LongVector u = at - rest.m.transpose() * rest.k_inverse * whole;
          const double location = static_cast<double>(whole.dot(rest.e) + at.dot(rest.beta));
          const double variance =
              static_cast<double>(problems::Long(k(row, row)) - whole.dot(rest.k_inverse * whole) +
                                  u.dot(rest.a_inverse * u));
          const double count = static_cast<double>(kept.size() - trend.cols());
          CHECK_CLOSE(left_out.location(0, row), location, 1e-8);
          CHECK_CLOSE(left_out.scale(0, row),
                      std::sqrt(static_cast<double>(rest.q) * variance / count), 1e-8);
        }
      }
    }
  });
}

TEST("derivatives are those of differences") {
  for_each(40, [](const RandomModel& made, const VectorXd& eta, Random&) {
    for (const BlockOptions& options : few) {
      const Model model = with_blocks(made.model, options);
      const btg::MarginalGradient at = btg::evaluate_gradient(model, eta.data());
      CHECK_CLOSE(at.log_marginal, evaluate_one(model, eta), 1e-10);
      for (int j = 0; j < model.size(); ++j) {
        const btg::Scale scale = model.hyperparameters[j].scale;
        const double expected = problems::difference(
            [&](double coordinate) {
              VectorXd moved = eta;
              moved[j] = btg::from_coordinate(coordinate, scale);
              return evaluate_one(model, moved);
            },
            btg::to_coordinate(eta[j], scale), 0.01);
        CHECK_CLOSE(at.gradient[j], expected, 1e-7);
      }
    }
  });
}

TEST("any number of threads gives the same bits") {
  Random random(9);
  const RandomModel made = large_model(random, btg::kernel_registry()[1], false, 1500, 2, true);
  const VectorXd eta = made.random_eta(random);
  const btg::Points points = random_points(random, made.model, 300, 2);
  for (const BlockOptions& options : {BlockOptions{20, 8, 30, 1}, BlockOptions{12, 1, 0, 1}}) {
    Model one = with_blocks(made.model, options), two = one;
    two.execution = btg::Execution(2);
    CHECK(evaluate_one(one, eta) == evaluate_one(two, eta));
    CHECK(btg::evaluate_gradient(one, eta.data()).gradient ==
          btg::evaluate_gradient(two, eta.data()).gradient);
    const btg::LatentPredictions a = btg::predict_latent(one, eta, points);
    const btg::LatentPredictions b = btg::predict_latent(two, eta, points);
    CHECK(a.location == b.location && a.scale == b.scale);
    const btg::Folds folds = btg::leave_one_out(static_cast<int>(one.response.size()));
    const btg::LeftOut c = btg::leave_out(one, eta, folds, true);
    const btg::LeftOut d = btg::leave_out(two, eta, folds, true);
    CHECK(c.location == d.location && c.scale == d.scale && c.log_marginal == d.log_marginal);
  }
}

TEST("sites at one place, at few places, along a line, and with little noise") {
  Random random(12);
  for (const bool line : {false, true}) {
    RandomModel made = large_model(random, btg::kernel_registry()[1], false, 45, 1, false);
    Model& model = made.model;
    if (line) {
      model.inputs = random.matrix(45, 1);
      model.length_scale_of_column = {0};
      const VectorXd eta = made.random_eta(random);
      check_same_model(with_blocks(model, {50, 4, 6, 0}), model, eta, random, 1e-9);
      continue;
    }
    VectorXd eta = made.random_eta(random);
    for (const int places : {1, 3}) {
      for (Eigen::Index i = 0; i < model.inputs.size(); ++i) {
        model.inputs.data()[i] = random.integer(1, places);
      }
      for (const BlockOptions& options : {BlockOptions{50, 4, 6, 0}, BlockOptions{50, 4, 0, 0}}) {
        check_same_model(with_blocks(model, options), model, eta, random, 1e-9);
      }
      const double few_neighbours = evaluate_one(with_blocks(model, {5, 4, 6, 0}), eta);
      CHECK(std::isfinite(few_neighbours));
    }
  }
}

TEST("what has no factor is null, and gets a jitter") {
  Random random(13);
  const RandomModel made = large_model(random, btg::kernel_registry()[0], false, 200, 1, false);
  const Model& dense = made.model;
  VectorXd eta = made.random_eta(random);
  eta[0] = eta[1] = 50.0;
  eta[made.noise_index()] = 1e-16;
  for (const BlockOptions& options : few) {
    const Model model = with_blocks(dense, {options.neighbours + 30, 8, options.inducing * 10, 0});
    const VectorXd noise = VectorXd::Constant(200, 1e-16);
    CHECK(!model.factor_method->factor(model.covariance(eta.data()), model.inputs, noise,
                                       model.execution));
    const btg::Evaluation at = btg::evaluate(model, eta);
    CHECK(std::isfinite(at.log_marginal[0]));
    CHECK(at.jitter[0] > 0.0);
    CHECK(btg::evaluate_gradient(model, eta.data()).gradient.allFinite());
    const btg::LatentPredictions predicted =
        btg::predict_latent(model, eta, random_points(random, model, 20, 1));
    CHECK(predicted.location.allFinite() && predicted.scale.allFinite());
  }
}

TEST("absurd hyperparameters give no NaN") {
  Random random(14);
  const RandomModel made = large_model(random, btg::kernel_registry()[1], false, 60, 1, false);
  for (const double length_scale : {1e-200, 1e-8, 1e8, 1e200}) {
    for (const double noise : {1e-300, 1.0, 1e100}) {
      VectorXd eta = made.random_eta(random);
      eta[0] = length_scale;
      eta[made.noise_index()] = noise;
      const Model model = with_blocks(made.model, {10, 8, 9, 0});
      CHECK(!std::isnan(evaluate_one(model, eta)));
      CHECK(!btg::evaluate_gradient(model, eta.data()).gradient.hasNaN());
    }
  }
}

TEST("blocks of other sites are refused") {
  Random random(15);
  const RandomModel made = large_model(random, btg::kernel_registry()[1], false, 30, 1, false);
  Model model = with_blocks(made.model, {5, 4, 3, 0});
  model.inputs = random.matrix(29, 3);
  const VectorXd eta = made.random_eta(random);
  CHECK_THROWS(model.factor_method->factor(model.covariance(eta.data()), model.inputs,
                                           VectorXd::Ones(29), model.execution),
               btg::Error);
}

TEST("the covariance of points in many cells is positive definite") {
  Random random(16);
  const RandomModel made = large_model(random, btg::kernel_registry()[2], false, 2600, 1, false);
  VectorXd eta = made.random_eta(random);
  const Model model = with_blocks(made.model, {12, 8, 20, 0});
  const btg::KernelNode node = *btg::kernel_node(model, eta.data());
  const MatrixXd points = random.matrix(300, 3);
  const std::unique_ptr<const btg::CrossTerms> terms = node.factor->cross(points);
  MatrixXd covariance = terms->covariance();
  const VectorXd variance = (1.0 - terms->explained().array()).matrix();
  for (int i = 0; i < 300; ++i) {
    // From more sites than `explained` has.
    CHECK(covariance(i, i) > 0.0 && covariance(i, i) < 1.1 * variance[i]);
  }
  covariance.diagonal().array() += 1e-10;
  CHECK(model.compute->cholesky(covariance.data(), 300) == 0);
}

TEST("the error of the approximation is the divergence from the dense model") {
  Random random(17);
  const RandomModel made = large_model(random, btg::kernel_registry()[1], false, 250, 1, false);
  VectorXd eta = made.random_eta(random);
  const Eigen::RowVectorXd length_scales = Eigen::RowVectorXd::Constant(3, 0.8);
  for (const double noise : {0.01, 0.5}) {
    eta[made.noise_index()] = noise;
    for (const BlockOptions& options :
         {BlockOptions{8, 6, 0, 1}, BlockOptions{8, 1, 0, 1}, BlockOptions{8, 6, 10, 1}}) {
      const auto structure =
          std::make_shared<btg::BlockStructure>(made.model.inputs, length_scales, options);
      Model model = made.model;
      model.factor_method = std::make_shared<btg::BlockMethod>(structure);
      const btg::KernelNode block = *btg::kernel_node(model, eta.data());
      const btg::KernelNode dense = *btg::kernel_node(made.model, eta.data());
      const MatrixXd w = block.factor->whiten(MatrixXd::Identity(250, 250));
      MatrixXd k = made.correlation(model.inputs, eta);
      k.diagonal().array() += noise;
      const double divergence = block.half_log_det_kernel - dense.half_log_det_kernel +
                                0.5 * ((w * k * w.transpose()).trace() - 250.0);
      const auto estimate = [&](int sites, int neighbours) {
        return btg::approximation_error(structure, model.covariance(eta.data()), model.inputs,
                                        VectorXd::Constant(250, noise), model.execution,
                                        {sites, neighbours, 1});
      };
      const btg::ApproximationError all = estimate(250, 250), some = estimate(100, 60);
      if (options.inducing == 0) {
        CHECK_CLOSE(all.divergence, divergence, 1e-8);
      } else {
        CHECK(all.divergence >= divergence && all.divergence < 1.5 * divergence + 0.1);
      }
      CHECK(std::abs(some.divergence - all.divergence) <
            3.0 * some.standard_error + 0.2 * all.divergence);
      CHECK(all.inflation > 0.0 && all.inflation < all.divergence);
    }
  }
}

int main() { return check::run(); }
