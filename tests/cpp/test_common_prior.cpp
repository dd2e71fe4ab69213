// Lengthscales that share a level: the density against double integrals over the level and the
// spread, its gradient against differences, and the normal approximation by its moments.
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <random>

#include "btg/base/constants.hpp"
#include "btg/priors/common_prior.hpp"
#include "check.hpp"
#include "long_algebra.hpp"

using btg::CommonPrior;
using btg::Prior;
using btg::PriorSpec;
using btg::Scale;
using Eigen::VectorXd;

namespace {

using Rule = boost::math::quadrature::gauss_kronrod<double, 61>;

const double centre = 1.3, width = 0.8;
const PriorSpec uniform{"uniform", {0.3, 1.5}}, lognormal{"lognormal", {-0.4, 0.5}};

double normal_density(double x, double mean, double sd) {
  return std::exp(-0.5 * std::pow((x - mean) / sd, 2)) / (sd * std::sqrt(2 * btg::pi));
}

CommonPrior level_of(Eigen::Index count, const PriorSpec& spread) {
  return CommonPrior(count, centre, width, btg::spread_nodes(Prior(spread, Scale::positive)));
}

VectorXd random_point(Eigen::Index count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal(centre, 1.2);
  return VectorXd::NullaryExpr(count, [&] { return normal(generator); });
}

// By its definition: the integral over s and m of the product of the densities.
double naive_density(const VectorXd& x, const PriorSpec& spread) {
  const Prior prior(spread, Scale::positive);
  const auto given_spread = [&](double s) {
    const auto given_both = [&](double m) {
      double density = normal_density(m, centre, width);
      for (Eigen::Index j = 0; j < x.size(); ++j) density *= normal_density(x[j], m, s);
      return density;
    };
    return Rule::integrate(given_both, centre - 8, centre + 8, 12, 1e-11);
  };
  const auto over_quantile = [&](double p) { return given_spread(prior.quantile(p)); };
  return Rule::integrate(over_quantile, 0.0, 1.0, 6, 1e-9);
}

}  // namespace

TEST("the density is the integral over the level and the spread") {
  for (const Eigen::Index count : {1, 2, 5}) {
    for (unsigned seed = 1; seed <= 3; ++seed) {
      const VectorXd x = random_point(count, seed);
      CHECK_CLOSE(level_of(count, uniform).log_density(x).value,
                  std::log(naive_density(x, uniform)), 1e-8);
      CHECK_CLOSE(level_of(count, lognormal).log_density(x).value,
                  std::log(naive_density(x, lognormal)), 1e-5);
    }
  }
}

TEST("a known level and spread are independent normals") {
  const CommonPrior level(4, centre, 0.0, btg::fixed_spread(0.7));
  const VectorXd x = random_point(4, 1);
  double expected = 0.0;
  for (Eigen::Index j = 0; j < 4; ++j) expected += std::log(normal_density(x[j], centre, 0.7));
  CHECK_CLOSE(level.log_density(x).value, expected, 1e-12);
  CHECK_CLOSE(level.excess(x).value, 0.0, 1e-12);
}

TEST("gradients are those of differences") {
  const CommonPrior level = level_of(6, uniform);
  const VectorXd x = random_point(6, 2);
  const double h = 1e-5;
  for (Eigen::Index j = 0; j < 6; ++j) {
    VectorXd up = x, down = x;
    up[j] += h;
    down[j] -= h;
    CHECK_CLOSE(level.log_density(x).gradient[j],
                (level.log_density(up).value - level.log_density(down).value) / (2 * h), 1e-8);
    CHECK_CLOSE(level.excess(x).gradient[j],
                (level.excess(up).value - level.excess(down).value) / (2 * h), 1e-8);
  }
}

TEST("the normal approximation has the moments of the prior, and the excess is the rest") {
  const Eigen::Index d = 5;
  const CommonPrior level = level_of(d, uniform);
  // E s^2 of a uniform spread.
  const double own = (std::pow(1.5, 3) - std::pow(0.3, 3)) / (3 * 1.2);
  CHECK_CLOSE(level.scale(), std::sqrt(width * width + own), 1e-12);
  // Columns of the root, and with them the covariance.
  Eigen::MatrixXd root(d, d);
  for (Eigen::Index j = 0; j < d; ++j) root.col(j) = level.correlate(VectorXd::Unit(d, j));
  const Eigen::MatrixXd covariance = std::pow(level.scale(), 2) * root * root.transpose();
  for (Eigen::Index i = 0; i < d; ++i) {
    for (Eigen::Index j = 0; j < d; ++j) {
      CHECK_CLOSE(covariance(i, j), width * width + (i == j ? own : 0.0), 1e-12);
    }
  }
  const VectorXd u = random_point(d, 4);
  CHECK_CLOSE((level.decorrelate(level.correlate(u)) - u).norm(), 0.0, 1e-12);
  const VectorXd x = (centre + level.scale() * level.correlate(u).array()).matrix();
  const VectorXd away = x.array() - centre;
  const double squares = away.dot(VectorXd(problems::solve(covariance, away)));
  const double normal = -0.5 * squares - 0.5 * d * std::log(2 * btg::pi) -
                        0.5 * problems::log_abs_determinant(covariance);
  CHECK_CLOSE(level.excess(x).value, level.log_density(x).value - normal, 1e-11);
}

TEST("parts of the spread make up nearly the same prior") {
  const Eigen::Index d = 6;
  for (const PriorSpec& spread : {uniform, lognormal}) {
    const CommonPrior level = level_of(d, spread);
    double total = 0.0;
    for (const btg::CommonPart& part : level.parts()) total += part.share;
    CHECK_CLOSE(total, 1.0, 1e-12);
    for (unsigned seed = 1; seed <= 20; ++seed) {
      const VectorXd x = random_point(d, seed);
      const VectorXd u = level.decorrelate((x.array() - centre) / level.scale());
      double density = 0.0;
      for (const btg::CommonPart& part : level.parts()) {
        const double along = u.sum() / std::sqrt(static_cast<double>(d));
        const double across = std::sqrt(std::max(u.squaredNorm() - along * along, 0.0));
        density += part.share * normal_density(along, 0.0, part.along) *
                   normal_density(across, 0.0, part.across) /
                   std::pow(std::sqrt(2 * btg::pi) * part.across, static_cast<double>(d - 2));
      }
      const double excess = std::log(density) + 0.5 * u.squaredNorm() +
                            0.5 * static_cast<double>(d) * std::log(2 * btg::pi);
      CHECK(std::abs(excess - level.excess(x).value) < 0.35);
    }
  }
  CHECK(CommonPrior(4, centre, 0.5, btg::fixed_spread(0.7)).parts().size() == 1);
}
