// Rules around the mode: exact for normal posteriors, and against brute force.
#include <algorithm>
#include <vector>

#include "btg/base/constants.hpp"
#include "btg/base/error.hpp"
#include "btg/numerics/one_dimensional.hpp"
#include "btg/quadrature/rules/ccd.hpp"
#include "btg/quadrature/rules/gauss_hermite.hpp"
#include "btg/quadrature/rules/gerstner_griebel.hpp"
#include "check.hpp"
#include "long_algebra.hpp"
#include "rule_targets.hpp"

using btg::RuleOptions;
using btg::Target;
using btg::WeightedPoints;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using rule_targets::evidence;
using rule_targets::integrate;
using rule_targets::normal_posterior;
using rule_targets::NormalPosterior;
using rule_targets::smooth_target;
using rule_targets::ValueGradient;
using rule_targets::with;

namespace {

const btg::GaussHermiteRule gauss_hermite;
const btg::CentralCompositeRule ccd;
const btg::GerstnerGriebelRule gerstner_griebel;

// Evidence, mean and covariance against those of the normal posterior.
void check_normal(const WeightedPoints& points, const NormalPosterior& exact, double tolerance) {
  CHECK_CLOSE(evidence(points, exact.log_evidence), 1.0, tolerance);
  const Eigen::Index d = exact.mean.size();
  for (Eigen::Index k = 0; k < d; ++k) {
    const auto centred = [&](const VectorXd& u, Eigen::Index j) { return u[j] - exact.mean[j]; };
    CHECK_CLOSE(integrate(points, exact.log_evidence, [&](const VectorXd& u) { return u[k]; }),
                exact.mean[k], tolerance);
    for (Eigen::Index j = 0; j <= k; ++j) {
      const double moment = integrate(points, exact.log_evidence, [&](const VectorXd& u) {
        return centred(u, k) * centred(u, j);
      });
      CHECK_CLOSE(moment, exact.covariance(k, j), tolerance);
    }
  }
}

// log likelihood sum_k n (s v_k - exp(s v_k)) with v = u rotated in the first two
// coordinates: skewed, one mode, and the evidence is a product.
struct Skewed {
  VectorXd n, s;

  ValueGradient operator()(const VectorXd& u) const {
    const double c = std::sqrt(0.5);
    VectorXd v = u;
    v[0] = c * (u[0] + u[1]);
    v[1] = c * (u[0] - u[1]);
    const Eigen::ArrayXd e = (s.array() * v.array()).exp();
    const VectorXd slope = n.array() * s.array() * (1.0 - e);
    VectorXd gradient = slope;
    gradient[0] = c * (slope[0] + slope[1]);
    gradient[1] = c * (slope[0] - slope[1]);
    return {(n.array() * (s.array() * v.array() - e)).sum(), gradient};
  }

  // By the trapezoidal rule, which is spectrally accurate here.
  double log_evidence() const {
    double total = 0.0;
    for (Eigen::Index k = 0; k < n.size(); ++k) {
      double sum = 0.0;
      for (double v = -12.0; v <= 12.0; v += 0.01) {
        sum += 0.01 * std::exp(n[k] * (s[k] * v - std::exp(s[k] * v)) - 0.5 * v * v);
      }
      total += std::log(sum / std::sqrt(2.0 * btg::pi));
    }
    return total;
  }

  Target target() const { return smooth_target(VectorXd::Zero(n.size()), *this); }
};

Skewed skewed(int dimension) {
  return {VectorXd::LinSpaced(dimension, 2.0, 5.0), VectorXd::LinSpaced(dimension, 1.0, 0.6)};
}

int distinct_values(const MatrixXd& points, Eigen::Index coordinate) {
  std::vector<double> values;
  for (Eigen::Index i = 0; i < points.cols(); ++i) values.push_back(points(coordinate, i));
  std::sort(values.begin(), values.end());
  int count = 1;
  for (std::size_t i = 1; i < values.size(); ++i) count += values[i] > values[i - 1] + 1e-6;
  return count;
}

}  // namespace

TEST("sparse Gauss-Hermite is exact for normal posteriors, from order 2 with moments") {
  for (int d : {1, 2, 5, 9}) {
    const NormalPosterior exact = normal_posterior(d);
    for (const std::string family : {"gauss_hermite", "genz_keister"}) {
      for (int level : {2, 3}) {
        const RuleOptions options = with(gauss_hermite, {{"order", level}, {"family", family}});
        const WeightedPoints points = gauss_hermite.integrate(exact.target(exact.mean), options);
        check_normal(points, exact, 1e-9);
        // Of a normal posterior, Laplace's approximation is exact too.
        CHECK(points.modes.size() == 1);
        CHECK_CLOSE(points.modes.at(0).log_mass, exact.log_evidence, 1e-9);
        CHECK_CLOSE(points.modes.at(0).mass, 1.0, 1e-15);
      }
    }
    // One level alone is Laplace's approximation: the evidence, but no covariance.
    const WeightedPoints one =
        gauss_hermite.integrate(exact.target(exact.mean), with(gauss_hermite, {{"order", 1}}));
    CHECK(one.points.cols() == 1);
    CHECK_CLOSE(one.log_weights[0], exact.log_evidence, 1e-9);
  }
}

TEST("central composite designs are exact for normal posteriors, with positive weights") {
  for (int d : {1, 2, 3, 5, 8, 12}) {
    const NormalPosterior exact = normal_posterior(d);
    for (double f0 : {1.1, 1.5}) {
      const WeightedPoints points =
          ccd.integrate(exact.target(exact.mean), with(ccd, {{"f0", f0}}));
      check_normal(points, exact, 1e-9);
      CHECK(points.signs.size() == 0);
      CHECK(points.log_weights.array().isFinite().all());
      // All but the mode are on the ellipsoid of radius f0 sqrt(d).
      const VectorXd centred = points.points.col(2 * d) - exact.mean;
      const double squared = centred.dot(VectorXd(problems::solve(exact.covariance, centred)));
      CHECK_CLOSE(squared, f0 * f0 * d, 1e-8);
    }
  }
  const auto size = [](int d) {
    const NormalPosterior exact = normal_posterior(d);
    return ccd.integrate(exact.target(exact.mean), ccd.default_options()).points.cols();
  };
  CHECK(size(1) == 3);
  CHECK(size(2) == 9);
  CHECK(size(5) == 27);
  CHECK(size(8) == 81);
  const Target target = normal_posterior(2).target(VectorXd::Zero(2));
  CHECK_THROWS(ccd.integrate(target, with(ccd, {{"f0", 1.0}})), btg::Error);
  CHECK_THROWS(ccd.integrate(target, with(ccd, {{"most", 8}})), btg::Error);
}

TEST("a search that ends near the mode is good enough") {
  const NormalPosterior exact = normal_posterior(5);
  const Target target = exact.target(VectorXd::Zero(5));
  check_normal(gauss_hermite.integrate(target, gauss_hermite.default_options()), exact, 1e-5);
  check_normal(gerstner_griebel.integrate(target, gerstner_griebel.default_options()), exact, 1e-5);
  check_normal(ccd.integrate(target, ccd.default_options()), exact, 1e-2);
}

TEST("Gerstner-Griebel needs 2d + 1 points for a normal posterior") {
  for (int d : {1, 2, 5, 9}) {
    const NormalPosterior exact = normal_posterior(d);
    for (const std::string family : {"gauss_hermite", "genz_keister"}) {
      const WeightedPoints points = gerstner_griebel.integrate(
          exact.target(exact.mean), with(gerstner_griebel, {{"family", family}}));
      check_normal(points, exact, 1e-9);
      // With 3 dimensions the mode's weight is 0.
      CHECK(points.points.cols() == 2 * d + 1);
      CHECK(points.diagnostics.at("remaining") < 1e-8);
    }
  }
}

TEST("Gerstner-Griebel refines only where the posterior is not normal") {
  // A normal likelihood times 1 + 0.3 (u_0 + u_1 / 2)^2, in five dimensions.
  const int d = 5;
  VectorXd a(d), precision(d);
  a << 0.3, -0.2, 0.5, -0.4, 0.1;
  precision << 0.5, 4.0, 30.0, 1.0, 9.0;
  const NormalPosterior normal(a, precision.asDiagonal());
  VectorXd direction = VectorXd::Zero(d);
  direction.head(2) << 1.0, 0.5;
  const auto log_likelihood = [&](const VectorXd& u) {
    const double along = direction.dot(u), factor = 1.0 + 0.3 * along * along;
    ValueGradient at = normal.log_likelihood(u);
    at.value += std::log(factor);
    at.gradient += 0.6 * along / factor * direction;
    return at;
  };
  const double mean = direction.dot(normal.mean);
  const double variance = direction.dot(normal.covariance * direction);
  const double exact = 1.0 + 0.3 * (mean * mean + variance);
  const Target target = smooth_target(normal.mean, log_likelihood);

  double error_before = 1.0;
  for (const double tolerance : {1e-1, 1e-3, 1e-5}) {
    const WeightedPoints points =
        gerstner_griebel.integrate(target, with(gerstner_griebel, {{"tolerance", tolerance}}));
    const double error = std::abs(evidence(points, normal.log_evidence) / exact - 1.0);
    CHECK(error < tolerance);
    CHECK(error < error_before);
    CHECK(points.diagnostics.at("remaining") < tolerance);
    error_before = error;
    if (tolerance > 1e-2) continue;
    for (const int k : {2, 3, 4}) CHECK(distinct_values(points.points, k) == 3);
    CHECK(distinct_values(points.points, 0) > 9);
    CHECK(points.points.cols() < 250);
  }
}

TEST("evidence of a skewed posterior converges to that of brute force") {
  for (int d : {2, 3}) {
    const Skewed model = skewed(d);
    const double exact = model.log_evidence();
    for (const std::string family : {"gauss_hermite", "genz_keister"}) {
      const auto sparse = [&](int level) {
        const RuleOptions options = with(gauss_hermite, {{"order", level}, {"family", family}});
        return std::abs(evidence(gauss_hermite.integrate(model.target(), options), exact) - 1.0);
      };
      CHECK(sparse(2) > 1e-3);
      CHECK(sparse(4) < 1e-3);
      CHECK(sparse(9) < 1e-6);
      const RuleOptions options =
          with(gerstner_griebel, {{"nodes", 3000}, {"tolerance", 1e-5}, {"family", family}});
      const WeightedPoints points = gerstner_griebel.integrate(model.target(), options);
      CHECK_CLOSE(evidence(points, exact), 1.0, 1e-6);
    }
    CHECK_CLOSE(evidence(ccd.integrate(model.target(), ccd.default_options()), exact), 1.0, 0.05);
  }
}

TEST("Gerstner-Griebel keeps to its likelihoods, asks for many at a time, says what remains") {
  const Skewed model = skewed(6);
  for (const int nodes : {1, 5, 13, 14, 100, 400}) {
    Target target = model.target();
    std::vector<Eigen::Index> batches;
    const auto log_likelihood = target.log_likelihood;
    target.log_likelihood = [&](const MatrixXd& points) {
      batches.push_back(points.cols());
      return log_likelihood(points);
    };
    const WeightedPoints points =
        gerstner_griebel.integrate(target, with(gerstner_griebel, {{"nodes", nodes}}));
    // The first batch is of the search for modes.
    Eigen::Index asked = 0;
    for (std::size_t i = 1; i < batches.size(); ++i) asked += batches[i];
    CHECK(asked <= nodes);
    CHECK(points.points.cols() <= asked);
    CHECK(nodes < 100 || asked > 0.9 * nodes);
    CHECK(batches.size() < 25);
    CHECK(nodes == 1 || points.diagnostics.at("remaining") > 1e-3);
    CHECK_CLOSE(evidence(points, model.log_evidence()), 1.0, nodes < 100 ? 0.2 : 0.01);
  }
}

TEST("of two modes, the one of larger mass is the centre, and both are reported") {
  // Two normal peaks on the first axis: the higher is narrower, and lighter.
  const auto log_likelihood = [](const VectorXd& u) {
    VectorXd a = u, b = u;
    a[0] -= 2.0;
    b[0] += 2.0;
    const double log_a = 1.0 - 20.0 * a.squaredNorm(), log_b = -1.5 * b.squaredNorm();
    const double largest = std::max(log_a, log_b);
    const double sum = std::exp(log_a - largest) + std::exp(log_b - largest);
    const double share = std::exp(log_a - largest) / sum;
    return ValueGradient{largest + std::log(sum), -40.0 * share * a - 3.0 * (1.0 - share) * b};
  };
  Target target = smooth_target(VectorXd::Unit(2, 0) * 2.0, log_likelihood);
  target.starts.push_back(-target.starts[0]);
  for (const btg::Rule* rule : std::vector<const btg::Rule*>{&gauss_hermite, &ccd}) {
    const WeightedPoints points = rule->integrate(target, rule->default_options());
    CHECK(points.modes.size() == 2);
    CHECK(points.modes[0].log_posterior > points.modes[1].log_posterior);
    CHECK(points.modes[0].mass < 0.5);
    CHECK_CLOSE(points.modes[0].mass + points.modes[1].mass, 1.0, 1e-14);
    CHECK(points.modes[1].point[0] < -1.0);
    CHECK_CLOSE(points.points.row(0).mean(), points.modes[1].point[0], 0.01);
  }
}
