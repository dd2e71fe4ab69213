// From a model and a rule to the weighted nodes that represent its posterior.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/model/model.hpp"
#include "btg/posterior/target.hpp"
#include "btg/quadrature/modes.hpp"
#include "btg/quadrature/rule.hpp"
#include "btg/quadrature/sampling/compress.hpp"

namespace btg {

struct PosteriorMode {
  Eigen::VectorXd eta;
  Eigen::VectorXd point;       // u, where the prior is standard normal
  double log_posterior = 0.0;  // there
  double mass = 0.0;
  Eigen::MatrixXd precision;  // minus the Hessian in u
};

// A mode of a posterior much like the one wanted, of a share of its data.
struct KnownMode {
  Eigen::VectorXd point;
  Eigen::MatrixXd precision;  // empty if it is not known
  double share = 1.0;
};

struct Posterior : Work {
  Eigen::MatrixXd etas;                // one column a kept node
  Eigen::VectorXd weights;             // sum to 1
  Eigen::VectorXd predictive_weights;  // sum to 1: of fewer nodes, to predict from; or empty
  Eigen::VectorXd log_marginal, log_prior;
  double log_evidence = 0.0;
  double dropped_mass = 0.0;
  int nodes_tried = 0, nodes_failed = 0;
  Eigen::VectorXd boundary_mass;  // of each hyperparameter: see mass_at_boundary
  std::vector<PosteriorMode> modes;
  std::map<std::string, double> diagnostics;  // of the rule
};

// The points that are left when those of least |weight| are dropped as long as the
// |weights| dropped sum to at most epsilon; in their original order, so that neighbours
// still share factors.
inline std::vector<Eigen::Index> heaviest(const Eigen::VectorXd& weights, double epsilon) {
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

// Weights that sum to 1, from signed logarithms; the log of what they summed to before.
inline double normalise(const WeightedPoints& all, Eigen::VectorXd& weights) {
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
                "posterior. Use the default rule, or a higher level.");
  }
  weights /= sum;
  return largest + std::log(sum);
}

// The posterior mass where the prior's cdf is below 1% or above 99%; NaN if fixed.
inline Eigen::VectorXd mass_at_boundary(const Model& model, const Eigen::MatrixXd& points,
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

// The weights of fewer nodes, as many as the rule's option "keep" says: 0 for a number that
// predictions do not notice, and without the option all nodes, which is an empty vector.
inline Eigen::VectorXd predictive_weights(const Eigen::MatrixXd& points,
                                          const Eigen::VectorXd& weights,
                                          const RuleOptions& options, const Compute& compute) {
  if (!options.has("keep") || weights.minCoeff() <= 0.0) return {};
  const double d = static_cast<double>(points.rows());
  const double unnoticed = std::min(16.0 + 5.0 * d * d, 192.0);
  const double count = options.number("keep") > 0 ? options.number("keep") : unnoticed;
  if (!(count < static_cast<double>(weights.size()))) return {};
  return compress(points, weights, static_cast<int>(count), compute);
}

// What is known before: modes are looked for from there, and nowhere else if that leads to some.
inline void start_from(const std::vector<KnownMode>& known, Target& target) {
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

// The modes of a posterior without its integral: where the searches of the default rule end, or
// climbs from modes of a posterior much like it, whose curvature is not measured then.
inline std::vector<PosteriorMode> find_modes(const Model& model,
                                             const std::vector<KnownMode>& known, Work& work) {
  Target target = target_of(model, work);
  if (target.dimension == 0) {  // nothing to look for
    const Eigen::VectorXd point;
    return {{eta_from_normal(model, point), point, target.log_likelihood(Eigen::MatrixXd(0, 1))[0],
             1.0, Eigen::MatrixXd(0, 0)}};
  }
  start_from(known, target);
  ModeSearch search;
  search.by_kernel = target.kernel_dimension > 0 && target.kernel_dimension < target.dimension;
  search.measure = known.empty();
  std::vector<PosteriorMode> modes;
  for (const Mode& mode : find_modes(target, search)) {
    modes.push_back({eta_from_normal(model, mode.point), mode.point, mode.log_posterior, 0.0,
                     mode.precision()});
  }
  return modes;
}

inline Posterior integrate(const Model& model, const Rule& rule, const RuleOptions& options,
                           double epsilon, const std::vector<KnownMode>& known = {},
                           const Evaluator& evaluator = {}) {
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
                               mode.mass, mode.precision});
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
  posterior.predictive_weights =
      predictive_weights(points, posterior.weights, options, *model.compute);
  posterior.etas = etas_from_normal(model, points);
  posterior.log_marginal -= prior_excess(model, posterior.etas);
  for (Eigen::Index i = 0; i < count; ++i) {
    posterior.log_prior[i] = model.hyperparameters.log_prior(posterior.etas.col(i).data());
  }
  return posterior;
}

}  // namespace btg
