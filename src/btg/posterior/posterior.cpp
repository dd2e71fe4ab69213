#include "btg/posterior/posterior.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "btg/base/error.hpp"
#include "btg/posterior/completed_nodes.hpp"
#include "btg/quadrature/rules/adaptive_tuning.hpp"
#include "btg/quadrature/sampling/compress.hpp"

namespace btg {

std::vector<Eigen::Index> heaviest(const Eigen::VectorXd& weights, double epsilon) {
  std::vector<Eigen::Index> order(weights.size());
  std::iota(order.begin(), order.end(), Eigen::Index(0));
  std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
    return std::abs(weights[a]) > std::abs(weights[b]);
  });
  double dropped = 0.0;
  while (order.size() > 1) {
    dropped += std::abs(weights[order.back()]);
    if (dropped > epsilon) break;
    order.pop_back();
  }
  std::sort(order.begin(), order.end());
  return order;
}

namespace {

// Turns signed log weights into weights that sum to 1, and returns the log of their previous sum.
double normalise(const WeightedPoints& all, Eigen::VectorXd& weights) {
  const double largest = all.log_weights.maxCoeff();
  if (!(largest > -INFINITY)) {
    throw Error("numerical", "The likelihood could not be evaluated at any of " +
                                 std::to_string(all.points.cols()) + " nodes.");
  }
  weights = (all.log_weights.array() - largest).exp();
  if (all.signs.size() > 0) weights.array() *= all.signs.array();
  const double sum = weights.sum();
  if (!(sum > 0.0)) {
    throw Error("quadrature",
                "The signed weights of this rule sum to a negative evidence: its nodes miss the "
                "posterior. Use the default rule, or a higher order.");
  }
  weights /= sum;
  return largest + std::log(sum);
}

// Posterior mass where the prior cdf is below 1% or above 99%; NaN if fixed.
Eigen::VectorXd mass_at_boundary(const Model& model, const Eigen::MatrixXd& points,
                                 const Eigen::VectorXd& weights) {
  Eigen::MatrixXd v = points;
  for (Eigen::Index i = 0; i < v.cols(); ++i) v.col(i) = model.hyperparameters.correlate(v.col(i));
  Eigen::VectorXd mass = Eigen::VectorXd::Constant(model.size(), NAN);
  Eigen::Index free = 0;
  for (int j = 0; j < model.size(); ++j) {
    if (!model.hyperparameters[j].prior) continue;
    mass[j] = (v.row(free++).array().abs() > 2.3263478740408408)
                  .select(weights.transpose().array(), 0.0)
                  .sum();
  }
  return mass;
}

// Factor by which heavy tails inflate errors. With a tail index k above 1/2, errors of importance
// sampling fall like ESS^-(1 - k) instead of ESS^-1/2 (Vehtari et al. 2024). For smoothed weights
// the factor is the square root of that ratio, as bench/warning.R measures. A heavy tail matters
// only if it carries much of the weight.
double heavy_tail_factor(double k, double effective, double tried) {
  if (!(k > 0.5) || !(effective < AdaptiveTuning::few_effective * tried)) return 1.0;
  return std::pow(effective, 0.5 * (std::min(k, 1.0) - 0.5));
}

// Sampling rules estimate their own error, unless very few points carry weight. A grid over the
// prior with fewer than two effective nodes per hyperparameter is too coarse. A grid around the
// mode always has few, since most weight is at its centre.
void set_wanted_nodes(const Target& target, const RuleOptions& options, Posterior& posterior) {
  if (options.has("seed")) {
    posterior.least_effective = 5.0;
    posterior.good_effective = 100.0;
  } else if (posterior.modes.empty()) {
    posterior.least_effective = posterior.good_effective = 2.0 * target.dimension;
  }
}

// Starts the mode search from known modes, and from nowhere else if they lead to a mode.
void start_from(const std::vector<KnownMode>& known, Target& target) {
  if (known.empty()) return;
  target.warm = true;
  target.starts.clear();
  for (const KnownMode& mode : known) {
    target.starts.push_back(mode.point);
    if (mode.precision.size() > 0) {
      target.start_covariances.push_back(covariance_with_all(mode.precision, mode.share));
    }
  }
  if (target.start_covariances.size() < known.size()) target.start_covariances.clear();
}

// Replaces the nodes by nodes with latent responses, most of them where predictions are from. In an
// average, a model of little weight needs few.
void complete(const Model& model, const RuleOptions& options, Posterior& posterior) {
  const double share = options.has("share") ? options.number("share") : 1.0;
  const int count = static_cast<int>(std::ceil(std::max(share, 0.1) * completed_count));
  const bool compressed = posterior.predictive_weights.size() > 0;
  const CompletedNodes nodes = complete_nodes(
      model, posterior.etas, compressed ? posterior.predictive_weights : posterior.weights, count);
  posterior.etas = nodes.etas;
  posterior.weights = nodes.divide(posterior.weights);
  if (compressed) posterior.predictive_weights = nodes.divide(posterior.predictive_weights);
  posterior.log_marginal = nodes.repeat(posterior.log_marginal);
  posterior.log_prior = nodes.repeat(posterior.log_prior);
}

}  // namespace

std::vector<PosteriorMode> find_modes(const Model& model, const std::vector<KnownMode>& known,
                                      Work& work) {
  Target target = target_of(model, work);
  if (target.dimension == 0) {  // nothing to search
    const Eigen::VectorXd point;
    const double height = target.log_likelihood(Eigen::MatrixXd(0, 1))[0];
    return {{eta_from_normal(model, point), point, height, height, 1.0, Eigen::MatrixXd(0, 0)}};
  }
  start_from(known, target);
  ModeSearch search;
  search.by_kernel = target.kernel_dimension > 0 && target.kernel_dimension < target.dimension;
  search.measure = known.empty();
  std::vector<PosteriorMode> modes;
  for (const Mode& mode : find_modes(target, search)) {
    modes.push_back({eta_from_normal(model, mode.point), mode.point, mode.log_posterior,
                     mode.log_mass(), 0.0, mode.precision()});
  }
  return modes;
}

Posterior integrate(const Model& model, const Rule& rule, const RuleOptions& options,
                    double epsilon, const std::vector<KnownMode>& known,
                    const Evaluator& evaluator) {
  Posterior posterior;
  Target target = target_of(model, posterior, evaluator);
  start_from(known, target);
  const WeightedPoints all = rule.integrate(target, options);
  Eigen::VectorXd weights;
  posterior.log_evidence = normalise(all, weights);
  posterior.nodes_tried = static_cast<int>(all.points.cols());
  posterior.nodes_failed = static_cast<int>((all.log_likelihood.array() == -INFINITY).count());
  posterior.diagnostics = all.diagnostics;
  for (const ModeSummary& mode : all.modes) {
    posterior.modes.push_back({eta_from_normal(model, mode.point), mode.point, mode.log_posterior,
                               mode.log_mass, mode.mass, mode.precision});
  }
  posterior.boundary_mass = mass_at_boundary(model, all.points, weights);

  const std::vector<Eigen::Index> kept = heaviest(weights, epsilon);
  const Eigen::Index count = static_cast<Eigen::Index>(kept.size());
  Eigen::MatrixXd points(all.points.rows(), count);
  posterior.weights.resize(count);
  posterior.log_marginal.resize(count);
  posterior.log_prior.resize(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    points.col(i) = all.points.col(kept[i]);
    posterior.weights[i] = weights[kept[i]];
    posterior.log_marginal[i] = all.log_likelihood[kept[i]];
  }
  posterior.dropped_mass =
      std::max(0.0, weights.cwiseAbs().sum() - posterior.weights.cwiseAbs().sum());
  posterior.weights /= posterior.weights.sum();
  if (all.keep > 0 && all.keep < count && posterior.weights.minCoeff() > 0.0) {
    posterior.predictive_weights = compress(points, posterior.weights, all.keep, *model.compute);
  }
  posterior.effective_nodes = 1.0 / posterior.weights.squaredNorm();
  const auto diagnostic = [&](const char* name) {
    const auto found = all.diagnostics.find(name);
    return found == all.diagnostics.end() ? NAN : found->second;
  };
  posterior.error_factor =
      heavy_tail_factor(diagnostic("k_hat"), posterior.effective_nodes, posterior.nodes_tried);
  posterior.log_evidence_error = diagnostic("log_evidence_error") * posterior.error_factor;
  set_wanted_nodes(target, options, posterior);
  posterior.etas = etas_from_normal(model, points);
  posterior.log_marginal -= prior_excess(model, posterior.etas);
  for (Eigen::Index i = 0; i < count; ++i) {
    posterior.log_prior[i] = model.hyperparameters.log_prior(posterior.etas.col(i).data());
  }
  if (!model.censored.empty()) complete(model, options, posterior);
  return posterior;
}

}  // namespace btg
