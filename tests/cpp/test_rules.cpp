// What every registered rule does, at its default options.
#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/numerics/one_dimensional.hpp"
#include "btg/quadrature/rules/registry.hpp"
#include "check.hpp"
#include "rule_targets.hpp"

using btg::Rule;
using btg::rule_registry;
using btg::Target;
using btg::WeightedPoints;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using rule_targets::evidence;
using rule_targets::normal_posterior;
using rule_targets::NormalPosterior;

namespace {

// Relative error of the evidence of normal_posterior() in at most five dimensions: what is
// known of a rule, else 0.1.
double tolerance_of(const std::string& rule) {
  static const std::map<std::string, double> known{
      {"sobol", 0.01},         {"smolyak", 0.05}, {"tensor", 0.01},          {"monte_carlo", 0.02},
      {"gauss_hermite", 1e-6}, {"ccd", 1e-4},     {"gerstner_griebel", 1e-6}};
  const auto found = known.find(rule);
  return found == known.end() ? 0.1 : found->second;
}

template <class Vector>
bool same_bits(const Vector& a, const Vector& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  return a.size() == 0 ||
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

void check_consistent(const WeightedPoints& result, int dimension) {
  const Eigen::Index count = result.points.cols();
  CHECK(count > 0);
  CHECK(result.points.rows() == dimension);
  CHECK(result.points.allFinite());
  CHECK(result.log_likelihood.size() == count);
  CHECK(result.log_weights.size() == count);
  CHECK(!result.log_weights.hasNaN());
  CHECK(result.log_weights.maxCoeff() < INFINITY);
  CHECK(result.signs.size() == 0 || result.signs.size() == count);
  CHECK((result.signs.cwiseAbs().array() == 1.0).all());
  for (Eigen::Index i = 0; i < count; ++i) {
    if (result.log_likelihood[i] == -INFINITY) CHECK(result.log_weights[i] == -INFINITY);
  }
  double mass = 0.0;
  for (const btg::ModeSummary& mode : result.modes) {
    CHECK(mode.point.size() == dimension);
    mass += mode.mass;
  }
  if (!result.modes.empty()) CHECK_CLOSE(mass, 1.0, 1e-12);
  for (const auto& [name, value] : result.diagnostics) CHECK(!std::isnan(value));
}

}  // namespace

TEST("names are those of the paper's rules and of ours, each once") {
  for (const std::string name :
       {"sobol", "smolyak", "tensor", "monte_carlo", "gauss_hermite", "ccd", "gerstner_griebel"}) {
    CHECK(std::count_if(rule_registry().begin(), rule_registry().end(),
                        [&](const Rule* rule) { return rule->name() == name; }) == 1);
    CHECK(btg::find_rule(name).name() == name);
  }
  CHECK_THROWS(btg::find_rule("no such rule"), btg::Error);
}

TEST("every rule finds the evidence of a normal posterior") {
  for (const Rule* rule : rule_registry()) {
    for (int dimension : {0, 1, 2, 5}) {
      const NormalPosterior exact = normal_posterior(dimension);
      const WeightedPoints result =
          rule->integrate(exact.target(VectorXd::Zero(dimension)), rule->default_options());
      check_consistent(result, dimension);
      const double error = std::abs(evidence(result, exact.log_evidence) - 1.0);
      const bool good = error < tolerance_of(rule->name());
      if (!good) std::printf("%s, %d: error %g\n", rule->name().c_str(), dimension, error);
      CHECK(good);
    }
  }
}

TEST("without hyperparameters there is one point of weight 1") {
  Target target;
  target.log_likelihood = [](const MatrixXd& points) {
    return VectorXd(VectorXd::Constant(points.cols(), -3.5));
  };
  target.log_posterior_gradient = [](const VectorXd&) { return btg::ValueGradient{-3.5, {}}; };
  for (const Rule* rule : rule_registry()) {
    const WeightedPoints result = rule->integrate(target, rule->default_options());
    check_consistent(result, 0);
    CHECK(result.points.cols() == 1);
    CHECK(result.log_likelihood[0] == -3.5);
    CHECK(result.log_weights[0] == -3.5);
  }
}

TEST("every rule gives the same bits again") {
  const NormalPosterior exact = normal_posterior(3);
  for (const Rule* rule : rule_registry()) {
    const auto run = [&] {
      return rule->integrate(exact.target(VectorXd::Zero(3)), rule->default_options());
    };
    const WeightedPoints first = run(), second = run();
    CHECK(same_bits(first.points, second.points));
    CHECK(same_bits(first.log_likelihood, second.log_likelihood));
    CHECK(same_bits(first.log_weights, second.log_weights));
    CHECK(same_bits(first.signs, second.signs));
    CHECK(first.diagnostics == second.diagnostics);
  }
}

TEST("log likelihoods are those of the points") {
  const NormalPosterior exact = normal_posterior(4);
  const Target target = exact.target(VectorXd::Zero(4));
  for (const Rule* rule : rule_registry()) {
    const WeightedPoints result = rule->integrate(target, rule->default_options());
    const VectorXd again = target.log_likelihood(result.points);
    CHECK((again - result.log_likelihood).cwiseAbs().maxCoeff() < 1e-12);
  }
}

TEST("points where the likelihood cannot be evaluated have no weight and do no harm") {
  // The normal posterior cut off at u_0 = 1.5: most of it is left.
  const NormalPosterior exact = normal_posterior(2);
  Target target = exact.target(VectorXd::Zero(2));
  const auto whole = target.log_likelihood;
  target.log_likelihood = [&](const MatrixXd& points) {
    VectorXd result = whole(points);
    for (Eigen::Index i = 0; i < result.size(); ++i) {
      if (points(0, i) > 1.5) result[i] = -INFINITY;
    }
    return result;
  };
  for (const Rule* rule : rule_registry()) {
    const WeightedPoints result = rule->integrate(target, rule->default_options());
    check_consistent(result, 2);
    CHECK_CLOSE(evidence(result, exact.log_evidence), 1.0, 0.3);
  }
}
