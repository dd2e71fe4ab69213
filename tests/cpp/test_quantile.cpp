// Quantiles invert the mixture's cdf, whatever the mixture.
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/numerics/student_t.hpp"
#include "btg/predictive/quantile.hpp"
#include "btg/transforms/registry.hpp"
#include "check.hpp"
#include "random_mixture.hpp"

using btg::Mixture;
using btg::MixtureNodes;
using btg::quantile;
using btg::StudentT;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::inverts;
using problems::Random;
using problems::random_mixture;
using problems::student_t;
using Problem = problems::RandomMixture;

namespace {

void check_inverts(const Problem& problem, double p, double tolerance) {
  const Mixture mixture = problem.mixture();
  bool ok = false;
  char text[200];
  try {
    const double q = quantile(mixture, p, tolerance);
    ok = inverts(mixture, q, p, tolerance) && problem.nodes.support.lower <= q &&
         q <= problem.nodes.support.upper;
    std::snprintf(text, sizeof text, "F(%.17g) - p = %g", q, mixture.evaluate(q).cdf - p);
  } catch (const btg::Error& error) {
    std::snprintf(text, sizeof text, "%s", error.what());
  }
  check::report(ok, __FILE__, __LINE__, problem.name + ", p " + std::to_string(p) + ": " + text);
}

// F just outside a bracket, which is as exact as rounding lets it be.
double rounding_step(double y) { return 1e-13 * (1e-100 + std::abs(y)); }
double below(const Mixture& mixture, double y) {
  return mixture.evaluate(y - rounding_step(y)).cdf - 1e-12;
}
double above(const Mixture& mixture, double y) {
  return mixture.evaluate(y + rounding_step(y)).cdf + 1e-12;
}

// Hardly any probability between two points.
bool flat(const Mixture& mixture, double a, double b) {
  return std::abs(mixture.evaluate(a).cdf - mixture.evaluate(b).cdf) < 1e-8;
}

// By default lambda is 1/2, the image z > -2: y = (1 + z/2)^2.
Problem boxcox_problem(double df, const std::vector<double>& location,
                       const std::vector<double>& scale, double lambda = 0.5) {
  const int size = static_cast<int>(location.size());
  return {"boxcox at " + std::to_string(location[0]) + ", df " + std::to_string(df),
          MixtureNodes(student_t(df), {btg::ModelNodes(btg::compose({"boxcox"}),
                                                       MatrixXd::Constant(1, size, lambda))}),
          Eigen::Map<const VectorXd>(location.data(), size),
          Eigen::Map<const VectorXd>(scale.data(), size), VectorXd::Constant(size, 1.0 / size)};
}

const std::vector<double> probabilities{1e-6, 1e-3, 0.025, 0.1, 0.3, 0.5, 0.8, 0.975, 1 - 1e-6};

}  // namespace

TEST("the cdf of a quantile is p, over thousands of mixtures") {
  Random random(1);
  for (int repeat = 0; repeat < 40; ++repeat) {
    for (double df : {1.0, 2.0, 3.5, 10.0, 100.0, 1000.0}) {
      for (const auto& names : problems::mixture_transforms()) {
        const Problem problem = random_mixture(random, names, df, repeat == 0 ? 1000 : 200);
        check_inverts(problem, probabilities[random.integer(0, 8)], 1e-9);
        check_inverts(problem, random.uniform(0, 1), 1e-9);
      }
    }
  }
}

TEST("a loose tolerance is kept too, and quantiles do not cross") {
  Random random(2);
  for (int repeat = 0; repeat < 100; ++repeat) {
    const Problem problem = random_mixture(random, {"sinharcsinh"}, 5);
    double previous = -INFINITY;
    for (double p : probabilities) {
      check_inverts(problem, p, 1e-3);
      const double q = quantile(problem.mixture(), p, 1e-12);
      CHECK(std::exchange(previous, q) < q);
    }
  }
}

TEST("every bound gives a quantile, with positive and with signed weights") {
  Random random(5);
  const std::vector<btg::Bound> bounds{btg::Bound::none, btg::Bound::hull, btg::Bound::singular,
                                       btg::Bound::both};
  for (int repeat = 0; repeat < 40; ++repeat) {
    for (const auto& names : problems::mixture_transforms()) {
      Problem problem = random_mixture(random, names, 8);
      const bool is_signed = repeat % 2 == 1 && problems::make_signed(problem);
      const Mixture mixture = problem.mixture();
      const double p = random.uniform(0.001, 0.999);
      const double automatic = quantile(mixture, p, 1e-9);
      for (const btg::Bound bound : bounds) {
        const double q = quantile(mixture, p, 1e-9, bound);
        CHECK(inverts(mixture, q, p, 1e-9));
        // A cdf that falls has several roots.
        if (!is_signed)
          CHECK(std::abs(q - automatic) <= 1e-4 * (std::abs(q) + 1) || flat(mixture, q, automatic));
      }
    }
  }
}

TEST("brackets hold the quantile: convex hull, singular weight, signed weights") {
  Random random(6);
  int singular_ends = 0;
  for (int repeat = 0; repeat < 60; ++repeat) {
    for (const auto& names : problems::mixture_transforms()) {
      Problem problem = random_mixture(random, names, 4);
      if (repeat % 2 == 1) problems::make_signed(problem);
      const Mixture mixture = problem.mixture();
      const double p = random.uniform(0.001, 0.999);
      const btg::Bracket hull = btg::hull_bracket(mixture, p);
      const btg::Bracket singular = btg::singular_bracket(mixture, p);
      for (const btg::Bracket& bracket : {hull, singular}) {
        CHECK(bracket.lower == -INFINITY || below(mixture, bracket.lower) <= p);
        CHECK(bracket.upper == INFINITY || above(mixture, bracket.upper) >= p);
      }
      singular_ends += std::isfinite(singular.lower) + std::isfinite(singular.upper);
    }
  }
  CHECK(singular_ends > 300);
}

TEST("the singular bracket of two nodes has a closed form") {
  const MixtureNodes nodes(student_t(5), {btg::ModelNodes(btg::Composition(), MatrixXd(0, 2))});
  const Mixture mixture(nodes, Eigen::Vector2d(1, 20), Eigen::Vector2d(2, 1),
                        Eigen::Vector2d(0.9, 0.1));
  const btg::Bracket bracket = btg::singular_bracket(mixture, 0.5);
  CHECK_CLOSE(bracket.upper, 1 + 2 * student_t(5).quantile(0.5 / 0.9), 1e-12);
  CHECK_CLOSE(bracket.lower, 1 + 2 * student_t(5).quantile(0.4 / 0.9), 1e-12);
  CHECK(btg::singular_bracket(mixture, 0.95).upper == INFINITY);
}

TEST("a single node has a closed form") {
  const StudentT& t = student_t(6);
  const MixtureNodes plain(t, {btg::ModelNodes(btg::Composition(), MatrixXd(0, 1))});
  const Mixture mixture(plain, VectorXd::Constant(1, 3), VectorXd::Constant(1, 0.2),
                        VectorXd::Ones(1));
  const Problem boxcox = boxcox_problem(6, {-1.0}, {2.0});
  const double lost = t.cdf(-0.5);  // z < -2
  for (double p : probabilities) {
    CHECK_CLOSE(quantile(mixture, p, 1e-12), 3 + 0.2 * t.quantile(p), 1e-11);
    const double below = lost + p * (1 - lost), above = (1 - p) * (1 - lost);
    const double z =
        -1.0 + 2.0 * (below < 0.5 ? -t.upper_quantile(below) : t.upper_quantile(above));
    CHECK_CLOSE(quantile(boxcox.mixture(), p, 1e-12), std::pow(1 + 0.5 * z, 2), 1e-11);
  }
}

TEST("between modes far apart the cdf is flat, and any point there will do") {
  const MixtureNodes nodes(student_t(1000), {btg::ModelNodes(btg::Composition(), MatrixXd(0, 2))});
  const Problem problem{"far apart", nodes, Eigen::Vector2d(-1e6, 1e6), Eigen::Vector2d(1, 1e-3),
                        Eigen::Vector2d(0.25, 0.75)};
  for (double p : {1e-6, 0.25 - 1e-12, 0.25, 0.25 + 1e-12, 0.9}) check_inverts(problem, p, 1e-9);
}

TEST("with some negative weights a quantile is still a root") {
  Random random(4);
  for (int repeat = 0; repeat < 300; ++repeat) {
    Problem problem = random_mixture(random, {"sinharcsinh"}, 20);
    if (problems::make_signed(problem)) check_inverts(problem, random.uniform(0, 1), 1e-9);
  }
}

TEST("nodes with almost all of their mass outside the image leave finite quantiles") {
  for (double df : {1.0, 5.0, 30.0, 1000.0}) {
    for (double far : {-4.0, -20.0, -1e3, -1e6, -1e12}) {
      for (double scale : {1.0, 1e-3}) {
        for (double p : probabilities) {
          check_inverts(boxcox_problem(df, {far}, {scale}), p, 1e-9);
          check_inverts(boxcox_problem(df, {far, 1.0}, {scale, 1.0}), p, 1e-9);
          check_inverts(boxcox_problem(df, {1.0, far, 1.5}, {0.5, scale, 0.01}), p, 1e-9);
        }
      }
    }
  }
}

TEST("the log of a heavy tail: quantiles over hundreds of orders of magnitude") {
  for (double p : probabilities) {
    check_inverts(boxcox_problem(2, {0, 1}, {1, 0.1}, 0), p, 1e-9);
    check_inverts(boxcox_problem(2, {0, 1}, {1, 2}, 0), p, 1e-9);
  }
}

TEST("a jump at 0, of mass at less than the smallest double, is found") {
  const btg::Composition identity = btg::compose({}), softplus = btg::compose({"softplus"});
  const btg::ModelNodes below(identity, Eigen::MatrixXd(0, 1));
  const btg::ModelNodes above(softplus, Eigen::MatrixXd::Constant(1, 1, 13.0));
  const btg::MixtureNodes nodes(student_t(20), {below, above});
  const Eigen::Vector2d location(-3.0, -690.0), scale(2.0, 1667.0), weights(0.2, 0.8);
  const btg::Mixture mixture(nodes, location, scale, weights);
  for (double p : {0.2, 0.25, 0.4, 0.5}) {
    CHECK(quantile(mixture, p, 1e-9) == 0.0);
    CHECK(mixture.evaluate(-1e-29).cdf < p && p < mixture.evaluate(1e-29).cdf);
  }
}
