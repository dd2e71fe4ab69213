// From a model and a rule to weighted nodes: evidence by brute force, weights, counts.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/posterior/posterior.hpp"
#include "btg/quadrature/rules/registry.hpp"
#include "check.hpp"
#include "random_model.hpp"

using btg::Model;
using btg::Posterior;
using btg::Rule;
using btg::rule_registry;
using Eigen::VectorXd;
using problems::Random;
using problems::RandomModel;

namespace {

RandomModel make_problem(const std::vector<std::string>& transform = {"boxcox"}) {
  Random random(3);
  return problems::random_model(random, problems::kernels()[1], btg::Form::radial, transform, 1);
}

template <class Change>
void change(Model& model, int j, Change what) {
  std::vector<btg::Hyperparameter> all;
  for (int k = 0; k < model.size(); ++k) all.push_back(model.hyperparameters[k]);
  what(all[j]);
  model.hyperparameters = btg::Hyperparameters(all);
}

// Frees a hyperparameter: 0 and 1 are lengthscales, 2 the noise, then the transform's.
void set_prior(Model& model, int j, const btg::PriorSpec& spec) {
  change(model, j, [&](btg::Hyperparameter& h) { h.prior.emplace(spec, h.scale); });
}

Posterior integrate(const Model& model, const Rule& rule, double epsilon = 1e-3) {
  return btg::integrate(model, rule, rule.default_options(), epsilon);
}

RandomModel free_problem() {
  RandomModel problem = make_problem();
  set_prior(problem.model, 0, {"lognormal", {0.3, 0.8}});
  set_prior(problem.model, 2, {"lognormal", {-1, 1}});
  set_prior(problem.model, 3, {"uniform", {0, 3}});
  return problem;
}

double normal_log_density(double x, double mean, double sd) {
  return -0.5 * std::pow((x - mean) / sd, 2) - std::log(sd * std::sqrt(2 * std::acos(-1.0)));
}

// The log of the mean of exp over the midpoints of `count` intervals, times the length.
template <class F>
double log_integral(F f, double lower, double upper, int count) {
  VectorXd values(count);
  const double h = (upper - lower) / count;
  for (int i = 0; i < count; ++i) values[i] = f(lower + (i + 0.5) * h);
  return values.maxCoeff() + std::log((values.array() - values.maxCoeff()).exp().sum() * h);
}

void check_evidence(const Model& model, double expected) {
  for (const Rule* rule : rule_registry()) {
    const double error = integrate(model, *rule).log_evidence - expected;
    const bool sharp = rule->name() == "sobol" || rule->name() == "adaptive";
    check::report(std::abs(error) < (sharp ? 0.02 : 0.2), __FILE__, __LINE__,
                  rule->name() + ": error of the log evidence " + std::to_string(error));
  }
}

}  // namespace

TEST("heaviest() keeps the fewest nodes with the mass, in their order") {
  Random random(1);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const int n = random.integer(1, 60);
    VectorXd weights = random.matrix(n, 1, -12, 0).array().exp();
    if (repeat % 3 == 0) weights = weights.cwiseMax(0.2);  // ties
    weights /= weights.sum();
    for (double epsilon : {1e-6, 1e-3, 0.05, 0.4}) {
      const std::vector<Eigen::Index> kept = btg::heaviest(weights, epsilon);
      CHECK(!kept.empty() && std::is_sorted(kept.begin(), kept.end()));
      // The masses, sorted: those kept are the largest, and one fewer would not do.
      std::vector<double> sorted(weights.data(), weights.data() + n), masses;
      std::sort(sorted.rbegin(), sorted.rend());
      for (Eigen::Index i : kept) masses.push_back(weights[i]);
      std::sort(masses.rbegin(), masses.rend());
      CHECK(std::equal(masses.begin(), masses.end(), sorted.begin()));
      const double mass = std::accumulate(masses.begin(), masses.end(), 0.0);
      CHECK(mass >= 1 - epsilon - 1e-12 && mass - masses.back() < 1 - epsilon + 1e-12);
    }
  }
  CHECK(btg::heaviest(Eigen::Vector4d(0.25, 0, 0.5, 0.25), 0) ==
        std::vector<Eigen::Index>({0, 2, 3}));
}

TEST("the evidence over one hyperparameter, by brute force") {
  RandomModel problem = make_problem();
  set_prior(problem.model, 0, {"lognormal", {0.3, 0.8}});
  const auto log_joint = [&](double log_length_scale) {
    const Eigen::Vector4d eta(std::exp(log_length_scale), 1, 1, 1);
    return problem.naive_log_marginal(eta) + normal_log_density(log_length_scale, 0.3, 0.8);
  };
  check_evidence(problem.model, log_integral(log_joint, -6, 7, 200));
}

TEST("the evidence over noise and lambda, by brute force") {
  RandomModel problem = make_problem();
  set_prior(problem.model, 2, {"lognormal", {-1, 1}});
  set_prior(problem.model, 3, {"uniform", {0, 3}});
  const auto given_lambda = [&](double lambda) {
    const auto log_joint = [&](double log_noise) {
      const Eigen::Vector4d eta(1, 1, std::exp(log_noise), lambda);
      return problem.naive_log_marginal(eta) + normal_log_density(log_noise, -1, 1);
    };
    return log_integral(log_joint, -8, 6, 40) - std::log(3);
  };
  check_evidence(problem.model, log_integral(given_lambda, 0, 3, 60));
}

TEST("weights sum to one, and no more than epsilon is dropped") {
  const RandomModel problem = free_problem();
  for (const Rule* rule : rule_registry()) {
    for (double epsilon : {0.1, 1e-3, 1e-8}) {
      const Posterior posterior = integrate(problem.model, *rule, epsilon);
      CHECK_CLOSE(posterior.weights.sum(), 1, 1e-12);
      CHECK(posterior.dropped_mass >= 0 && posterior.dropped_mass <= epsilon + 1e-12);
      CHECK(posterior.etas.rows() == 4 && posterior.etas.cols() == posterior.weights.size());
      CHECK(posterior.nodes_failed == 0);
    }
  }
}

TEST("kept nodes carry their own marginal and prior, and leave what is fixed alone") {
  const RandomModel problem = free_problem();
  for (const Rule* rule : rule_registry()) {
    const Posterior posterior = integrate(problem.model, *rule);
    for (int i = 0; i < posterior.weights.size(); i += 7) {
      const VectorXd eta = posterior.etas.col(i);
      CHECK(eta[1] == 1);
      CHECK_CLOSE(posterior.log_marginal[i], problem.naive_log_marginal(eta), 1e-8);
      const double log_prior = normal_log_density(std::log(eta[0]), 0.3, 0.8) +
                               normal_log_density(std::log(eta[2]), -1, 1) - std::log(3);
      CHECK_CLOSE(posterior.log_prior[i], log_prior, 1e-10);
    }
  }
}

// That the gradient in u is the difference of the naive likelihood and of log_prior(u, eta).
template <class LogPrior>
void check_gradient(const RandomModel& problem, int dimension, LogPrior log_prior) {
  Random random(5);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const VectorXd u = random.matrix(dimension, 1, -1.5, 1.5);
    const VectorXd gradient = btg::log_posterior_gradient(problem.model, u).gradient;
    for (int j = 0; j < dimension; ++j) {
      const auto along = [&](double at) {
        VectorXd moved = u;
        moved[j] = at;
        const VectorXd eta = btg::eta_from_normal(problem.model, moved);
        return problem.naive_log_marginal(eta) + log_prior(moved, eta);
      };
      CHECK_CLOSE(gradient[j], problems::difference(along, u[j], 0.005), 1e-7);
    }
  }
}

TEST("the log posterior's gradient in u is its difference") {
  check_gradient(free_problem(), 3,
                 [](const VectorXd& u, const VectorXd&) { return -0.5 * u.squaredNorm(); });
}

// Both lengthscales share a level, of which the spread is known.
RandomModel problem_with_level() {
  RandomModel problem = free_problem();
  std::vector<btg::Hyperparameter> all;
  for (int j = 0; j < problem.model.size(); ++j) all.push_back(problem.model.hyperparameters[j]);
  for (int j : {0, 1}) all[j].in_common = true;
  problem.model.hyperparameters =
      btg::Hyperparameters(all, btg::CommonPrior(2, 0.3, 0.8, btg::fixed_spread(0.5)));
  return problem;
}

double log_prior_of_level(const VectorXd& x) {
  const double mean = x.mean(), along = 0.25 + 2 * 0.64;
  return -0.5 * (x.array() - mean).square().sum() / 0.25 - (mean - 0.3) * (mean - 0.3) / along -
         0.5 * std::log(0.25 * along) - std::log(2 * std::acos(-1.0));
}

TEST("lengthscales that share a level have their joint prior") {
  const RandomModel problem = problem_with_level();
  for (const Rule* rule : rule_registry()) {
    if (rule->name() == "gerstner_griebel") continue;  // takes long in four dimensions
    const Posterior posterior = integrate(problem.model, *rule);
    for (int i = 0; i < posterior.weights.size(); i += 11) {
      const VectorXd eta = posterior.etas.col(i);
      CHECK_CLOSE(posterior.log_marginal[i], problem.naive_log_marginal(eta), 1e-8);
      const double others = normal_log_density(std::log(eta[2]), -1, 1) - std::log(3);
      const VectorXd x = eta.head(2).array().log().matrix();
      CHECK_CLOSE(posterior.log_prior[i], others + log_prior_of_level(x), 1e-10);
    }
  }
}

TEST("the gradient in u is its difference where lengthscales share a level") {
  // The prior of those in u is that of their logarithms, but for a constant; of others N(0, I).
  check_gradient(problem_with_level(), 4, [](const VectorXd& u, const VectorXd& eta) {
    return log_prior_of_level(eta.head(2).array().log().matrix()) - 0.5 * u.tail(2).squaredNorm();
  });
}

TEST("modes without an integral: those of the rule, or the only point") {
  const RandomModel problem = free_problem();
  btg::Work work;
  const auto modes = btg::find_modes(problem.model, {}, work);
  const VectorXd gradient = btg::log_posterior_gradient(problem.model, modes[0].point).gradient;
  CHECK(gradient.norm() < 0.3 && work.gradients > 0);
  CHECK_CLOSE(modes[0].log_posterior,
              btg::log_posterior_gradient(problem.model, modes[0].point).value, 1e-10);
  // From a mode of another posterior, the same.
  const auto again = btg::find_modes(
      problem.model, {{modes[0].point.array() + 0.2, modes[0].precision, 1.0}}, work);
  CHECK((again[0].point - modes[0].point).norm() < 0.3);
  CHECK_CLOSE(again[0].log_posterior, modes[0].log_posterior, 1e-2);

  const RandomModel fixed = make_problem();
  const auto only = btg::find_modes(fixed.model, {}, work);
  CHECK(only.size() == 1 && only[0].point.size() == 0);
  CHECK_CLOSE(only[0].log_posterior, fixed.naive_log_marginal(VectorXd::Ones(4)), 1e-10);
}

TEST("without free hyperparameters there is one node") {
  const RandomModel problem = make_problem();
  for (const Rule* rule : rule_registry()) {
    const Posterior posterior = integrate(problem.model, *rule);
    CHECK(posterior.weights.size() == 1 && posterior.weights[0] == 1 &&
          posterior.log_prior[0] == 0);
    CHECK_CLOSE(posterior.log_evidence, problem.naive_log_marginal(VectorXd::Ones(4)), 1e-10);
  }
}

TEST("nodes without likelihood are counted; if there are no others, it is an error") {
  RandomModel problem = make_problem({"affine", "boxcox"});  // of a + y
  set_prior(problem.model, 3, {"uniform", {-2, 1}});
  problem.model.response.array() += 0.5 - problem.model.response.minCoeff();
  for (const Rule* rule : rule_registry()) {
    const Posterior posterior = integrate(problem.model, *rule);
    CHECK(posterior.etas.row(3).minCoeff() > -0.5);
    const double failed = posterior.nodes_failed / double(posterior.nodes_tried);
    if (rule->name() == "sobol") CHECK_CLOSE(failed, 0.5, 0.01);
  }
  problem.model.response.array() -= 10;
  for (const Rule* rule : rule_registry())
    CHECK_THROWS(integrate(problem.model, *rule), btg::Error);
}

TEST("twins without noise have a posterior, by the floor of the noise") {
  RandomModel problem = make_problem();
  problem.model.inputs.row(1) = problem.model.inputs.row(0);
  change(problem.model, 2, [](btg::Hyperparameter& noise) { noise.value = 1e-18; });
  set_prior(problem.model, 0, {"lognormal", {0.3, 0.5}});
  for (const Rule* rule : rule_registry())
    CHECK_THROWS(integrate(problem.model, *rule), btg::Error);
  problem.model.noise.set_floor(btg::noise_floor(problem.model.site_count(), 1.0));
  for (const Rule* rule : rule_registry()) {
    CHECK(integrate(problem.model, *rule).nodes_failed == 0);
  }
}
