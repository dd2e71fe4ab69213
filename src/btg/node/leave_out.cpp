#include "btg/node/leave_out.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "btg/base/select_rows.hpp"
#include "btg/compute/compute.hpp"
#include "btg/model/latent_response.hpp"
#include "btg/model/likelihood.hpp"
#include "btg/model/sites.hpp"
#include "btg/model/subset.hpp"

namespace btg {

namespace {

// w_i / W_a(i) for each of `rows`.
Eigen::VectorXd shares_of(const Sites& sites, const std::vector<int>& rows) {
  Eigen::VectorXd shares(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) shares[k] = sites.share(rows[k]);
  return shares;
}

}  // namespace

Eigen::MatrixXd left_out_block(const Model& model, const KernelNode& node,
                               const ProjectedRoot& root, const std::vector<int>& rows) {
  Eigen::MatrixXd block = root.gram(sites_of(model, rows), shares_of(model.sites, rows));
  if (!model.sites.replicated()) return block;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (std::size_t j = k; j < rows.size(); ++j) {
      block(j, k) += model.sites.within_element(rows[j], rows[k], node.noise);
    }
  }
  return block;
}

namespace {

// Handles a fold of one row, where Q_BB is a number.
void take_one_row(const Model& model, const KernelNode& node, const Folds& folds, int fold,
                  LeaveOutFactors& blocks) {
  const int first = folds.first[fold], row = folds.order[first];
  const double share = model.sites.share(row);
  double q = share * share * blocks.root->squared_norm(model.sites.of_row(row));
  if (model.sites.replicated()) q += model.sites.within_element(row, row, node.noise);
  blocks.half_log_det[fold] = 0.5 * std::log(q);
  blocks.variance[first] = 1.0 / q;
}

// Factors Q_BB of the fold.
void factor_block(const Model& model, const KernelNode& node, const Folds& folds, int fold,
                  LeaveOutFactors& blocks) {
  const int first = folds.first[fold], size = folds.size(fold);
  Eigen::MatrixXd factor = left_out_block(model, node, *blocks.root, folds.rows(fold));
  Eigen::MatrixXd inverse(size, size);
  if (model.compute->cholesky(factor.data(), size) != 0) return;
  model.compute->invert_lower(factor.data(), size, inverse.data());
  blocks.half_log_det[fold] = factor.diagonal().array().log().sum();
  blocks.variance.segment(first, size) = inverse.colwise().squaredNorm();
  blocks.factors[fold] = std::move(factor);
}

}  // namespace

LeaveOutFactors leave_out_factors(const Model& model, const KernelNode& node, const Folds& folds,
                                  const std::vector<FoldStatus>& status) {
  LeaveOutFactors blocks;
  blocks.root = node.factor->project_some(node.trend_directions, sites_of(model, folds.order));
  blocks.factors.resize(folds.count());
  blocks.half_log_det = Eigen::VectorXd::Constant(folds.count(), NAN);
  blocks.variance = Eigen::VectorXd::Constant(folds.order.size(), NAN);
  for (int fold = 0; fold < folds.count(); ++fold) {
    if (status[fold] != FoldStatus::predicted) continue;
    if (folds.size(fold) == 1) {
      take_one_row(model, node, folds, fold, blocks);
    } else {
      factor_block(model, node, folds, fold, blocks);
    }
  }
  return blocks;
}

namespace {

// Variance of an observation in `row`, or of the noise-free process there.
double left_out_variance(const Model& model, const KernelNode& node, int row, double variance,
                         bool observation) {
  const double weight = model.sites.weight(row);
  const double noise = node.noise[model.sites.of_row(row)] / weight;
  const double rounding = 1e-14 * (1.0 + noise);
  return observation ? std::max(variance, std::max(noise, rounding))
                     : std::max(variance - noise, rounding);
}

// Q_BB^-1 e_B for every fold.
Eigen::VectorXd left_out_change(const Compute& compute, const LeaveOutFactors& blocks,
                                const Folds& folds, const Eigen::VectorXd& e) {
  Eigen::VectorXd change = blocks.variance.cwiseProduct(e);
  for (int fold = 0; fold < folds.count(); ++fold) {
    const Eigen::MatrixXd& factor = blocks.factors[fold];
    if (factor.size() == 0) continue;
    const int first = folds.first[fold], size = folds.size(fold);
    change.segment(first, size) = e.segment(first, size);
    compute.solve_lower(factor.data(), size, change.data() + first, 1);
    compute.solve_lower_transposed(factor.data(), size, change.data() + first, 1);
  }
  return change;
}

// q_B as a sum of squares, from z with z_B replaced by its prediction from the other rows.
double q_without(const Model& model, const KernelNode& node, const LeaveOutFactors& blocks,
                 const LatentFit& fit, const std::vector<int>& rows, const Eigen::VectorXd& change,
                 const Eigen::VectorXd& z) {
  const Eigen::VectorXd residual =
      fit.residual - blocks.root->combine(sites_of(model, rows),
                                          shares_of(model.sites, rows).cwiseProduct(change));
  Eigen::VectorXd predicted = z;
  for (std::size_t k = 0; k < rows.size(); ++k) predicted[rows[k]] -= change[k];
  return residual.squaredNorm() + model.sites.within(predicted, node.noise).sum();
}

}  // namespace

LeaveOutFit leave_out_fit(const Model& model, const KernelNode& node, const LeaveOutFactors& blocks,
                          const LatentFit& fit, const Folds& folds, const Eigen::VectorXd& z,
                          const Eigen::VectorXd& log_derivative, bool observation) {
  const double p = static_cast<double>(fit.coefficients.size());
  const JacobianTerm all(model, log_derivative);
  const Eigen::VectorXd e_sites = blocks.root->transposed_times(fit.residual);
  const Eigen::VectorXd e = select_rows(model.sites.to_rows(e_sites, z, node.noise), folds.order);
  const Eigen::VectorXd change = left_out_change(*model.compute, blocks, folds, e);
  LeaveOutFit result{
      Eigen::VectorXd::Constant(z.size(), NAN), Eigen::VectorXd::Constant(z.size(), NAN),
      Eigen::VectorXd::Constant(folds.count(), -std::numeric_limits<double>::infinity()),
      Eigen::VectorXd::Constant(folds.count(), NAN)};
  for (int fold = 0; fold < folds.count(); ++fold) {
    const int first = folds.first[fold], size = folds.size(fold);
    double q = fit.q - e.segment(first, size).dot(change.segment(first, size));
    if (q < 0.1 * fit.q) {  // the difference cancels
      q = q_without(model, node, blocks, fit, folds.rows(fold), change.segment(first, size), z);
    }
    const double n = static_cast<double>(z.size() - size);
    JacobianTerm jacobian = all;
    for (int k = first; k < first + size; ++k) jacobian.leave_out(folds.order[k]);
    const double log_marginal = -node.half_log_det - blocks.half_log_det[fold] -
                                0.5 * (n - p) * std::log(q) + jacobian.value();
    if (!(q > smallest_relative_q * fit.total) || !std::isfinite(log_marginal)) continue;
    result.log_marginal[fold] = log_marginal;
    result.q[fold] = q;
    for (int k = first; k < first + size; ++k) {
      const int row = folds.order[k];
      const double variance = left_out_variance(model, node, row, blocks.variance[k], observation);
      result.location[row] = z[row] - change[k];
      result.scale[row] = std::sqrt(q * variance / residual_count(model.likelihood, n, p));
    }
  }
  return result;
}

}  // namespace btg
