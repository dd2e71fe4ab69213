// Derivatives of kernels, factors and predictions in the inputs against differences.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "btg/backend/compute_eigen.hpp"
#include "btg/base/error.hpp"
#include "btg/ensemble/ensemble.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/predictive/law.hpp"
#include "btg/predictive/questions.hpp"
#include "check.hpp"
#include "random_model.hpp"

using btg::Direction;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Random;
using problems::RandomModel;

namespace {

// The central difference of f at step h, without its leading error.
template <class F>
MatrixXd difference(F f, double h) {
  const MatrixXd narrow = (f(h) - f(-h)) / (2 * h), wide = (f(2 * h) - f(-2 * h)) / (4 * h);
  return (4 * narrow - wide) / 3;
}

void check_all_close(const MatrixXd& a, const MatrixXd& b, double tolerance) {
  CHECK(a.rows() == b.rows() && a.cols() == b.cols());
  for (Eigen::Index i = 0; i < a.size(); ++i) CHECK_CLOSE(a(i), b(i), tolerance);
}

// Points moved along a direction.
btg::Points moved(const btg::Points& points, const Direction& along, double step) {
  btg::Points result = points;
  result.inputs += step * along.inputs;
  result.trend += step * along.trend;
  if (along.noise_columns.cols() > 0) result.noise_columns += step * along.noise_columns;
  return result;
}

}  // namespace

TEST("slopes of correlations are those of differences, for every kernel") {
  Random random(1);
  const int n = 11, m = 3, d = 3;
  const MatrixXd x = random.matrix(n, d, -2, 2), y = random.matrix(m, d, -2, 2);
  const double parameter = 0.8;
  for (const btg_compute::Kernel& kernel : problems::kernels()) {
    for (const btg::Form form : {btg::Form::radial, btg::Form::product}) {
      const btg_compute::Correlation how{&kernel, form, &parameter};
      MatrixXd slopes(n, m * d);
      btg::eigen_compute().cross_slopes(how, x.data(), n, y.data(), m, d, slopes.data());
      for (int k = 0; k < d; ++k) {
        const MatrixXd expected = difference(
            [&](double step) {
              MatrixXd at = y, r(n, m);
              at.col(k).array() += step;
              btg::eigen_compute().cross_correlation(how, x.data(), n, at.data(), m, d, r.data());
              return r;
            },
            1e-4);
        check_all_close(slopes.middleCols(m * k, m), expected, 1e-9);
      }
    }
  }
}

TEST("a correlation has no slope where it is 1") {
  const double x[] = {0.3, -0.2};
  for (const btg_compute::Kernel& kernel : problems::kernels()) {
    const double parameter = 1.0;
    double slopes[] = {1.0, 1.0};
    btg::eigen_compute().cross_slopes({&kernel, btg::Form::radial, &parameter}, x, 1, x, 1, 2,
                                      slopes);
    CHECK(slopes[0] == 0.0 && slopes[1] == 0.0);
  }
}

TEST("locations and scales have the slopes of differences") {
  Random random(2);
  for (const btg_compute::Kernel& kernel : problems::kernels()) {
    for (const int p : {1, 2}) {
      const btg::Form form = p == 2 ? btg::Form::product : btg::Form::radial;
      RandomModel made = problems::random_model(random, kernel, form, {"boxcox"}, p);
      const Eigen::Index n = made.model.response.size();
      // With a noise that varies above a floor.
      if (p == 2) {
        made.model.noise = btg::NoiseModel(random.matrix(static_cast<int>(n), 2), {1}, 0.2);
        std::vector<btg::Hyperparameter> all;
        for (int j = 0; j < made.model.size(); ++j) {
          all.push_back(made.model.hyperparameters[j]);
          if (j == made.noise_index()) {
            all.push_back({"noise.b", btg::Role::noise, btg::Scale::real, std::nullopt, 1.0});
          }
        }
        made.model.hyperparameters = btg::Hyperparameters(all);
      }
      MatrixXd etas(made.model.size(), 3);
      for (int i = 0; i < 3; ++i) etas.col(i) = made.random_eta(random);
      // The last two share a factor.
      const int covariance = made.model.hyperparameters.covariance_size();
      etas.col(2).head(covariance) = etas.col(1).head(covariance);
      btg::Points points = problems::points_at(random.matrix(5, 3, -1.5, 1.5), random.matrix(5, p),
                                               random.matrix(5, 1, 0, 1));
      points.noise_columns = random.matrix(5, p == 2 ? 2 : 0);
      const Direction along{random.matrix(5, 3), random.matrix(5, p),
                            random.matrix(5, p == 2 ? 2 : 0)};
      const btg::LatentPredictions slopes =
          btg::predict_latent(made.model, etas, points, {along, along}, {});
      const btg::LatentValues at = problems::latent_values(made.model, etas, points);
      check_all_close(slopes.at.location, at.location, 1e-13);
      check_all_close(slopes.at.scale, at.scale, 1e-13);
      const auto predicted = [&](double step) {
        return problems::latent_values(made.model, etas, moved(points, along, step));
      };
      CHECK(slopes.along.size() == 2);
      check_all_close(slopes.along[1].location,
                      difference([&](double step) { return predicted(step).location; }, 1e-4),
                      1e-8);
      check_all_close(slopes.along[1].scale,
                      difference([&](double step) { return predicted(step).scale; }, 1e-4), 1e-8);
    }
  }
}

TEST("answers of an ensemble have the slopes of differences") {
  Random random(3);
  const RandomModel made =
      problems::random_model(random, problems::kernels()[1], btg::Form::radial, {"sinharcsinh"}, 1);
  MatrixXd etas(made.model.size(), 4);
  for (int i = 0; i < 4; ++i) etas.col(i) = made.random_eta(random);
  const auto model = std::make_shared<btg::Model>(made.model);
  const btg::Ensemble ensemble({{model, etas, 1.0, 2.0}, {model, etas, 0.5, 1.5}},
                               VectorXd::Constant(8, 0.125));
  const btg::Points points = problems::points_at(random.matrix(3, 3), MatrixXd::Ones(3, 1), false);
  const Direction along{random.matrix(3, 3), MatrixXd::Zero(3, 1), MatrixXd(3, 0)};
  std::vector<btg::Question> questions{{&btg::find_question("quantile"), MatrixXd(1, 2)},
                                       {&btg::find_question("cdf"), MatrixXd(1, 2)}};
  questions[0].at << 0.2, 0.7;
  questions[1].at << 2.5, 4.0;
  btg::AnswerOptions options;
  options.tolerance = 1e-13;
  const auto ask = [&](const btg::Points& at, const std::vector<Direction>& directions) {
    return ensemble.answer({at, directions, std::nullopt, questions, options});
  };
  const btg::Answers answers = ask(points, {along}), plain = ask(points, {});
  for (std::size_t k = 0; k < questions.size(); ++k) {
    check_all_close(answers.of[k].values, plain.of[k].values, 1e-10);
    const MatrixXd expected = difference(
        [&](double step) { return ask(moved(points, along, step), {}).of[k].values; }, 1e-3);
    check_all_close(answers.of[k].slopes[0], expected, 1e-7);
  }
  const std::vector<btg::Question> mode{{&btg::find_question("mode"), MatrixXd::Zero(1, 1)}};
  CHECK_THROWS(ensemble.answer({points, {along}, std::nullopt, mode, options}), btg::Error);
}
