#include "btg/posterior/target.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "btg/base/parameter.hpp"
#include "btg/model/hyperparameters.hpp"
#include "btg/model/subset.hpp"
#include "btg/priors/prior.hpp"

namespace btg {

Eigen::VectorXd eta_from_normal(const Model& model, const Eigen::VectorXd& u) {
  const Eigen::VectorXd v = model.hyperparameters.correlate(u);
  Eigen::VectorXd eta(model.size());
  int free = 0;
  for (int j = 0; j < model.size(); ++j) {
    const Hyperparameter& h = model.hyperparameters[j];
    eta[j] = h.prior ? from_coordinate(h.prior->from_normal(v[free++]), h.scale) : h.value;
  }
  return eta;
}

Eigen::MatrixXd etas_from_normal(const Model& model, const Eigen::MatrixXd& points) {
  Eigen::MatrixXd etas(model.size(), points.cols());
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    etas.col(i) = eta_from_normal(model, points.col(i));
  }
  return etas;
}

namespace {

// Evaluates in this process. The model must outlive it.
Evaluator own_evaluator(const Model& model) {
  return {[&](const Eigen::MatrixXd& etas) { return evaluate(model, etas); },
          [&](const Eigen::MatrixXd& etas) {
            std::vector<MarginalGradient> all;
            for (Eigen::Index i = 0; i < etas.cols(); ++i) {
              all.push_back(evaluate_gradient(model, etas.col(i).data()));
            }
            return all;
          }};
}

}  // namespace

Eigen::VectorXd prior_excess(const Model& model, const Eigen::MatrixXd& etas) {
  Eigen::VectorXd excess(etas.cols());
  for (Eigen::Index i = 0; i < etas.cols(); ++i) {
    excess[i] = model.hyperparameters.excess(etas.col(i).data()).value;
  }
  return excess;
}

namespace {

// The log posterior in u with its gradient. The likelihood's gradient follows by the chain rule
// through the priors' quantile functions.
ValueGradient to_normal(const Model& model, const Eigen::VectorXd& u, const Eigen::VectorXd& eta,
                        const MarginalGradient& marginal) {
  const Hyperparameters& hyperparameters = model.hyperparameters;
  const ValueGradient excess = hyperparameters.excess(eta.data());
  const Eigen::VectorXd v = hyperparameters.correlate(u);
  Eigen::VectorXd in_v(u.size());
  int free = 0;
  for (int j = 0; j < model.size(); ++j) {
    const Hyperparameter& h = hyperparameters[j];
    if (!h.prior) continue;
    const double coordinate = to_coordinate(eta[j], h.scale);
    in_v[free] = (marginal.gradient[j] + excess.gradient[j]) *
                 h.prior->from_normal_slope(v[free], coordinate);
    ++free;
  }
  ValueGradient result{marginal.log_marginal + excess.value + log_normal_density(u),
                       hyperparameters.correlate(in_v) - u};
  if (!std::isfinite(result.value) || !result.gradient.allFinite()) {
    result.value = -std::numeric_limits<double>::infinity();
  }
  return result;
}

}  // namespace

ValueGradient log_posterior_gradient(const Model& model, const Eigen::VectorXd& u) {
  const Eigen::VectorXd eta = eta_from_normal(model, u);
  return to_normal(model, u, eta, evaluate_gradient(model, eta.data()));
}

namespace {

// The point u with all lengthscales at `length_scale` and the noise at `noise`, in prior standard
// deviations, and 0 elsewhere.
Eigen::VectorXd kernel_start(const Model& model, double length_scale, double noise) {
  Eigen::VectorXd start = Eigen::VectorXd::Zero(model.hyperparameters.free_count());
  int free = 0;
  for (int j = 0; j < model.size(); ++j) {
    const Hyperparameter& h = model.hyperparameters[j];
    if (!h.free()) continue;
    if (h.role == Role::length_scale) start[free] = length_scale;
    // Only the noise level, not the coefficients of its variation.
    if (h.role == Role::noise && h.scale == Scale::positive) start[free] = noise;
    ++free;
  }
  return model.hyperparameters.decorrelate(start);
}

}  // namespace

std::vector<Eigen::VectorXd> far_starts(const Model& model) {
  std::vector<Eigen::VectorXd> starts;
  for (const double length_scale : {-2.5, -3.2}) {
    for (const double noise : {-1.5, 0.0}) {
      starts.push_back(kernel_start(model, length_scale, noise));
    }
  }
  for (const double length_scale : {-1.0, 0.0, 1.0}) {
    starts.push_back(kernel_start(model, length_scale, -2.5));
  }
  return starts;
}

std::vector<Eigen::VectorXd> quiet_kernels(const Model& model) {
  const Segment noise = model.hyperparameters.segment(Role::noise);
  if (noise.count == 0 || !model.hyperparameters[noise.first].free()) return {};
  std::vector<Eigen::VectorXd> kernels;
  for (const double length_scale : {-1.0, 0.0}) {
    kernels.push_back(kernel_start(model, length_scale, -2.8)
                          .head(model.hyperparameters.free_covariance_count()));
  }
  return kernels;
}

bool has_little_noise(const Model& model, const Eigen::VectorXd& eta) {
  return eta[model.hyperparameters.segment(Role::noise).first] < 1e-4;
}

namespace {

// Searches start at the prior centre; at short lengthscales with more noise, where there is often a
// second mode; and at strong transformations in both directions.
void add_starts(const Model& model, Target& target) {
  const Eigen::VectorXd centre = Eigen::VectorXd::Zero(target.dimension);
  target.starts = {centre, kernel_start(model, -2.0, 1.0)};
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
  target.far_starts = far_starts(model);
  target.kernel_restarts = {kernel_start(model, -2.0, 1.0).head(target.kernel_dimension),
                            kernel_start(model, 1.0, 1.0).head(target.kernel_dimension)};
  target.quiet_restarts = quiet_kernels(model);
  target.has_little_noise = [&model](const Eigen::VectorXd& u) {
    return has_little_noise(model, eta_from_normal(model, u));
  };
}

// The target of `model` for a rule. Evaluations are counted in `work`. Both must outlive it.
Target plain_target(const Model& model, Work& work, const Evaluator& evaluator) {
  Target target;
  target.dimension = model.hyperparameters.free_count();
  target.kernel_dimension = model.hyperparameters.free_covariance_count();
  target.rows = static_cast<double>(model.response.size());
  target.shared_cost = model.factor_method->shared_cost(static_cast<double>(model.site_count()));
  if (!model.censored.empty()) {
    target.estimated = true;
    target.shared_cost = std::max(target.shared_cost, 0.6);  // as measured for 100 and 300 rows
  }
  target.prior_parts = model.hyperparameters.prior_parts();
  target.log_likelihood = [&, evaluator](const Eigen::MatrixXd& points) -> Eigen::VectorXd {
    const Eigen::MatrixXd etas = etas_from_normal(model, points);
    work.likelihoods += static_cast<int>(points.cols());
    return evaluator.likelihoods(etas) + prior_excess(model, etas);
  };
  target.log_posterior_gradients = [&, evaluator](const Eigen::MatrixXd& points) {
    work.gradients += static_cast<int>(points.cols());
    const Eigen::MatrixXd etas = etas_from_normal(model, points);
    const std::vector<MarginalGradient> marginals = evaluator.gradients(etas);
    std::vector<ValueGradient> all;
    for (Eigen::Index i = 0; i < points.cols(); ++i) {
      all.push_back(to_normal(model, points.col(i), etas.col(i), marginals[i]));
    }
    return all;
  };
  target.log_posterior_gradient = [all = target.log_posterior_gradients](
                                      const Eigen::VectorXd& point) { return all(point)[0]; };
  add_starts(model, target);
  return target;
}

}  // namespace

Target target_of(const Model& model, Work& work, const Evaluator& evaluator) {
  // Searching 300 sites first cut full gradients from 115-167 to 11-15 on problems of 600 rows.
  const int some = 300;
  Target target = plain_target(model, work, evaluator ? evaluator : own_evaluator(model));
  const int sites = static_cast<int>(model.site_count());
  if (sites < 2 * some) return target;
  struct Coarse {
    Model model;
    Work work;
    Target target;
  };
  std::optional<Model> thin = thin_model(model, some);
  if (!thin) return target;
  const auto coarse = std::make_shared<Coarse>(Coarse{std::move(*thin), {}, {}});
  coarse->target = plain_target(coarse->model, coarse->work, own_evaluator(coarse->model));
  target.coarse = std::shared_ptr<const Target>(coarse, &coarse->target);
  target.coarse_share = static_cast<double>(some) / sites;
  return target;
}

}  // namespace btg
