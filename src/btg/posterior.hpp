// From a model and a rule to the weighted nodes that represent its posterior.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "error.hpp"
#include "log_sum_exp.hpp"
#include "model.hpp"
#include "quadrature/rule.hpp"

namespace btg {

struct Posterior {
  Eigen::MatrixXd etas;     // one column a kept node
  Eigen::VectorXd weights;  // sum to 1
  Eigen::VectorXd log_marginal, log_prior;
  double log_evidence;
  double dropped_mass;
  int nodes_tried, nodes_failed;
  int likelihoods = 0, gradients = 0;  // how often each was evaluated
  int nodes_jittered = 0;
  double largest_jitter = 0.0;
};

// u, where the prior of every free hyperparameter is standard normal, to eta.
inline Eigen::VectorXd eta_from_normal(const Model& model, const Eigen::VectorXd& u) {
  Eigen::VectorXd eta(model.size());
  int free = 0;
  for (int j = 0; j < model.size(); ++j) {
    const Hyperparameter& h = model.hyperparameters[j];
    eta[j] = h.prior ? from_coordinate(h.prior->from_normal(u[free++]), h.scale) : h.value;
  }
  return eta;
}

inline Eigen::MatrixXd etas_from_normal(const Model& model, const Eigen::MatrixXd& points) {
  Eigen::MatrixXd etas(model.size(), points.cols());
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    etas.col(i) = eta_from_normal(model, points.col(i));
  }
  return etas;
}

// The posterior in u with its gradient: that of the likelihood by the chain rule
// through the priors' quantile functions, that of N(u; 0, I) by itself.
inline ValueGradient log_posterior_gradient(const Model& model, const Eigen::VectorXd& u) {
  const Eigen::VectorXd eta = eta_from_normal(model, u);
  const MarginalGradient marginal = evaluate_gradient(model, eta.data());
  ValueGradient result{marginal.log_marginal + log_normal_density(u), -u};
  int free = 0;
  for (int j = 0; j < model.size(); ++j) {
    const Hyperparameter& h = model.hyperparameters[j];
    if (!h.prior) continue;
    const double coordinate = to_coordinate(eta[j], h.scale);
    result.gradient[free] += marginal.gradient[j] * h.prior->from_normal_slope(u[free], coordinate);
    ++free;
  }
  if (!std::isfinite(result.value) || !result.gradient.allFinite()) {
    result.value = -std::numeric_limits<double>::infinity();
  }
  return result;
}

// Points of u with all lengthscales at `length_scale` and the noise at `noise`, in sds of
// the prior, and 0 elsewhere.
inline Eigen::VectorXd kernel_start(const Model& model, int dimension, double length_scale,
                                    double noise) {
  Eigen::VectorXd start = Eigen::VectorXd::Zero(dimension);
  int free = 0;
  for (int j = 0; j <= model.noise_index(); ++j) {
    if (!model.hyperparameters[j].prior) continue;
    start[free++] = j == model.noise_index() ? noise : length_scale;
  }
  return start;
}

// Searches start at the prior's centre; at short lengthscales with more noise, where a
// second mode often is; and at strong transformations of either direction.
inline void add_starts(const Model& model, Target& target) {
  const Eigen::VectorXd centre = Eigen::VectorXd::Zero(target.dimension);
  target.starts = {centre, kernel_start(model, target.dimension, -2.0, 1.0)};
  const int transform_dimension = target.dimension - target.kernel_dimension;
  if (transform_dimension > 0) {
    for (const double side : {-1.0, 1.0}) {
      Eigen::VectorXd start = centre;
      for (int k = 0; k < transform_dimension; ++k) {
        start[target.kernel_dimension + k] = side * (k % 2 == 0 ? 1.5 : 1.0);
      }
      target.starts.push_back(start);
    }
  }
  target.kernel_restarts = {
      kernel_start(model, target.dimension, -2.0, 1.0).head(target.kernel_dimension),
      kernel_start(model, target.dimension, 1.0, 1.0).head(target.kernel_dimension)};
}

// The target of `model` for a rule; what is seen of the work is noted in `posterior`.
inline Target target_of(const Model& model, Posterior& posterior) {
  Target target;
  for (int j = 0; j < model.size(); ++j) {
    if (!model.hyperparameters[j].prior) continue;
    ++target.dimension;
    if (j < model.transform_index()) ++target.kernel_dimension;
  }
  target.log_likelihood = [&](const Eigen::MatrixXd& points) -> Eigen::VectorXd {
    const Evaluation evaluation = evaluate(model, etas_from_normal(model, points));
    posterior.likelihoods += static_cast<int>(points.cols());
    posterior.nodes_jittered += static_cast<int>((evaluation.jitter.array() > 0.0).count());
    posterior.largest_jitter = std::max(posterior.largest_jitter, evaluation.jitter.maxCoeff());
    return evaluation.log_marginal;
  };
  target.log_posterior_gradient = [&](const Eigen::VectorXd& point) {
    ++posterior.gradients;
    return log_posterior_gradient(model, point);
  };
  add_starts(model, target);
  return target;
}

// The fewest points, heaviest first, that hold a mass of at least 1 - epsilon, in
// their original order so that neighbours still share factors.
inline std::vector<Eigen::Index> heaviest(const Eigen::VectorXd& weights, double epsilon) {
  std::vector<Eigen::Index> order(weights.size());
  std::iota(order.begin(), order.end(), Eigen::Index(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return weights[a] > weights[b]; });
  double mass = 0.0;
  std::size_t kept = 0;
  while (kept < order.size() && weights[order[kept]] > 0.0 && mass < 1.0 - epsilon) {
    mass += weights[order[kept++]];
  }
  order.resize(kept);
  std::sort(order.begin(), order.end());
  return order;
}

inline Posterior integrate(const Model& model, const Rule& rule, const RuleOptions& options,
                           double epsilon) {
  Posterior posterior;
  const WeightedPoints all = rule.integrate(target_of(model, posterior), options);
  posterior.log_evidence = log_sum_exp(all.log_weights);
  posterior.nodes_tried = static_cast<int>(all.points.cols());
  posterior.nodes_failed = static_cast<int>((all.log_weights.array() == -INFINITY).count());
  if (!std::isfinite(posterior.log_evidence)) {
    throw Error("numerical", "The likelihood could not be evaluated at any of " +
                                 std::to_string(posterior.nodes_tried) + " nodes.");
  }
  const Eigen::VectorXd weights = (all.log_weights.array() - posterior.log_evidence).exp();
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
  posterior.dropped_mass = std::max(0.0, 1.0 - posterior.weights.sum());
  posterior.weights /= posterior.weights.sum();
  posterior.etas = etas_from_normal(model, points);
  for (Eigen::Index i = 0; i < count; ++i) {
    posterior.log_prior[i] = log_prior(model, posterior.etas.col(i).data());
  }
  return posterior;
}

}  // namespace btg
