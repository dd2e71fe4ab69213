// The block factor: equal to the dense one where it leaves nothing out; elsewhere a Gaussian model
// of its own, checked against its covariance matrix, written down from W'W = K^-1.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "block_models.hpp"
#include "btg/base/parallel.hpp"
#include "btg/base/select_rows.hpp"
#include "btg/factor/approximation_error.hpp"
#include "btg/model/folds.hpp"
#include "btg/model/subset.hpp"
#include "btg/node/gradient.hpp"
#include "btg/node/node.hpp"
#include "btg/predictive/joint_draws.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/transforms/transformed_response.hpp"
#include "btg/validation/left_out.hpp"
#include "check.hpp"
#include "random_model.hpp"

using namespace blocks;

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
  const RandomModel made =
      large_model(random, problems::kernels()[1], btg::Form::radial, 20, 2, false);
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
          const double location = rest.location(cross, trend.row(row));
          // The variance of the model that W stands for may be less than the noise; the core then
          // takes the noise.
          const double noise = node.noise[model.sites.of_row(row)] / model.sites.weight(row);
          const double variance =
              std::max(noise, rest.variance(cross, trend.row(row), k(row, row)));
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
  const RandomModel made =
      large_model(random, problems::kernels()[1], btg::Form::radial, 1500, 2, true);
  const VectorXd eta = made.random_eta(random);
  const btg::Points points = random_points(random, made.model, 300, 2);
  for (const BlockOptions& options : {BlockOptions{20, 8, 30, 1}, BlockOptions{12, 1, 0, 1}}) {
    Model one = with_blocks(made.model, options), two = one;
    two.execution = btg::Execution(2);
    CHECK(evaluate_one(one, eta) == evaluate_one(two, eta));
    CHECK(btg::evaluate_gradient(one, eta.data()).gradient ==
          btg::evaluate_gradient(two, eta.data()).gradient);
    const btg::LatentValues a = problems::latent_values(one, eta, points);
    const btg::LatentValues b = problems::latent_values(two, eta, points);
    CHECK(a.location == b.location && a.scale == b.scale);
    const btg::Folds folds = btg::leave_one_out(static_cast<int>(one.response.size()));
    const btg::LeftOut c = btg::leave_out(one, eta, folds, true);
    const btg::LeftOut d = btg::leave_out(two, eta, folds, true);
    CHECK(c.location == d.location && c.scale == d.scale && c.log_marginal == d.log_marginal);
  }
}
