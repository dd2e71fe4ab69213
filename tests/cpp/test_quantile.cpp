// Quantiles invert the mixture's cdf, whatever the mixture.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "btg/quantile.hpp"
#include "btg/transforms/registry.hpp"
#include "check.hpp"
#include "problems.hpp"

using btg::Mixture;
using btg::MixtureNodes;
using btg::quantile;
using btg::StudentT;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Random;

namespace {

struct Problem {
  std::string name;
  MixtureNodes nodes;
  VectorXd location, scale, weights;
  Mixture mixture() const { return Mixture(nodes, location, scale, weights); }
};

// Its table takes a while to make.
const StudentT& student_t(double df) {
  static std::map<double, StudentT> made;
  return made.try_emplace(df, df).first->second;
}

// Up to 200 nodes around responses of 0.01 to 100, weights over 13 orders of magnitude.
Problem random_problem(Random& random, const std::vector<std::string>& names, double df) {
  const btg::Composition g = btg::compose(names);
  const int size = static_cast<int>(std::pow(200, random.uniform(0, 1)));
  MatrixXd theta = random.matrix(g.size(), size, 0.2, 1.7);
  VectorXd weights(size), location(size), scale(size);
  for (int i = 0; i < size; ++i) {
    weights[i] = std::exp(random.uniform(-30, 0));
    location[i] = g.forward(std::pow(10, random.uniform(-2, 2)), theta.col(i).data());
    scale[i] = std::pow(10, random.uniform(-2.5, 0.5));
  }
  const std::string name = "df " + std::to_string(df) + (names.empty() ? "" : ", " + names[0]);
  return {name, MixtureNodes(student_t(df), {btg::NodeBlock(g, theta)}), location, scale,
          weights / weights.sum()};
}

// F(q) = p to the tolerance, or F jumps over p within a few doubles (of asinh q) around
// q. Infinite only if F has not reached p at 1e100.
bool inverts(const Mixture& mixture, double q, double p, double tolerance) {
  if (std::isinf(q)) return (mixture.evaluate(q > 0 ? 1e100 : -1e100).cdf < p) == (q > 0);
  const double error = mixture.evaluate(q).cdf - p;
  if (std::abs(error) <= tolerance * std::fmin(p, 1 - p) + 1e-13) return true;
  const double step = 1e-15 * std::fmax(std::abs(q) * (1 + std::asinh(std::abs(q))), 1e-300);
  return mixture.evaluate(q - step).cdf <= p && p <= mixture.evaluate(q + step).cdf;
}

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

// By default lambda is 1/2, the image z > -2: y = (1 + z/2)^2.
Problem boxcox_problem(double df, const std::vector<double>& location,
                       const std::vector<double>& scale, double lambda = 0.5) {
  const int size = static_cast<int>(location.size());
  return {"boxcox at " + std::to_string(location[0]) + ", df " + std::to_string(df),
          MixtureNodes(student_t(df), {btg::NodeBlock(btg::compose({"boxcox"}),
                                                      MatrixXd::Constant(1, size, lambda))}),
          Eigen::Map<const VectorXd>(location.data(), size),
          Eigen::Map<const VectorXd>(scale.data(), size), VectorXd::Constant(size, 1.0 / size)};
}

const std::vector<double> probabilities{1e-6, 1e-3, 0.025, 0.1, 0.3, 0.5, 0.8, 0.975, 1 - 1e-6};

}  // namespace

TEST("the cdf of a quantile is p, over thousands of mixtures") {
  std::vector<std::vector<std::string>> transforms{
      {}, {"affine", "sinharcsinh"}, {"boxcox", "arcsinh"}, {"affine", "boxcox"}};
  for (const btg::Transform* g : btg::transform_registry()) transforms.push_back({g->name()});
  Random random(1);
  for (int repeat = 0; repeat < 40; ++repeat) {
    for (double df : {1.0, 2.0, 3.5, 10.0, 100.0, 1000.0}) {
      for (const auto& names : transforms) {
        const Problem problem = random_problem(random, names, df);
        check_inverts(problem, probabilities[random.integer(0, 8)], 1e-9);
        check_inverts(problem, random.uniform(0, 1), 1e-9);
      }
    }
  }
}

TEST("a loose tolerance is kept too, and quantiles do not cross") {
  Random random(2);
  for (int repeat = 0; repeat < 100; ++repeat) {
    const Problem problem = random_problem(random, {"sinharcsinh"}, 5);
    double previous = -INFINITY;
    for (double p : probabilities) {
      check_inverts(problem, p, 1e-3);
      const double q = quantile(problem.mixture(), p, 1e-12);
      CHECK(std::exchange(previous, q) < q);
    }
  }
}

TEST("a single node has a closed form") {
  const StudentT& t = student_t(6);
  const MixtureNodes plain(t, {btg::NodeBlock(btg::Composition(), MatrixXd(0, 1))});
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
  const MixtureNodes nodes(student_t(1000), {btg::NodeBlock(btg::Composition(), MatrixXd(0, 2))});
  const Problem problem{"far apart", nodes, Eigen::Vector2d(-1e6, 1e6), Eigen::Vector2d(1, 1e-3),
                        Eigen::Vector2d(0.25, 0.75)};
  for (double p : {1e-6, 0.25 - 1e-12, 0.25, 0.25 + 1e-12, 0.9}) check_inverts(problem, p, 1e-9);
}

TEST("with some negative weights a quantile is still a root") {
  Random random(4);
  for (int repeat = 0; repeat < 300; ++repeat) {
    Problem problem = random_problem(random, {"sinharcsinh"}, 20);
    VectorXd& weights = problem.weights;
    for (int i = 1; i < weights.size(); i += 3) weights[i] *= -0.5;
    if (weights.sum() < 0.2) continue;
    weights /= weights.sum();
    check_inverts(problem, random.uniform(0, 1), 1e-9);
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

int main() { return check::run(); }
