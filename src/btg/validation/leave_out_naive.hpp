// Every fold predicted by refitting the model to the other rows at frozen nodes: what leave_out
// of loocv.hpp computes, at O(n^3) for every fold and node.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "btg/model/folds.hpp"
#include "btg/model/model.hpp"
#include "btg/node/predict.hpp"
#include "btg/validation/leave_out.hpp"

namespace btg {

// The same model with a site for each row.
inline Model spread_out(const Model& model) {
  Model spread = model;
  const int n = static_cast<int>(model.response.size());
  std::vector<int> site_of_row(n);
  Eigen::VectorXd weight(n);
  for (int i = 0; i < n; ++i) {
    site_of_row[i] = model.sites.of_row(i);
    weight[i] = model.sites.weight(i);
  }
  spread.inputs = select_rows(model.inputs, site_of_row);
  spread.trend = trend_of_rows(model);
  spread.sites = weighted_rows(weight);
  return spread;
}

// The trend is that of all rows in their orthonormal basis: marginal likelihoods in its units. Each
// row has a site of its own.
inline Model keep_rows(const Model& spread, const std::vector<int>& rows) {
  Model kept = spread;
  kept.inputs = select_rows(spread.inputs, rows);
  kept.trend = Trend(select_rows(spread.trend.basis(), rows));
  kept.response = select_rows(spread.response, rows);
  Eigen::VectorXd weight(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) weight[i] = spread.sites.weight(rows[i]);
  kept.sites = weighted_rows(weight);
  return kept;
}

// 1 / weight for observations, 0 for the process.
inline Eigen::VectorXd noise_of_rows(const Model& model, const std::vector<int>& rows,
                                     bool observation) {
  Eigen::VectorXd noise = equal_noise(rows.size(), observation);
  for (std::size_t k = 0; k < rows.size(); ++k) noise[k] /= model.sites.weight(rows[k]);
  return noise;
}

// The jitter is a property of the node: K without the fold has the one that K has.
inline std::optional<KernelNode> refit_node(const Model& kept, const double* eta, double jitter) {
  const double noise = eta[kept.noise_index()];
  std::optional<KernelNode> node = factor_node(*kept.compute, *kept.kernel, kept.product,
                                               divide_by_length_scales(kept, kept.inputs, eta),
                                               kept.trend, noise + jitter, kept.sites);
  if (node) node->noise = noise;
  return node;
}

inline void refit_without(const Model& model, const Eigen::MatrixXd& etas, const NodeGroup& group,
                          double jitter, const Folds& folds, int fold, bool observation,
                          LeftOut& result) {
  const std::vector<int> rows = folds.rows(fold);
  const Model kept = keep_rows(model, folds.kept(fold));
  const double* eta = etas.col(group.first).data();
  const std::optional<KernelNode> node = refit_node(kept, eta, jitter);
  if (!node) return;
  const CrossBlock block =
      cross_block(*kept.compute, *kept.kernel, kept.product, *node,
                  divide_by_length_scales(kept, select_rows(model.inputs, rows), eta),
                  kept.trend.to_basis(select_rows(model.trend.basis(), rows)),
                  noise_of_rows(model, rows, observation));
  for (Eigen::Index i = group.first; i < group.first + group.count; ++i) {
    if (!std::isfinite(result.full_log_marginal[i])) continue;
    const double* theta = etas.col(i).data() + kept.transform_index();
    const TransformedResponse g = transform_response(kept.transform, kept.response, theta);
    const LatentFit fit = fit_latent(kept, *node, g.z);
    const double value = log_marginal(*node, fit, g.log_jacobian);
    if (!(fit.q > smallest_relative_q * fit.total) || !std::isfinite(value)) continue;
    result.log_marginal(i, fold) = value - model.trend.log_abs_det();
    const Eigen::VectorXd location = predictive_location(block, fit);
    const Eigen::VectorXd scale = predictive_scale(block, fit, kept.likelihood);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      result.location(i, rows[k]) = location[k];
      result.scale(i, rows[k]) = scale[k];
    }
  }
}

inline LeftOut leave_out_naive(const Model& grouped, const Eigen::MatrixXd& etas,
                               const Folds& folds, bool observation) {
  const Model model = spread_out(grouped);
  LeftOut result = nothing_left_out(model, folds, etas.cols());
  const Evaluation full = evaluate(grouped, etas);
  result.full_log_marginal = full.log_marginal;
  const std::vector<NodeGroup> groups = group_nodes(model, etas);
  const long count = static_cast<long>(groups.size()) * folds.count();
  parallel_for(count, model.execution, [&](long piece) {
    const NodeGroup& group = groups[piece / folds.count()];
    const int fold = static_cast<int>(piece % folds.count());
    if (result.status[fold] != FoldStatus::predicted) return;
    refit_without(model, etas, group, full.jitter[group.first], folds, fold, observation, result);
  });
  note_exact_fits(result);
  return result;
}

}  // namespace btg
