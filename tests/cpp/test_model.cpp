// The model at any hyperparameters: marginals, gradients and latent predictions.
#include <atomic>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "btg/backend/compute_eigen.hpp"
#include "btg/base/parallel.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/node/gradient.hpp"
#include "btg/node/trend_estimate.hpp"
#include "btg/numerics/student_t.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/transforms/registry.hpp"
#include "check.hpp"
#include "random_model.hpp"

using btg::Likelihood;
using btg::Model;
using btg::Scale;
using btg_compute::Kernel;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::NaiveFit;
using problems::Random;
using problems::random_model;
using problems::RandomModel;

namespace {

const double infinity = std::numeric_limits<double>::infinity();

std::atomic<int> factorisations{0};

int counting_cholesky(double* a, int n) {
  ++factorisations;
  return btg::eigen_compute().cholesky(a, n);
}

double evaluate_one(const Model& model, const VectorXd& eta) {
  return btg::evaluate(model, eta)[0];
}

// Every kernel, radial and product, with every transform and some compositions, and by turns with
// the marginal and with the profile likelihood.
template <class Body>
void for_each(Body body) {
  std::vector<std::vector<std::string>> transforms{
      {}, {"affine", "sinharcsinh"}, {"boxcox", "arcsinh"}, {"affine", "boxcox", "yeojohnson"}};
  for (const std::string& name : problems::unbounded_transforms()) transforms.push_back({name});
  Random random(1);
  int p = 0;
  for (const Kernel& kernel : problems::kernels()) {
    for (btg::Form form : {btg::Form::radial, btg::Form::product}) {
      for (const auto& transform : transforms) {
        RandomModel problem = random_model(random, kernel, form, transform, 1 + p++ % 3);
        const VectorXd eta = problem.random_eta(random);
        for (const Likelihood likelihood : {Likelihood::integrated, Likelihood::profiled}) {
          problem.model.likelihood = likelihood;
          body(problem, eta);
        }
      }
    }
  }
}

RandomModel plain_model(const std::vector<std::string>& transform = {"boxcox"}) {
  Random random(2);
  return random_model(random, problems::kernels()[1], btg::Form::radial, transform, 1);
}

}  // namespace

TEST("the log marginal is that of explicit inverses and determinants") {
  for_each([](const RandomModel& problem, const VectorXd& eta) {
    const double expected = problem.naive_log_marginal(eta);
    CHECK_CLOSE(evaluate_one(problem.model, eta), expected, 1e-10);
    CHECK_CLOSE(btg::evaluate_gradient(problem.model, eta.data()).log_marginal, expected, 1e-10);
  });
}

TEST("the gradient is the difference in every coordinate") {
  for_each([](const RandomModel& problem, const VectorXd& eta) {
    const VectorXd gradient = btg::evaluate_gradient(problem.model, eta.data()).gradient;
    for (int j = 0; j < eta.size(); ++j) {
      const Scale scale = problem.model.hyperparameters[j].scale;
      const auto along = [&](double coordinate) {
        VectorXd moved = eta;
        moved[j] = btg::from_coordinate(coordinate, scale);
        return evaluate_one(problem.model, moved);
      };
      CHECK_CLOSE(gradient[j],
                  problems::difference(along, btg::to_coordinate(eta[j], scale), 0.004), 1e-7);
    }
  });
}

TEST("latent predictions are those of explicit inverses") {
  Random random(3);
  for_each([&](const RandomModel& problem, const VectorXd& eta) {
    const MatrixXd points = random.matrix(4, 3, -2, 2);
    const MatrixXd trend = random.polynomial_trend(4, int(problem.trend.cols()));
    const NaiveFit naive = problem.naive(eta);
    const MatrixXd cross = problem.correlation(points, eta);
    for (bool observation : {false, true}) {
      const btg::LatentValues latent = problems::latent_values(
          problem.model, eta, problems::points_at(points, trend, observation));
      const double c0 = observation ? 1 + eta[problem.noise_index()] : 1;
      for (int j = 0; j < 4; ++j) {
        CHECK_CLOSE(latent.location(0, j), naive.location(cross.col(j), trend.row(j)), 1e-10);
        const double n = double(problem.model.response.size()), p = double(trend.cols());
        const double to_profile =
            problem.model.likelihood == Likelihood::profiled ? std::sqrt((n - p) / n) : 1.0;
        CHECK_CLOSE(latent.scale(0, j), to_profile * naive.scale(cross.col(j), trend.row(j), c0),
                    1e-10);
      }
    }
  });
}

// p(y, y*) = p(y) p(y* | y); p(y) has the constant gamma((n-p)/2) pi^(-(n-p)/2).
TEST("the marginal of one more datum is its predictive density") {
  Random random(4);
  for (const Kernel& kernel : problems::kernels()) {
    const RandomModel whole = random_model(random, kernel, btg::Form::radial, {}, 2);
    const VectorXd eta = whole.random_eta(random);
    const int n = int(whole.model.response.size()) - 1;
    Model part = whole.model;
    part.inputs = whole.model.inputs.topRows(n);
    part.trend = btg::Trend(whole.trend.topRows(n));
    part.response = whole.model.response.head(n);
    const btg::LatentValues latent = problems::latent_values(
        part, eta,
        problems::points_at(whole.model.inputs.bottomRows(1), whole.trend.bottomRows(1), true));
    const double half = 0.5 * part.degrees_of_freedom(), s = latent.scale(0, 0);
    const double x = (whole.model.response[n] - latent.location(0, 0)) / s;
    const double constant =
        std::lgamma(half + 0.5) - std::lgamma(half) - 0.5 * std::log(std::acos(-1.0));
    CHECK_CLOSE(evaluate_one(whole.model, eta) - evaluate_one(part, eta) + constant,
                std::log(btg::StudentT(2 * half).density(x) / s), 1e-10);
  }
}

TEST("the predictive t has n - p degrees of freedom, that of a profile is normal") {
  RandomModel problem = plain_model();
  const double n = double(problem.model.response.size());
  CHECK(problem.model.degrees_of_freedom() == n - 1);
  problem.model.likelihood = Likelihood::profiled;
  CHECK(problem.model.degrees_of_freedom() == infinity);
}

TEST("the trend's coefficients and their covariance are those of explicit inverses") {
  for_each([](const RandomModel& problem, const VectorXd& eta) {
    const NaiveFit naive = problem.naive(eta);
    const double n = double(naive.z.size()), p = double(naive.m.cols());
    const double variance =
        double(naive.q) / (problem.model.likelihood == Likelihood::profiled ? n : n - p);
    const btg::TrendEstimate trend = btg::estimate_trend(problem.model, eta.data());
    CHECK_CLOSE(trend.variance, variance, 1e-10);
    for (int i = 0; i < p; ++i) {
      CHECK_CLOSE(trend.coefficients[i], double(naive.beta[i]), 1e-8);
      for (int j = 0; j < p; ++j) {
        CHECK_CLOSE(trend.covariance(i, j), variance * double(naive.a_inverse(i, j)), 1e-8);
      }
    }
  });
}

TEST("many nodes are as one at a time, on any threads, and neighbours share a factor") {
  RandomModel problem = plain_model();
  btg::Compute counting = btg::eigen_compute();
  counting.cholesky = counting_cholesky;
  problem.model.compute = &counting;
  Random random(5);
  MatrixXd etas(4, 12);
  for (int i = 0; i < 12; ++i) etas.col(i) = problem.random_eta(random);
  for (int i = 0; i < 12; ++i) etas.col(i).head(3) = etas.col(i - i % 4).head(3).eval();
  for (int threads : {1, 3}) {
    problem.model.execution.threads = threads;
    factorisations = 0;
    const VectorXd all = btg::evaluate(problem.model, etas);
    CHECK(factorisations == 3);
    const btg::Points points =
        problems::points_at(problem.model.inputs.topRows(2), MatrixXd::Ones(2, 1), true);
    const auto latent = problems::latent_values(problem.model, etas, points);
    CHECK(factorisations == 6);
    for (int i = 0; i < 12; ++i) {
      CHECK(all[i] == evaluate_one(problem.model, etas.col(i)));
      const auto one = problems::latent_values(problem.model, etas.col(i), points);
      CHECK(latent.location.row(i) == one.location && latent.scale.row(i) == one.scale);
    }
  }
}

TEST("a response outside the domain has no likelihood") {
  const RandomModel problem = plain_model({"affine", "boxcox"});
  VectorXd eta = VectorXd::Constant(6, 0.5);
  eta[3] = -1;  // -1 + 0.5 y, for y up to 4
  CHECK(evaluate_one(problem.model, eta) == -infinity);
  CHECK(btg::evaluate_gradient(problem.model, eta.data()).log_marginal == -infinity);
  eta[3] = 1;
  CHECK(std::isfinite(evaluate_one(problem.model, eta)));
}

TEST("a singular kernel matrix has no likelihood, unless the noise has a floor") {
  RandomModel problem = plain_model();
  problem.model.inputs.row(1) = problem.model.inputs.row(0);
  MatrixXd etas = VectorXd::Ones(4).replicate(1, 2);
  etas(2, 0) = 1e-18;
  const VectorXd without = btg::evaluate(problem.model, etas);
  CHECK(without[0] == -infinity && std::isfinite(without[1]));
  problem.model.noise.set_floor(btg::noise_floor(problem.model.site_count(), 1.0));
  CHECK(btg::evaluate(problem.model, etas).allFinite());
}

TEST("nothing is NaN at absurd hyperparameters") {
  for_each([](const RandomModel& problem, const VectorXd& eta) {
    for (double value : {0.0, 1e-320, 1e-200, 1e-100, 1e-20, 1e20, 1e100, 1e200, infinity}) {
      for (int j = 0; j < problem.model.hyperparameters.covariance_size(); ++j) {
        VectorXd absurd = eta;
        absurd[j] = value;
        CHECK(evaluate_one(problem.model, absurd) < infinity);  // false if NaN
        if (!(1e-150 < value && value < 1e150)) continue;
        CHECK(!btg::evaluate_gradient(problem.model, absurd.data()).gradient.hasNaN());
      }
    }
  });
}

TEST("an interrupt stops the work") {
  RandomModel problem = plain_model();
  MatrixXd etas = MatrixXd::Ones(4, 10);
  etas.row(0).setLinSpaced(1, 2);
  int calls = 0;
  btg::Callbacks callbacks;
  callbacks.interval = 0.0;
  callbacks.check_interrupt = [&] {
    if (++calls == 3) throw std::runtime_error("stop");
  };
  problem.model.execution = btg::Execution(1, callbacks);
  CHECK_THROWS(btg::evaluate(problem.model, etas), std::runtime_error);
  CHECK(calls == 3);
}
