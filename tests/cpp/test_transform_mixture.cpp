// Mixtures fitted to the transform's parameters: closed forms of one component, sums over grids for
// several, and brute force for where they start.
#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <vector>

#include "btg/base/constants.hpp"
#include "btg/quadrature/modes.hpp"
#include "btg/quadrature/sampling/transform_mixture.hpp"
#include "check.hpp"
#include "problems.hpp"

using btg::SplitMixture;
using btg::Target;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Random;

namespace {

// The log density of a multivariate t with location m and scale matrix S S'.
double log_t_density(const VectorXd& x, const VectorXd& m, const MatrixXd& s, double nu) {
  const double d = static_cast<double>(x.size());
  const VectorXd white = problems::solve(s, VectorXd(x - m));
  return std::lgamma((nu + d) / 2) - std::lgamma(nu / 2) - d / 2 * std::log(nu * btg::pi) -
         problems::log_abs_determinant(s) - (nu + d) / 2 * std::log1p(white.squaredNorm() / nu);
}

// Even points of [-8, 8], and the sums of densities over them.
const int grid_size = 4001;
const double grid_step = 16.0 / (grid_size - 1);

MatrixXd grid() { return VectorXd::LinSpaced(grid_size, -8, 8).transpose(); }

VectorXd density_on_grid(const SplitMixture& mixture) {
  return mixture.log_density(grid()).array().exp();
}

// The posterior of one coordinate given its log likelihood, on the grid.
VectorXd posterior_on_grid(const std::function<double(double)>& log_likelihood) {
  VectorXd result(grid_size);
  for (int i = 0; i < grid_size; ++i) {
    const double x = grid()(0, i);
    result[i] = std::exp(log_likelihood(x) - 0.5 * x * x);
  }
  return result / (result.sum() * grid_step);
}

double total_variation(const VectorXd& p, const VectorXd& q) {
  return 0.5 * grid_step * (p - q).cwiseAbs().sum();
}

// A kernel's coordinate u_0 and a transform's u_1, whose likelihood depends on both.
struct Problem {
  std::function<double(double, double)> log_likelihood;
  btg::Mode mode;
  std::vector<double> kernel_coordinates;  // that were asked for

  SplitMixture mixture(std::uint64_t seed = 1) {
    Target target;
    target.dimension = 2;
    target.kernel_dimension = 1;
    target.log_likelihood = [this](const MatrixXd& points) {
      VectorXd result(points.cols());
      for (Index i = 0; i < points.cols(); ++i) {
        kernel_coordinates.push_back(points(0, i));
        result[i] = log_likelihood(points(0, i), points(1, i));
      }
      return result;
    };
    return btg::transform_mixture(target, mode, seed);
  }
};

Problem problem_at(const VectorXd& point, const VectorXd& curvatures,
                   std::function<double(double, double)> log_likelihood) {
  return {std::move(log_likelihood), {point, 0.0, curvatures, MatrixXd::Identity(2, 2)}, {}};
}

}  // namespace

TEST("a part is a multivariate t") {
  Random random(1);
  for (const int d : {1, 2, 4}) {
    MatrixXd root = random.matrix(d, d);
    root.diagonal().array() += 1.5;
    const VectorXd mean = random.matrix(d, 1, -2, 2);
    for (const double nu : {3.0, 30.0}) {
      const btg::SplitT part = btg::normal_part(mean, root, nu);
      const MatrixXd points = random.matrix(d, 20, -5, 5);
      const VectorXd actual = part.log_density(points);
      for (int i = 0; i < 20; ++i) {
        CHECK_CLOSE(actual[i], log_t_density(points.col(i), mean, root, nu), 1e-12);
      }
    }
  }
}

TEST("first centres are the heaviest point, then those far from them") {
  Random random(2);
  for (const int n : {1, 5, 40}) {
    const MatrixXd points = random.matrix(3, n);
    const VectorXd weights = random.matrix(n, 1, 0, 1);
    const int count = std::min(n, 6);
    const std::vector<Index> chosen = btg::spread_out(points, weights, count);
    CHECK(static_cast<int>(chosen.size()) == count);
    for (int c = 0; c < count; ++c) {
      Index best = 0;
      double most = -1;
      for (int i = 0; i < n; ++i) {
        double nearest = c == 0 ? 1 : INFINITY;
        for (int k = 0; k < c; ++k) {
          nearest = std::fmin(nearest, (points.col(i) - points.col(chosen[k])).squaredNorm());
        }
        if (weights[i] * nearest > most) most = weights[i] * nearest, best = i;
      }
      CHECK(chosen[c] == best);
    }
  }
}

// Too few for two: mean and covariance of the points, of which the latter counts as many as they
// are worth, and four times the same, with 1e-6 on its diagonal.
TEST("few points give one normal, by their mean and covariance") {
  Random random(3);
  for (const int d : {1, 2, 3}) {
    const int n = 2 * (d + 1);
    const MatrixXd points = random.matrix(d, n, -3, 3);
    VectorXd weights = random.matrix(n, 1, 0.5, 1);
    weights /= weights.sum();
    const VectorXd mean = points * weights;
    MatrixXd covariance = MatrixXd::Zero(d, d);
    for (int i = 0; i < n; ++i) {
      covariance += weights[i] * (points.col(i) - mean) * (points.col(i) - mean).transpose();
    }
    const double worth = 1 / weights.squaredNorm();
    covariance.diagonal().array() += 1e-6 * 4 / (worth + 4);
    const MatrixXd root = 1.15 * problems::cholesky(covariance);
    const SplitMixture mixture = btg::fit_normals(points, weights);
    CHECK(mixture.components.size() == 1 && mixture.shares[0] == 1.0);
    const MatrixXd at = random.matrix(d, 10, -4, 4);
    const VectorXd actual = mixture.log_density(at);
    for (int i = 0; i < 10; ++i) {
      CHECK_CLOSE(actual[i], log_t_density(at.col(i), mean, root, 30), 1e-9);
    }
  }
}

TEST("two clusters are found with their shares") {
  Random random(4);
  const int n = 600;
  MatrixXd points(1, n);
  for (int i = 0; i < n; ++i) {
    const double spread = random.uniform(-1, 1) + random.uniform(-1, 1) + random.uniform(-1, 1);
    points(0, i) = (i % 10 < 3 ? -4 : 3) + 0.5 * spread;
  }
  const SplitMixture mixture = btg::fit_normals(points, VectorXd::Constant(n, 1.0 / n));
  double shares = 0;
  for (const double share : mixture.shares) shares += share;
  CHECK_CLOSE(shares, 1.0, 1e-12);
  CHECK(mixture.components.size() == mixture.shares.size() && mixture.shares.size() == 8);
  const VectorXd density = density_on_grid(mixture);
  CHECK_CLOSE(grid_step * density.sum(), 1.0, 1e-3);
  CHECK_CLOSE(grid_step * density.head(grid_size / 2).sum(), 0.3, 0.01);
  const double valley = density[grid_size / 2];
  CHECK(valley < 0.01 * density.maxCoeff());
}

TEST("points without weight do not count") {
  Random random(5);
  const int n = 100;
  const MatrixXd points = random.matrix(2, n, -2, 2);
  VectorXd weights = random.matrix(n, 1, 0, 1);
  weights /= weights.sum();
  MatrixXd more(2, n + 30);
  more << points, random.matrix(2, 30, -50, 50);
  VectorXd with_zeros = VectorXd::Zero(n + 30);
  with_zeros.head(n) = weights;
  const MatrixXd at = random.matrix(2, 10, -3, 3);
  const VectorXd expected = btg::fit_normals(points, weights).log_density(at);
  const VectorXd actual = btg::fit_normals(more, with_zeros).log_density(at);
  CHECK((actual - expected).cwiseAbs().maxCoeff() < 1e-8);
}

TEST("all weight on one point gives a narrow normal there") {
  VectorXd weights = VectorXd::Zero(50);
  weights[7] = 1.0;
  MatrixXd points = Random(6).matrix(2, 50);
  const SplitMixture mixture = btg::fit_normals(points, weights);
  CHECK(mixture.components.size() == 1);
  const double at_point = mixture.log_density(points.col(7))[0];
  CHECK(std::isfinite(at_point));
  CHECK(at_point > mixture.log_density(points.col(7) + Eigen::Vector2d(0.1, 0))[0] + 50);
}

TEST("the mixture is near the posterior given the kernel, whatever its shape") {
  struct Case {
    const char* name;
    std::function<double(double)> log_likelihood;  // of u_1, where u_0 is that of the mode
    double centre, curvature;
  };
  const std::vector<Case> cases{
      {"normal", [](double x) { return -2 * (x - 1) * (x - 1); }, 0.8, 5},
      {"skewed", [](double x) { return 4 * x - 3 * std::exp(x); }, 0.2, 4.6},
      {"two modes", [](double x) { return -std::pow(x * x - 2, 2); }, 1.3, 17},
      {"cut off", [](double x) { return x < -0.5 ? -INFINITY : -x; }, -0.5, 1}};
  for (const Case& c : cases) {
    const double held = 0.7;
    // Another u_0 would have another posterior.
    Problem problem = problem_at(
        Eigen::Vector2d(held, c.centre), Eigen::Vector2d(3, c.curvature),
        [&](double u, double x) { return c.log_likelihood(x) + (u == held ? 0 : 10 * x); });
    const VectorXd fitted = density_on_grid(problem.mixture());
    const VectorXd exact = posterior_on_grid(c.log_likelihood);
    CHECK_CLOSE(grid_step * fitted.sum(), 1.0, 1e-3);
    CHECK(total_variation(fitted, exact) < 0.15);
    // As a proposal it gives large weights to little of the mass.
    double short_of = 0;
    for (int i = 0; i < grid_size; ++i) {
      if (exact[i] > 3 * fitted[i]) short_of += grid_step * exact[i];
    }
    CHECK(short_of < 0.02);
    CHECK(problem.kernel_coordinates == std::vector<double>(300, held));
  }
}

TEST("the same seed gives the same mixture, another one nearly the same") {
  const auto log_likelihood = [](double u, double x) { return -u * u - std::pow(x * x - 2, 2); };
  Problem problem = problem_at(Eigen::Vector2d(0, 1.3), Eigen::Vector2d(3, 17), log_likelihood);
  const VectorXd once = density_on_grid(problem.mixture(5));
  CHECK(density_on_grid(problem.mixture(5)) == once);
  const VectorXd other = density_on_grid(problem.mixture(6));
  CHECK(other != once && total_variation(other, once) < 0.1);
}
