// One node against explicit inverses and determinants: factor, fit, marginal,
// prediction and gradient.
#include <limits>
#include <optional>
#include <vector>

#include "btg/backend/compute_eigen.hpp"
#include "btg/node/gradient.hpp"
#include "btg/node/node.hpp"
#include "btg/node/predict.hpp"
#include "check.hpp"
#include "random_model.hpp"

using btg::eigen_compute;
using btg::KernelNode;
using btg::LatentFit;
using btg::Likelihood;
using btg::Trend;
using btg_compute::Kernel;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::NaiveFit;
using problems::Random;

namespace {

// Data on the scale of a node: inputs divided by lengthscales, a transformed response.
struct Problem {
  const Kernel* kernel;
  btg::Form form;
  MatrixXd inputs, trend;
  VectorXd z;
  double noise;
  double own = 1.3;  // the kernel's own parameters

  std::vector<double> parameters() const { return std::vector<double>(kernel->n_parameters, own); }
  VectorXd eta() const {
    VectorXd result = VectorXd::Ones(inputs.cols() + kernel->n_parameters + 1);
    result.segment(inputs.cols(), kernel->n_parameters).setConstant(own);
    result[result.size() - 1] = noise;
    return result;
  }
  // Without a transform, and with a lengthscale of 1 for each input.
  btg::Model model() const {
    std::vector<btg::Hyperparameter> all;
    const auto fix = [&](btg::Role role) {
      all.push_back({"", role, btg::Scale::positive, std::nullopt, 1.0});
    };
    btg::Model result;
    result.compute = &eigen_compute();
    result.terms = {btg::main_term(*kernel, form, static_cast<int>(inputs.cols()))};
    for (int k = 0; k < inputs.cols(); ++k) {
      fix(btg::Role::length_scale);
      result.length_scale_of_column.push_back(k);
    }
    for (int k = 0; k < kernel->n_parameters; ++k) fix(btg::Role::kernel);
    fix(btg::Role::noise);
    result.inputs = inputs;
    result.trend = Trend(trend);
    result.response = z;
    result.hyperparameters = btg::Hyperparameters(all);
    return result;
  }

  std::optional<KernelNode> factor() const { return btg::kernel_node(model(), eta().data()); }
  MatrixXd correlation(const MatrixXd& points) const {
    MatrixXd r(inputs.rows(), points.rows());
    const std::vector<double> own = parameters();
    eigen_compute().cross_correlation({kernel, form, own.data()}, inputs.data(), int(inputs.rows()),
                                      points.data(), int(points.rows()), int(inputs.cols()),
                                      r.data());
    return r;
  }
  LatentFit fit(const KernelNode& node) const { return btg::fit_latent(model(), node, z); }
  NaiveFit naive() const {
    MatrixXd k = correlation(inputs);
    k.diagonal().array() += noise;
    return NaiveFit(k, trend, z);
  }
};

double log_marginal(const KernelNode& node, const LatentFit& fit, double log_jacobian = 0.0) {
  const double power = 1.0 - static_cast<double>(fit.coefficients.size()) / fit.rows;
  return btg::log_marginal(node, fit, power * log_jacobian, Likelihood::integrated);
}

Problem random_problem(Random& random, const Kernel& kernel, btg::Form form, int p) {
  const int n = random.integer(p + 2, 25), d = random.integer(1, 3);
  return {&kernel,
          form,
          random.matrix(n, d, -2, 2),
          random.polynomial_trend(n, p),
          random.matrix(n, 1, -3, 5),
          std::pow(10, random.uniform(-3, 0.5))};
}

// Every kernel, radial and product, with 1 to 3 trend columns.
template <class Body>
void for_each(Body body) {
  Random random(1);
  for (const Kernel& kernel : problems::kernels()) {
    for (btg::Form form : {btg::Form::radial, btg::Form::product}) {
      for (int p = 1; p <= 3; ++p) {
        for (int repeat = 0; repeat < 4; ++repeat) {
          body(random_problem(random, kernel, form, p));
        }
      }
    }
  }
}

}  // namespace

TEST("factor and log determinants") {
  for_each([](const Problem& problem) {
    const KernelNode node = problem.factor().value();
    const NaiveFit naive = problem.naive();
    // W K W' = I, and what W undoes is a root of K.
    const MatrixXd k = naive.k.cast<double>(), identity = MatrixXd::Identity(k.rows(), k.rows());
    const MatrixXd w = node.factor->whiten(identity);
    CHECK((w * k * w.transpose() - identity).cwiseAbs().maxCoeff() < 1e-10);
    const MatrixXd root = problems::inverse(w);
    CHECK((root * root.transpose() - k).cwiseAbs().maxCoeff() < 1e-13);
    CHECK_CLOSE(node.half_log_det, double(naive.half_log_det), 1e-10);
    CHECK((node.noise.array() == problem.noise).all());
  });
}

TEST("least squares and the log marginal") {
  for_each([](const Problem& problem) {
    const KernelNode node = problem.factor().value();
    const LatentFit fit = problem.fit(node);
    const NaiveFit naive = problem.naive();
    CHECK_CLOSE(fit.q / double(naive.q), 1, 1e-10);
    // The trend itself: its coefficients are those of the orthonormal basis.
    const VectorXd trend = Trend(problem.trend).basis() * fit.coefficients;
    CHECK((trend - (naive.m * naive.beta).cast<double>()).cwiseAbs().maxCoeff() < 1e-9);
    const VectorXd e = btg::weighted_residual(node, fit);
    CHECK((e - naive.e.cast<double>()).norm() < 1e-9 * e.norm());
    for (double log_jacobian : {0.0, 12.7, -40.0}) {
      CHECK_CLOSE(log_marginal(node, fit, log_jacobian), naive.log_marginal(log_jacobian), 1e-10);
      CHECK_CLOSE(btg::log_marginal(node, fit, log_jacobian, Likelihood::profiled),
                  naive.log_profile(log_jacobian), 1e-10);
    }
  });
}

TEST("predictive location and scale, of an observation and of the process") {
  Random random(3);
  for_each([&](const Problem& problem) {
    const btg::Model model = problem.model();
    const KernelNode node = problem.factor().value();
    const btg::PredictingNode ready(node);
    const btg::PredictingFit fit(node, problem.fit(node));
    const NaiveFit naive = problem.naive();
    MatrixXd points = random.matrix(7, int(problem.inputs.cols()), -3, 3);
    points.row(2) = problem.inputs.row(0);  // a datum
    points.row(3).setConstant(1e5);         // far away
    const MatrixXd new_trend = random.polynomial_trend(7, int(problem.trend.cols()));
    const MatrixXd cross = problem.correlation(points);
    for (bool observation : {true, false}) {
      const btg::CrossPoints block = btg::cross_points(
          model, ready, problem.eta().data(), problems::points_at(points, new_trend, observation));
      const VectorXd location = btg::predictive_location(block, fit);
      const VectorXd scale = btg::predictive_scale(block, fit, model.likelihood);
      for (int j = 0; j < 7; ++j) {
        const double c0 = observation ? 1 + problem.noise : 1;
        CHECK_CLOSE(location[j], naive.location(cross.col(j), new_trend.row(j)), 1e-9);
        CHECK_CLOSE(scale[j], naive.scale(cross.col(j), new_trend.row(j), c0), 1e-9);
      }
    }
  });
}

TEST("the gradient in log lengthscales, the kernel's own parameters and log noise") {
  for_each([](const Problem& problem) {
    // By a change of the problem.
    const auto slope = [&](auto change) {
      const auto changed = [&](double by) {
        Problem moved = problem;
        change(moved, by);
        const KernelNode node = moved.factor().value();
        return log_marginal(node, moved.fit(node));
      };
      return problems::difference(changed, 0.0, 0.01);
    };
    const btg::Model model = problem.model();
    const VectorXd gradient = btg::evaluate_gradient(model, problem.eta().data()).gradient;
    const Eigen::Index inputs = problem.inputs.cols(), own = problem.kernel->n_parameters;
    CHECK(gradient.size() == inputs + own + 1);
    for (int k = 0; k < inputs; ++k) {
      CHECK_CLOSE(gradient[k],
                  slope([&](Problem& moved, double by) { moved.inputs.col(k) *= std::exp(-by); }),
                  1e-7);
    }
    CHECK_CLOSE(gradient.segment(inputs, own).sum(),
                slope([](Problem& moved, double by) { moved.own *= std::exp(by); }), 1e-7);
    CHECK_CLOSE(gradient[inputs + own],
                slope([](Problem& moved, double by) { moved.noise *= std::exp(by); }), 1e-7);
  });
}

TEST("a K that is singular to rounding has no factor, unless the noise has a floor") {
  Random random(2);
  for (const Kernel& kernel : problems::kernels()) {
    const MatrixXd half = random.matrix(6, 2);
    const MatrixXd twice = half.replicate(2, 1);
    const Problem problem{
        &kernel, btg::Form::radial, twice, MatrixXd::Ones(12, 1), random.matrix(12, 1), 1e-18};
    CHECK(!problem.factor());
    btg::Model model = problem.model();
    model.noise.set_floor(1e-9);
    const KernelNode node = btg::kernel_node(model, problem.eta().data()).value();
    Problem noisy = problem;
    noisy.noise = 1e-9;
    CHECK_CLOSE(log_marginal(node, btg::fit_latent(model, node, problem.z)),
                noisy.naive().log_marginal(0.0), 1e-4);
  }
}

TEST("an exact fit and a response that is not finite have no likelihood") {
  Random random(5);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Kernel& kernel : problems::kernels()) {
    Problem problem = random_problem(random, kernel, btg::Form::radial, 2);
    const KernelNode node = problem.factor().value();
    const auto of_response = [&](const VectorXd& z) {
      return log_marginal(node, btg::fit_latent(problem.model(), node, z));
    };
    CHECK(std::isfinite(of_response(problem.z)));
    CHECK(of_response(VectorXd::Zero(problem.z.size())) == -infinity);
    CHECK(of_response(problem.trend * Eigen::Vector2d(3.3, -0.7)) == -infinity);
    for (double bad : {infinity, -infinity, std::nan(""), 1e300}) {
      VectorXd z = problem.z;
      z[1] = bad;
      CHECK(of_response(z) == -infinity);
    }
    const LatentFit fit = problem.fit(node);
    for (double bad : {infinity, -infinity, std::nan("")}) {
      CHECK(log_marginal(node, fit, bad) == -infinity);
    }
  }
}
