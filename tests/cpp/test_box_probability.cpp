// Box probabilities against orthants in closed form, integrals of equicorrelated variables over
// their common part, and products of independent ones. Draws against a grid.
#include <cmath>
#include <limits>

#include "btg/backend/compute_eigen.hpp"
#include "btg/base/constants.hpp"
#include "btg/numerics/box_probability.hpp"
#include "btg/numerics/decompositions.hpp"
#include "btg/numerics/normal.hpp"
#include "btg/numerics/sobol_points.hpp"
#include "btg/numerics/truncated_normal.hpp"
#include "check.hpp"
#include "problems.hpp"

using btg::BoxDraws;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

const double infinity = std::numeric_limits<double>::infinity();

BoxDraws probability(const MatrixXd& covariance, const VectorXd& lower, const VectorXd& upper,
                     double nu, int count, int seed = 1) {
  const MatrixXd precision = btg::invert(covariance).matrix;
  const int d = static_cast<int>(lower.size());
  return btg::box_probability(btg::eigen_compute(), {precision, covariance}, {lower, upper, nu},
                              btg::sobol_points(d + 1, count, 0, seed));
}

MatrixXd equicorrelated(int d, double rho) {
  MatrixXd c = MatrixXd::Constant(d, d, rho);
  c.diagonal().setOnes();
  return c;
}

// P(a < T_k < b for all k) for equicorrelated T: an integral over the common part of the variables
// and the chi variable, by the trapezoidal rule.
double common_integral(int d, double rho, double a, double b, double nu) {
  const auto given_radius = [&](double r) {
    double sum = 0.0;
    const double step = 0.02;
    for (int i = -450; i <= 450; ++i) {
      const double x = i * step;
      const double log_mass =
          btg::log_normal_mass((r * a - std::sqrt(rho) * x) / std::sqrt(1 - rho),
                               (r * b - std::sqrt(rho) * x) / std::sqrt(1 - rho));
      sum += step * btg::normal_density(x) * std::exp(d * log_mass);
    }
    return sum;
  };
  if (std::isinf(nu)) return std::log(given_radius(1.0));
  double total = 0.0;
  const double step = 0.02;
  for (double s = step; s < std::sqrt(nu) + 9.0; s += step) {
    const double log_chi = (nu - 1.0) * std::log(s) - 0.5 * s * s -
                           (0.5 * nu - 1.0) * std::log(2.0) - std::lgamma(0.5 * nu);
    total += step * std::exp(log_chi) * given_radius(s / std::sqrt(nu));
  }
  return std::log(total);
}

}  // namespace

TEST("orthants") {
  // The same for t and normal variables.
  for (const double nu : {3.0, 40.0, infinity}) {
    const double rho = 0.7;
    BoxDraws two = probability(equicorrelated(2, rho), VectorXd::Zero(2),
                               VectorXd::Constant(2, infinity), nu, 16384);
    CHECK_CLOSE(std::exp(two.log_probability), 0.25 + std::asin(rho) / (2 * btg::pi), 1e-4);
    MatrixXd c = equicorrelated(3, 0.0);
    c(0, 1) = c(1, 0) = 0.6;
    c(0, 2) = c(2, 0) = -0.3;
    c(1, 2) = c(2, 1) = 0.2;
    const double expected =
        0.125 + (std::asin(0.6) + std::asin(-0.3) + std::asin(0.2)) / (4 * btg::pi);
    BoxDraws three = probability(c, VectorXd::Constant(3, -infinity), VectorXd::Zero(3), nu, 16384);
    CHECK_CLOSE(std::exp(three.log_probability), expected, 1e-4);
    CHECK(two.tilted && three.tilted);
  }
}

TEST("one dimension is exact") {
  for (const double nu : {2.0, 30.0, infinity}) {
    const MatrixXd c = MatrixXd::Constant(1, 1, 4.0);
    const BoxDraws box =
        probability(c, VectorXd::Constant(1, 5.0), VectorXd::Constant(1, 9.0), nu, 32);
    CHECK_CLOSE(box.log_probability, btg::log_t_mass(2.5, 4.5, nu), 1e-12);
    CHECK(box.draws.minCoeff() >= 5.0 && box.draws.maxCoeff() <= 9.0);
  }
}

TEST("equicorrelated boxes") {
  struct Case {
    int d;
    double rho, a, b, nu;
  };
  const Case cases[] = {{4, 0.6, 3.0, infinity, 50.0},       {5, 0.3, -1.0, 0.5, 4.0},
                        {20, 0.5, -infinity, 0.5, 79.0},     {60, 0.8, -infinity, -1.0, 49.0},
                        {100, 0.3, -infinity, 1.0, 120.0},   {150, 0.9, -0.4, 1.5, 60.0},
                        {40, 0.5, -infinity, -0.5, infinity}};
  for (const Case& one : cases) {
    const double expected = common_integral(one.d, one.rho, one.a, one.b, one.nu);
    const BoxDraws box =
        probability(equicorrelated(one.d, one.rho), VectorXd::Constant(one.d, one.a),
                    VectorXd::Constant(one.d, one.b), one.nu, one.d > 5 ? 4096 : 16384);
    CHECK(box.tilted);
    CHECK_CLOSE(box.log_probability - expected, 0.0, one.d > 5 ? 4.0 * box.standard_error : 1e-4);
    CHECK(box.standard_error < 0.05);
  }
}

TEST("independent tails") {
  // Each variable is 30 standard deviations out.
  const int d = 12;
  VectorXd lower(d), upper(d);
  double expected = 0.0;
  for (int k = 0; k < d; ++k) {
    lower[k] = k % 2 == 0 ? 30.0 + k : -infinity;
    upper[k] = k % 2 == 0 ? infinity : -30.0 - k;
    expected += btg::log_normal_mass(lower[k], upper[k]);
  }
  const BoxDraws box = probability(MatrixXd::Identity(d, d), lower, upper, infinity, 32);
  CHECK_CLOSE(box.log_probability, expected, 1e-9);
}

TEST("draws have the moments of the box") {
  // The mean of a t in a box, by a fine grid.
  MatrixXd c(2, 2);
  c << 1.0, 0.8, 0.8, 2.0;
  const MatrixXd q = btg::invert(c).matrix;
  const double nu = 7.0;
  const int cells = 600;
  const double a0 = -0.5, b0 = 2.0, a1 = 0.3, b1 = 3.0;
  double mass = 0.0;
  VectorXd mean = VectorXd::Zero(2);
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      VectorXd x(2);
      x << a0 + (b0 - a0) * (i + 0.5) / cells, a1 + (b1 - a1) * (j + 0.5) / cells;
      const double density = std::pow(1.0 + x.dot(q * x) / nu, -0.5 * (nu + 2.0));
      mass += density;
      mean += density * x;
    }
  }
  mean /= mass;
  VectorXd lower(2), upper(2);
  lower << a0, a1;
  upper << b0, b1;
  const BoxDraws box = probability(c, lower, upper, nu, 8192);
  const VectorXd found = box.draws * box.weights;
  CHECK_CLOSE(found[0], mean[0], 1e-3);
  CHECK_CLOSE(found[1], mean[1], 1e-3);
  CHECK_CLOSE(box.weights.sum(), 1.0, 1e-12);
  for (int k = 0; k < 2; ++k) {
    CHECK(box.draws.row(k).minCoeff() >= lower[k] && box.draws.row(k).maxCoeff() <= upper[k]);
  }
}

TEST("few points are accurate") {
  // Random covariances: the spread over scrambles of 32 points is small.
  problems::Random random(3);
  for (const int d : {20, 60, 120}) {
    const MatrixXd x = random.matrix(d, 2, 0.0, 4.0);
    MatrixXd c(d, d);
    for (int i = 0; i < d; ++i) {
      for (int j = 0; j < d; ++j) {
        c(i, j) = std::exp(-(x.row(i) - x.row(j)).norm()) + (i == j ? 0.1 : 0.0);
      }
    }
    const VectorXd lower = VectorXd::Constant(d, -infinity);
    const VectorXd upper = random.matrix(d, 1, -1.0, 1.0);
    const double exact = probability(c, lower, upper, 50.0, 8192).log_probability;
    double squares = 0.0;
    for (int seed = 1; seed <= 10; ++seed) {
      const double error = probability(c, lower, upper, 50.0, 32, seed).log_probability - exact;
      squares += error * error / 10.0;
    }
    CHECK(std::sqrt(squares) < 0.12);
  }
}
