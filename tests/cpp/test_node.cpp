// One node against explicit inverses and determinants: factor, fit, marginal,
// prediction and gradient.
#include <limits>
#include <optional>

#include "btg/backend/compute_eigen.hpp"
#include "btg/node/gradient.hpp"
#include "btg/node/node.hpp"
#include "btg/node/predict.hpp"
#include "check.hpp"
#include "problems.hpp"

using btg::eigen_compute;
using btg::KernelNode;
using btg::LatentFit;
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
  bool product;
  MatrixXd inputs, trend;
  VectorXd z;
  double noise;

  std::optional<KernelNode> factor() const {
    return btg::factor_node(eigen_compute(), *kernel, product, inputs, Trend(trend), noise);
  }
  MatrixXd correlation(const MatrixXd& points) const {
    MatrixXd r(inputs.rows(), points.rows());
    kernel->cross_correlation(inputs.data(), int(inputs.rows()), points.data(), int(points.rows()),
                              int(inputs.cols()), product, r.data());
    return r;
  }
  LatentFit fit(const KernelNode& node) const { return btg::fit_latent(eigen_compute(), node, z); }
  NaiveFit naive(double jitter = 0.0) const {
    MatrixXd k = correlation(inputs);
    k.diagonal().array() += noise + jitter;
    return NaiveFit(k, trend, z);
  }
};

Problem random_problem(Random& random, const Kernel& kernel, bool product, int p) {
  const int n = random.integer(p + 2, 25), d = random.integer(1, 3);
  return {&kernel,
          product,
          random.matrix(n, d, -2, 2),
          random.polynomial_trend(n, p),
          random.matrix(n, 1, -3, 5),
          std::pow(10, random.uniform(-3, 0.5))};
}

// Every kernel, radial and product, with 1 to 3 trend columns.
template <class Body>
void for_each(Body body) {
  Random random(1);
  for (const Kernel& kernel : btg::kernel_registry()) {
    for (bool product : {false, true}) {
      for (int p = 1; p <= 3; ++p) {
        for (int repeat = 0; repeat < 4; ++repeat) {
          body(random_problem(random, kernel, product, p));
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
    const MatrixXd l = node.factor.triangularView<Eigen::Lower>();
    CHECK((l * l.transpose() - naive.k.cast<double>()).cwiseAbs().maxCoeff() < 1e-13);
    CHECK_CLOSE(node.half_log_det, double(naive.half_log_det), 1e-10);
    CHECK(node.jitter == 0.0);
    CHECK(node.noise == problem.noise);
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
    const VectorXd e = btg::weighted_residual(eigen_compute(), node, fit);
    CHECK((e - naive.e.cast<double>()).norm() < 1e-9 * e.norm());
    for (double log_jacobian : {0.0, 12.7, -40.0}) {
      CHECK_CLOSE(btg::log_marginal(node, fit, log_jacobian), naive.log_marginal(log_jacobian),
                  1e-10);
    }
  });
}

TEST("predictive location and scale, of an observation and of the process") {
  Random random(3);
  for_each([&](const Problem& problem) {
    const Trend trend(problem.trend);
    const KernelNode node = problem.factor().value();
    const LatentFit fit = problem.fit(node);
    const NaiveFit naive = problem.naive();
    MatrixXd points = random.matrix(7, int(problem.inputs.cols()), -3, 3);
    points.row(2) = problem.inputs.row(0);  // a datum
    points.row(3).setConstant(1e5);         // far away
    const MatrixXd new_trend = random.polynomial_trend(7, int(problem.trend.cols()));
    const MatrixXd cross = problem.correlation(points);
    for (bool observation : {true, false}) {
      const btg::CrossBlock block =
          btg::cross_block(eigen_compute(), *problem.kernel, problem.product, node, points,
                           trend.to_basis(new_trend), btg::equal_noise(7, observation));
      const VectorXd location = btg::predictive_location(block, fit);
      const VectorXd scale = btg::predictive_scale(block, fit);
      for (int j = 0; j < 7; ++j) {
        const double c0 = observation ? 1 + problem.noise : 1;
        CHECK_CLOSE(location[j], naive.location(cross.col(j), new_trend.row(j)), 1e-9);
        CHECK_CLOSE(scale[j], naive.scale(cross.col(j), new_trend.row(j), c0), 1e-9);
      }
    }
  });
}

TEST("the gradient in log lengthscales and log noise") {
  for_each([](const Problem& problem) {
    const auto log_marginal = [&](int k, double change) {
      Problem moved = problem;
      if (k < problem.inputs.cols()) {
        moved.inputs.col(k) *= std::exp(-change);
      } else {
        moved.noise *= std::exp(change);
      }
      const KernelNode node = moved.factor().value();
      return btg::log_marginal(node, moved.fit(node), 0.0);
    };
    const KernelNode node = problem.factor().value();
    const LatentFit fit = problem.fit(node);
    const btg::KernelGradient gradient =
        btg::kernel_gradient(eigen_compute(), *problem.kernel, problem.product, node, fit,
                             btg::weighted_residual(eigen_compute(), node, fit));
    for (int k = 0; k <= problem.inputs.cols(); ++k) {
      const double expected =
          problems::difference([&](double at) { return log_marginal(k, at); }, 0.0, 0.01);
      const bool noise = k == problem.inputs.cols();
      CHECK_CLOSE(noise ? gradient.log_noise : gradient.log_length_scales[k], expected, 1e-7);
    }
  });
}

TEST("a K that is singular to rounding gets the jitter it records, and stays finite") {
  Random random(2);
  for (const Kernel& kernel : btg::kernel_registry()) {
    const MatrixXd half = random.matrix(6, 2);
    const MatrixXd twice = half.replicate(2, 1);
    const Problem problem{&kernel, false, twice, MatrixXd::Ones(12, 1), random.matrix(12, 1),
                          1e-18};
    const KernelNode node = problem.factor().value();
    CHECK(node.jitter > 0 && node.jitter < 1e-5);
    CHECK_CLOSE(btg::log_marginal(node, problem.fit(node), 0.0),
                problem.naive(node.jitter).log_marginal(0.0), 1e-4);
  }
}

TEST("an exact fit and a response that is not finite have no likelihood") {
  Random random(5);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Kernel& kernel : btg::kernel_registry()) {
    Problem problem = random_problem(random, kernel, false, 2);
    const KernelNode node = problem.factor().value();
    const auto log_marginal = [&](const VectorXd& z) {
      return btg::log_marginal(node, btg::fit_latent(eigen_compute(), node, z), 0.0);
    };
    CHECK(std::isfinite(log_marginal(problem.z)));
    CHECK(log_marginal(VectorXd::Zero(problem.z.size())) == -infinity);
    CHECK(log_marginal(problem.trend * Eigen::Vector2d(3.3, -0.7)) == -infinity);
    for (double bad : {infinity, -infinity, std::nan(""), 1e300}) {
      VectorXd z = problem.z;
      z[1] = bad;
      CHECK(log_marginal(z) == -infinity);
    }
    const LatentFit fit = problem.fit(node);
    for (double bad : {infinity, -infinity, std::nan("")}) {
      CHECK(btg::log_marginal(node, fit, bad) == -infinity);
    }
  }
}

int main() { return check::run(); }
