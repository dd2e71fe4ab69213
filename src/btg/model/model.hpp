// The model: data, kernel, transform and hyperparameters. `eta` is one value of all
// hyperparameters on their natural scale: the lengthscales, the noise, then the
// transform's parameters.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "btg/base/parallel.hpp"
#include "btg/compute/compute.hpp"
#include "btg/model/likelihood.hpp"
#include "btg/model/sites.hpp"
#include "btg/model/trend.hpp"
#include "btg/node/gradient.hpp"
#include "btg/node/node.hpp"
#include "btg/priors/prior.hpp"
#include "btg/transforms/compose.hpp"
#include "btg/transforms/transformed_response.hpp"

namespace btg {

struct Hyperparameter {
  std::string name;
  Scale scale;
  std::optional<Prior> prior;  // none: fixed at `value`
  double value;
};

struct Model {
  const Compute* compute;
  const btg_compute::Kernel* kernel;
  bool product;
  Composition transform;
  Eigen::MatrixXd inputs;                   // sites x columns
  std::vector<int> length_scale_of_column;  // one lengthscale may serve several columns
  Trend trend;                              // of the sites
  Eigen::VectorXd response;                 // of all n rows
  Sites sites;                              // and what they have to do with each other
  std::vector<Hyperparameter> hyperparameters;
  int n_length_scales = 0;
  Execution execution;
  Likelihood likelihood = Likelihood::integrated;

  int noise_index() const { return n_length_scales; }
  int transform_index() const { return n_length_scales + 1; }
  int size() const { return static_cast<int>(hyperparameters.size()); }
  // nu of likelihood.hpp
  double residual_count() const {
    return btg::residual_count(likelihood, static_cast<double>(response.size()),
                               static_cast<double>(trend.basis().cols()));
  }
  // Of the predictive t; a profile predicts as if the scale were known, by the normal.
  double degrees_of_freedom() const {
    return likelihood == Likelihood::integrated
               ? static_cast<double>(response.size() - trend.basis().cols())
               : std::numeric_limits<double>::infinity();
  }
};

inline Eigen::MatrixXd divide_by_length_scales(const Model& model, const Eigen::MatrixXd& inputs,
                                               const double* eta) {
  Eigen::MatrixXd scaled = inputs;
  for (Eigen::Index k = 0; k < scaled.cols(); ++k) {
    scaled.col(k) /= eta[model.length_scale_of_column[k]];
  }
  return scaled;
}

inline std::optional<KernelNode> kernel_node(const Model& model, const double* eta) {
  return factor_node(*model.compute, *model.kernel, model.product,
                     divide_by_length_scales(model, model.inputs, eta), model.trend,
                     eta[model.noise_index()], model.sites);
}

inline LatentFit fit_latent(const Model& model, const KernelNode& node, const Eigen::VectorXd& z) {
  return fit_latent(*model.compute, node, z, model.sites);
}

// A run of neighbouring columns with the same lengthscales and noise.
struct NodeGroup {
  Eigen::Index first, count;
};

inline std::vector<NodeGroup> group_nodes(const Model& model, const Eigen::MatrixXd& etas) {
  const int kernel_size = model.transform_index();
  std::vector<NodeGroup> groups;
  for (Eigen::Index i = 0; i < etas.cols(); ++i) {
    if (i > 0 && etas.col(i).head(kernel_size) == etas.col(i - 1).head(kernel_size)) {
      ++groups.back().count;
    } else {
      groups.push_back({i, 1});
    }
  }
  return groups;
}

// visit(node, group) for every group of columns, each factored once; the node is null
// where K could not be factored. Groups are visited on several threads.
template <class Visit>
void for_each_group(const Model& model, const Eigen::MatrixXd& etas, Visit visit) {
  const std::vector<NodeGroup> groups = group_nodes(model, etas);
  parallel_for(static_cast<long>(groups.size()), model.execution, [&](long g) {
    const std::optional<KernelNode> node = kernel_node(model, etas.col(groups[g].first).data());
    visit(node ? &*node : nullptr, groups[g]);
  });
}

struct Evaluation {
  Eigen::VectorXd log_marginal;  // -Inf where a node failed
  Eigen::VectorXd jitter;
};

inline Evaluation evaluate(const Model& model, const Eigen::MatrixXd& etas) {
  Evaluation result{
      Eigen::VectorXd::Constant(etas.cols(), -std::numeric_limits<double>::infinity()),
      Eigen::VectorXd::Zero(etas.cols())};
  for_each_group(model, etas, [&](const KernelNode* node, const NodeGroup& group) {
    if (!node) return;
    for (Eigen::Index i = group.first; i < group.first + group.count; ++i) {
      model.execution.check();
      const double* theta = etas.col(i).data() + model.transform_index();
      const TransformedResponse g = transform_response(model.transform, model.response, theta);
      if (!g.z.allFinite()) continue;
      result.log_marginal[i] =
          log_marginal(*node, fit_latent(model, *node, g.z), g.log_jacobian, model.likelihood);
      result.jitter[i] = node->jitter;
    }
  });
  return result;
}

struct MarginalGradient {
  double log_marginal = -std::numeric_limits<double>::infinity();
  double jitter = 0.0;
  Eigen::VectorXd gradient;  // in the coordinates: logs of the positive hyperparameters
};

inline MarginalGradient evaluate_gradient(const Model& model, const double* eta) {
  model.execution.step();
  MarginalGradient result;
  result.gradient = Eigen::VectorXd::Zero(model.size());
  const double* theta = eta + model.transform_index();
  const TransformedResponseGradient g =
      transform_response_gradient(model.transform, model.response, theta);
  const std::optional<KernelNode> node = kernel_node(model, eta);
  if (!node || !g.z.allFinite()) return result;
  model.execution.check();
  const LatentFit fit = fit_latent(model, *node, g.z);
  result.log_marginal = log_marginal(*node, fit, g.log_jacobian, model.likelihood);
  result.jitter = node->jitter;
  if (!std::isfinite(result.log_marginal)) return result;

  const Eigen::VectorXd e = weighted_residual(*model.compute, *node, fit);
  const KernelGradient kernel = kernel_gradient(*model.compute, *model.kernel, model.product, *node,
                                                fit, e, model.likelihood, model.sites);
  for (Eigen::Index k = 0; k < kernel.log_length_scales.size(); ++k) {
    result.gradient[model.length_scale_of_column[k]] += kernel.log_length_scales[k];
  }
  result.gradient[model.noise_index()] = kernel.log_noise;

  const double n = static_cast<double>(model.response.size());
  const double count = model.residual_count();
  const Eigen::VectorXd e_rows = model.sites.to_rows(e, g.z, node->noise_in_kernel());
  result.gradient.tail(model.transform.size()) =
      -count / fit.q * g.z_gradient.transpose() * e_rows + count / n * g.log_jacobian_gradient;
  for (int j = model.transform_index(); j < model.size(); ++j) {
    if (model.hyperparameters[j].scale == Scale::positive) result.gradient[j] *= eta[j];
  }
  return result;
}

// The log prior density of the free hyperparameters' coordinates.
inline double log_prior(const Model& model, const double* eta) {
  double total = 0.0;
  for (int j = 0; j < model.size(); ++j) {
    const Hyperparameter& h = model.hyperparameters[j];
    if (h.prior) total += h.prior->log_density(to_coordinate(eta[j], h.scale));
  }
  return total;
}

}  // namespace btg
