// The block factor with few places, little noise and absurd hyperparameters, and the estimate of
// its error.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "block_models.hpp"
#include "btg/base/error.hpp"
#include "btg/base/parallel.hpp"
#include "btg/factor/approximation_error.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/node/gradient.hpp"
#include "btg/node/node.hpp"
#include "btg/predictive/joint_draws.hpp"
#include "btg/predictive/latent.hpp"
#include "check.hpp"
#include "random_model.hpp"

using namespace blocks;

TEST("sites at one place, at few places, along a line, and with little noise") {
  Random random(12);
  for (const bool line : {false, true}) {
    RandomModel made = large_model(random, problems::kernels()[1], btg::Form::radial, 45, 1, false);
    Model& model = made.model;
    if (line) {
      model.inputs = random.matrix(45, 1);
      model.length_scale_of_column = {0};
      model.terms[0].columns = 1;
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

TEST("what has no factor is null, unless the noise has a floor") {
  Random random(13);
  const RandomModel made =
      large_model(random, problems::kernels()[0], btg::Form::radial, 200, 1, false);
  const Model& dense = made.model;
  VectorXd eta = made.random_eta(random);
  eta[0] = eta[1] = 50.0;
  eta[made.noise_index()] = 1e-16;
  for (const BlockOptions& options : few) {
    Model model = with_blocks(dense, {options.neighbours + 30, 8, options.inducing * 10, 0});
    const VectorXd noise = VectorXd::Constant(200, 1e-16);
    CHECK(!model.factor_method->factor(model.covariance(eta.data()), model.inputs, noise,
                                       model.execution));
    CHECK(std::isinf(btg::evaluate(model, eta)[0]));
    const double heaviest = 1.0 / model.sites.relative_noise(200).minCoeff();
    model.noise.set_floor(btg::noise_floor(200, heaviest));
    CHECK(std::isfinite(btg::evaluate(model, eta)[0]));
    CHECK(btg::evaluate_gradient(model, eta.data()).gradient.allFinite());
    const btg::LatentValues predicted =
        problems::latent_values(model, eta, random_points(random, model, 20, 1));
    CHECK(predicted.location.allFinite() && predicted.scale.allFinite());
  }
}

TEST("absurd hyperparameters give no NaN") {
  Random random(14);
  const RandomModel made =
      large_model(random, problems::kernels()[1], btg::Form::radial, 60, 1, false);
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
  const RandomModel made =
      large_model(random, problems::kernels()[1], btg::Form::radial, 30, 1, false);
  Model model = with_blocks(made.model, {5, 4, 3, 0});
  model.inputs = random.matrix(29, 3);
  const VectorXd eta = made.random_eta(random);
  CHECK_THROWS(model.factor_method->factor(model.covariance(eta.data()), model.inputs,
                                           VectorXd::Ones(29), model.execution),
               btg::Error);
}

TEST("the covariance of points in many cells is positive definite") {
  Random random(16);
  const RandomModel made =
      large_model(random, problems::kernels()[2], btg::Form::radial, 2600, 1, false);
  VectorXd eta = made.random_eta(random);
  const Model model = with_blocks(made.model, {12, 8, 20, 0});
  const btg::KernelNode node = *btg::kernel_node(model, eta.data());
  const MatrixXd points = random.matrix(300, 3);
  const std::unique_ptr<const btg::CrossTerms> terms = node.factor->cross(points, {}, {});
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
  const RandomModel made =
      large_model(random, problems::kernels()[1], btg::Form::radial, 250, 1, false);
  VectorXd eta = made.random_eta(random);
  const Eigen::RowVectorXd length_scales = Eigen::RowVectorXd::Constant(3, 0.8);
  for (const double noise : {0.01, 0.5}) {
    eta[made.noise_index()] = noise;
    for (const BlockOptions& options :
         {BlockOptions{8, 6, 0, 1}, BlockOptions{8, 1, 0, 1}, BlockOptions{8, 6, 10, 1}}) {
      const auto structure = std::make_shared<btg::BlockStructure>(
          made.model.inputs, btg::InputSpace(length_scales), options);
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
        return btg::approximation_error(
            structure, model.inputs,
            {model.covariance(eta.data()), VectorXd::Constant(250, noise), 0.0}, {},
            model.execution, {sites, neighbours, 4, 1});
      };
      const btg::ApproximationError all = estimate(250, 250), some = estimate(100, 60);
      if (options.inducing == 0) {
        CHECK_CLOSE(all.divergence, divergence, 1e-8);
      } else {
        CHECK(all.divergence >= divergence && all.divergence < 1.5 * divergence + 0.1);
      }
      CHECK(std::abs(some.divergence - all.divergence) <
            3.0 * some.standard_error + 0.2 * all.divergence);
    }
  }
}

// The score of a Gaussian model in one coordinate of K is y'A y / 2, up to a constant, with A = -d
// K^-1. So the difference of two has variance tr((D K)^2) / 2, D that of their A. With the scale
// estimated, K is divided by what keeps its determinant.
TEST("how far the maximum of the likelihood moves is estimated within a factor of 2") {
  Random random(31);
  const RandomModel made =
      large_model(random, problems::kernels()[1], btg::Form::radial, 250, 1, false);
  VectorXd eta = made.random_eta(random);
  const Eigen::RowVectorXd length_scales = Eigen::RowVectorXd::Constant(3, 0.8);
  const int noise_index = made.noise_index();
  eta[noise_index] = 0.1;
  for (const BlockOptions& options : {BlockOptions{8, 6, 0, 1}, BlockOptions{15, 1, 0, 1}}) {
    const auto structure = std::make_shared<btg::BlockStructure>(
        made.model.inputs, btg::InputSpace(length_scales), options);
    Model model = made.model;
    model.factor_method = std::make_shared<btg::BlockMethod>(structure);
    const double step = 1e-4;
    const auto moved = [&](int j) {
      VectorXd other = eta;
      other[j] *= std::exp(step);
      return other;
    };
    const auto covariance = [&](const VectorXd& at) -> btg::MovedCovariance {
      return {model.covariance(at.data()), VectorXd::Constant(250, at[noise_index]), step};
    };
    const auto inverse = [&](const Model& of, const VectorXd& at) -> MatrixXd {
      const MatrixXd w =
          btg::kernel_node(of, at.data())->factor->whiten(MatrixXd::Identity(250, 250));
      return w.transpose() * w;
    };
    MatrixXd k = made.correlation(model.inputs, eta);
    k.diagonal().array() += eta[noise_index];
    const auto error_by = [&](const btg::Execution& execution) {
      return btg::approximation_error(structure, model.inputs, covariance(eta),
                                      {covariance(moved(0)), covariance(moved(noise_index))},
                                      execution, {250, 250, 4, 1});
    };
    const btg::ApproximationError error = error_by(btg::Execution(1));
    CHECK(error_by(btg::Execution(2)).score == error.score);
    for (const int i : {0, 1}) {
      const VectorXd other = moved(i == 0 ? 0 : noise_index);
      const double half_log_det = btg::kernel_node(made.model, eta.data())->half_log_det_kernel;
      const double moved_half = btg::kernel_node(made.model, other.data())->half_log_det_kernel;
      const double scale = std::exp(2.0 * (moved_half - half_log_det) / 250.0);
      const MatrixXd d = (scale * inverse(made.model, other) - inverse(made.model, eta) -
                          scale * inverse(model, other) + inverse(model, eta)) /
                         step;
      const double variance = 0.5 * (d * k * d * k).trace();
      const double ratio = std::sqrt(error.score(i, i) / variance);
      CHECK(ratio > 0.5 && ratio < 2.0);
    }
  }
}
