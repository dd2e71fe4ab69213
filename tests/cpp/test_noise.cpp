// Noise that varies with the place, against explicit inverses and refits.
#include <cmath>
#include <string>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/model/folds.hpp"
#include "btg/model/noise.hpp"
#include "btg/model/subset.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/node/gradient.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/transforms/transformed_response.hpp"
#include "btg/validation/left_out.hpp"
#include "btg/validation/left_out_naive.hpp"
#include "check.hpp"
#include "random_model.hpp"

using btg::Model;
using btg::NoiseModel;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::NaiveFit;
using problems::Random;
using problems::RandomModel;

namespace {

// The columns that a model of `count` of them uses, of one more: not in their order.
std::vector<int> used_columns(int count) {
  std::vector<int> used;
  for (int k = count; k > 0; --k) used.push_back(k);
  return used;
}

// A model whose noise depends on `columns` columns.
RandomModel noisy_model(Random& random, const btg_compute::Kernel& kernel,
                        const std::vector<std::string>& transform, int columns) {
  RandomModel made = problems::random_model(random, kernel, btg::Form::radial, transform, 1);
  Model& model = made.model;
  model.noise = NoiseModel(random.matrix(static_cast<int>(model.inputs.rows()), columns + 1),
                           used_columns(columns));
  std::vector<btg::Hyperparameter> all;
  for (int j = 0; j < model.size(); ++j) {
    all.push_back(model.hyperparameters[j]);
    if (model.hyperparameters[j].role != btg::Role::noise) continue;
    for (int k = 0; k < columns; ++k) {
      all.push_back({"gamma", btg::Role::noise, btg::Scale::real, std::nullopt, 0.0});
    }
  }
  model.hyperparameters = btg::Hyperparameters(all);
  return made;
}

// v of the rows of b, as the formula reads.
VectorXd variances(const RandomModel& made, const VectorXd& eta, const MatrixXd& b) {
  const int first = made.noise_index();
  const std::vector<int>& used = made.model.noise.used();
  VectorXd v(b.rows());
  for (Eigen::Index i = 0; i < b.rows(); ++i) {
    double log_v = std::log(eta[first]);
    for (std::size_t k = 0; k < used.size(); ++k) log_v += b(i, used[k]) * eta[first + 1 + k];
    v[i] = std::exp(log_v);
  }
  return v;
}

struct Naive {
  Naive(const RandomModel& made, const VectorXd& eta) {
    const Model& model = made.model;
    MatrixXd k = made.correlation(model.inputs, eta);
    k.diagonal() += variances(made, eta, model.noise.columns());
    const btg::TransformedResponse g =
        btg::transform_response(model.transform, model.response, model.lambda(eta.data()));
    log_jacobian = g.log_jacobian;
    fit.emplace(k, made.trend, g.z);
  }
  std::optional<NaiveFit> fit;
  double log_jacobian;
};

template <class Body>
void for_each(Body body) {
  Random random(1);
  for (const btg_compute::Kernel& kernel : problems::kernels()) {
    for (int columns : {1, 2}) {
      const RandomModel made = noisy_model(random, kernel, {"boxcox"}, columns);
      btg::check_model(made.model);
      body(made, made.random_eta(random), random);
    }
  }
}

}  // namespace

TEST("without columns the noise is the same everywhere") {
  const NoiseModel noise;
  const double parameters[] = {0.3};
  CHECK(noise.constant() && noise.parameter_count() == 1);
  CHECK((noise.variance(4, parameters).array() == 0.3).all());
  double slope = 0;
  noise.gradient(Eigen::Vector3d(1, 2, 5), parameters, &slope);
  CHECK_CLOSE(slope, 0.3 * 8, 1e-15);
}

TEST("slopes in the parameters are those of differences") {
  Random random(2);
  const NoiseModel noise(random.matrix(6, 3), {2, 0}, 0.2);
  CHECK(!noise.constant() && noise.parameter_count() == 3);
  const VectorXd slopes = random.matrix(6, 1);
  const double parameters[] = {0.3, 0.5, -1.1};
  double gradient[3];
  noise.gradient(slopes, parameters, gradient);
  for (int j = 0; j < 3; ++j) {
    const auto along = [&](double by) {
      double moved[] = {0.3, 0.5, -1.1};
      moved[j] = j == 0 ? moved[j] * std::exp(by) : moved[j] + by;
      return slopes.dot(noise.variance(6, moved));
    };
    CHECK_CLOSE(gradient[j], problems::difference(along, 0, 0.01), 1e-9);
  }
}

TEST("the likelihood and its gradient have the noise of each row") {
  for_each([](const RandomModel& made, const VectorXd& eta, Random&) {
    const Naive naive(made, eta);
    CHECK_CLOSE(btg::evaluate(made.model, eta)[0], naive.fit->log_marginal(naive.log_jacobian),
                1e-10);
    const VectorXd gradient = btg::evaluate_gradient(made.model, eta.data()).gradient;
    for (int j = 0; j < eta.size(); ++j) {
      const btg::Scale scale = made.model.hyperparameters[j].scale;
      const auto along = [&](double coordinate) {
        VectorXd moved = eta;
        moved[j] = btg::from_coordinate(coordinate, scale);
        return btg::evaluate(made.model, moved)[0];
      };
      CHECK_CLOSE(gradient[j],
                  problems::difference(along, btg::to_coordinate(eta[j], scale), 0.004), 1e-7);
    }
  });
}

TEST("predictions have the noise of their place") {
  for_each([](const RandomModel& made, const VectorXd& eta, Random& random) {
    const Naive naive(made, eta);
    btg::Points points =
        problems::points_at(random.matrix(4, 3, -2, 2), MatrixXd::Ones(4, 1), true);
    points.relative_noise << 1, 0, 0.5, 1;
    points.noise_columns =
        random.matrix(4, static_cast<int>(made.model.noise.columns().cols()), -1, 1);
    const VectorXd v = variances(made, eta, points.noise_columns);
    const MatrixXd cross = made.correlation(points.inputs, eta);
    const btg::LatentValues latent = problems::latent_values(made.model, eta, points);
    for (int j = 0; j < 4; ++j) {
      const double c0 = 1 + v[j] * points.relative_noise[j];
      CHECK_CLOSE(latent.location(0, j), naive.fit->location(cross.col(j), points.trend.row(j)),
                  1e-10);
      CHECK_CLOSE(latent.scale(0, j), naive.fit->scale(cross.col(j), points.trend.row(j), c0),
                  1e-10);
    }
  });
}

TEST("rows are left out as by refitting") {
  for_each([](const RandomModel& made, const VectorXd& eta, Random&) {
    const int n = static_cast<int>(made.model.response.size());
    std::vector<int> three(n);
    for (int i = 0; i < n; ++i) three[i] = i % 3;
    for (const btg::Folds& folds : {btg::leave_one_out(n), btg::make_folds(three, 3)}) {
      for (bool observation : {true, false}) {
        const btg::LeftOut fast = btg::leave_out(made.model, eta, folds, observation);
        const btg::LeftOut naive = btg::leave_out_naive(made.model, eta, folds, observation);
        CHECK((fast.location - naive.location).cwiseAbs().maxCoeff() < 1e-8);
        CHECK((fast.scale - naive.scale).cwiseAbs().maxCoeff() < 1e-8);
        CHECK((fast.log_marginal - naive.log_marginal).cwiseAbs().maxCoeff() < 1e-8);
      }
    }
  });
}

// Rows at a site have one v and weights of their own.
TEST("sites with replicates have the likelihood and derivatives of their rows") {
  for_each([](const RandomModel& made, const VectorXd& eta, Random& random) {
    Model shared = made.model;
    const int m = static_cast<int>(shared.inputs.rows());
    std::vector<int> of_row;
    for (int i = 0; i < m; ++i) of_row.push_back(i);
    for (int i = 0; i < m; ++i) of_row.push_back(i / 2);
    shared.response = random.matrix(2 * m, 1, 0.4, 4);
    shared.sites = btg::Sites(of_row, random.matrix(2 * m, 1, 0.2, 3));
    const Model spread = btg::spread_out(shared);
    CHECK(spread.noise.columns().rows() == 2 * m);
    const btg::MarginalGradient a = btg::evaluate_gradient(shared, eta.data());
    const btg::MarginalGradient b = btg::evaluate_gradient(spread, eta.data());
    CHECK_CLOSE(a.log_marginal, b.log_marginal, 1e-9);
    for (int j = 0; j < eta.size(); ++j) CHECK_CLOSE(a.gradient[j], b.gradient[j], 1e-8);
    const btg::Folds folds = btg::leave_one_out(2 * m);
    const btg::LeftOut fast = btg::leave_out(shared, eta, folds, true);
    const btg::LeftOut naive = btg::leave_out_naive(shared, eta, folds, true);
    CHECK((fast.location - naive.location).cwiseAbs().maxCoeff() < 1e-7);
    CHECK((fast.scale - naive.scale).cwiseAbs().maxCoeff() < 1e-7);
  });
}

TEST("a noise that does not fit the model is an error") {
  Random random(3);
  RandomModel made = noisy_model(random, problems::kernels()[0], {}, 2);
  btg::check_model(made.model);
  const int sites = static_cast<int>(made.model.inputs.rows());
  made.model.noise = NoiseModel(random.matrix(sites, 2), {0});
  CHECK_THROWS(btg::check_model(made.model), btg::Error);
  made.model.noise = NoiseModel(random.matrix(3, 2), {0, 1});
  CHECK_THROWS(btg::check_model(made.model), btg::Error);
}
