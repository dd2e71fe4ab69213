// One node with the rows B of each fold left out in turn, all from the node's one factor:
//
//   Q = K^-1 - K^-1 M A^-1 M' K^-1,   A = M' K^-1 M,   e = Q z
//   m_B = z_B - Q_BB^-1 e_B           location of z_B without B
//   C_B = diag(Q_BB^-1)               its variance relative to q_B / (n - |B| - p)
//   q_B = q - e_B' Q_BB^-1 e_B        what q is without B
//   log|K^(-B)| + log|A^(-B)| = log|K| + log|A| + log|Q_BB|
//
// Q = G'G and e = G' residual with G = (I - U U') W of factor.hpp. So Q_BB is a matrix of products
// of columns, and (I - G_B Q_BB^-1 G_B') residual what is left of the residual: nothing is
// subtracted that could cancel.
//
// Where rows share a site, G is that of the sites, and Q of the rows follows from it by sites.hpp:
// rows i and j have Q_ij = w_i w_j / (W_a W_b) times that of their sites, and a term for what
// varies within a site.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "btg/base/select_rows.hpp"
#include "btg/model/folds.hpp"
#include "btg/model/model.hpp"
#include "btg/model/subset.hpp"
#include "btg/node/node.hpp"

namespace btg {

// What all transforms share at the node.
struct LeaveOutBlocks {
  std::unique_ptr<const ProjectedRoot> root;  // G
  std::vector<Eigen::MatrixXd> factors;       // of Q_BB for folds of several rows, lower triangles
  Eigen::VectorXd half_log_det;               // 1/2 log|Q_BB| of every fold
  Eigen::VectorXd variance;                   // C of every row, in the order of the folds
};

// w_i / W_a(i) of each of `rows`.
inline Eigen::VectorXd shares_of(const Sites& sites, const std::vector<int>& rows) {
  Eigen::VectorXd shares(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) shares[k] = sites.share(rows[k]);
  return shares;
}

// The lower triangle of Q_BB.
inline Eigen::MatrixXd left_out_block(const Model& model, const KernelNode& node,
                                      const ProjectedRoot& root, const std::vector<int>& rows) {
  Eigen::MatrixXd block = root.gram(sites_of(model, rows), shares_of(model.sites, rows));
  if (!model.sites.replicated()) return block;
  const Eigen::VectorXd noise = node.noise_in_kernel();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (std::size_t j = k; j < rows.size(); ++j) {
      block(j, k) += model.sites.within_element(rows[j], rows[k], noise);
    }
  }
  return block;
}

// Q_BB of a fold of one row, which needs no factor.
inline void take_one_row(const Model& model, const KernelNode& node, const Folds& folds, int fold,
                         LeaveOutBlocks& blocks) {
  const int first = folds.first[fold], row = folds.order[first];
  const double share = model.sites.share(row);
  double q = share * share * blocks.root->squared_norm(model.sites.of_row(row));
  if (model.sites.replicated()) q += model.sites.within_element(row, row, node.noise_in_kernel());
  blocks.half_log_det[fold] = 0.5 * std::log(q);
  blocks.variance[first] = 1.0 / q;
}

// Q_BB of the fold, factored.
inline void factor_block(const Model& model, const KernelNode& node, const Folds& folds, int fold,
                         LeaveOutBlocks& blocks) {
  const int first = folds.first[fold], size = folds.size(fold);
  Eigen::MatrixXd factor = left_out_block(model, node, *blocks.root, folds.rows(fold));
  Eigen::MatrixXd inverse(size, size);
  if (model.compute->cholesky(factor.data(), size) != 0) return;
  model.compute->invert_lower(factor.data(), size, inverse.data());
  blocks.half_log_det[fold] = factor.diagonal().array().log().sum();
  blocks.variance.segment(first, size) = inverse.colwise().squaredNorm();
  blocks.factors[fold] = std::move(factor);
}

// Folds that are not to be predicted, or not to rounding, have NaN as their determinant.
inline LeaveOutBlocks leave_out_blocks(const Model& model, const KernelNode& node,
                                       const Folds& folds, const std::vector<FoldStatus>& status) {
  LeaveOutBlocks blocks;
  blocks.root = node.factor->project(node.trend_directions);
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

// The variance of an observation in `row` or of the noise-free process there, as predicting it from
// the other rows finds it: without the jitter, which only serves to factor K.
inline double left_out_variance(const Model& model, const KernelNode& node, int row,
                                double variance, bool observation) {
  const double weight = model.sites.weight(row);
  const double noise = node.noise[model.sites.of_row(row)] / weight, jitter = node.jitter / weight;
  const double rounding = 1e-14 * (1.0 + noise);
  return observation ? std::max(variance - jitter, std::max(noise, rounding))
                     : std::max(variance - jitter - noise, rounding);
}

// Q_BB^-1 e_B of every fold.
inline Eigen::VectorXd left_out_change(const Compute& compute, const LeaveOutBlocks& blocks,
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

// A q of at most this much of |W z|^2 is rounding: the trend fits exactly.
constexpr double smallest_relative_q = 1e-22;

// q_B as a sum of squares: that of z with z_B as predicted from the others.
inline double q_without(const Model& model, const KernelNode& node, const LeaveOutBlocks& blocks,
                        const LatentFit& fit, const std::vector<int>& rows,
                        const Eigen::VectorXd& change, const Eigen::VectorXd& z) {
  const Eigen::VectorXd residual =
      fit.residual - blocks.root->combine(sites_of(model, rows),
                                          shares_of(model.sites, rows).cwiseProduct(change));
  Eigen::VectorXd predicted = z;
  for (std::size_t k = 0; k < rows.size(); ++k) predicted[rows[k]] -= change[k];
  return residual.squaredNorm() + model.sites.within(predicted, node.noise_in_kernel()).sum();
}

// All folds left out of one transformed response.
struct LeaveOutFit {
  Eigen::VectorXd location, scale;  // rows
  Eigen::VectorXd log_marginal;     // folds; -Inf if the trend fits the others exactly, to rounding
};

// `log_derivative` has log J as its sum. Of a profile only the scale differs (likelihood.hpp):
// marginal likelihoods weight nodes, of which it has one.
inline LeaveOutFit leave_out_fit(const Model& model, const KernelNode& node,
                                 const LeaveOutBlocks& blocks, const LatentFit& fit,
                                 const Folds& folds, const Eigen::VectorXd& z,
                                 const Eigen::VectorXd& log_derivative, bool observation) {
  const double p = static_cast<double>(fit.coefficients.size());
  const double log_jacobian = log_derivative.sum();
  const Eigen::VectorXd e_sites = blocks.root->transposed_times(fit.residual);
  const Eigen::VectorXd e =
      select_rows(model.sites.to_rows(e_sites, z, node.noise_in_kernel()), folds.order);
  const Eigen::VectorXd change = left_out_change(*model.compute, blocks, folds, e);
  LeaveOutFit result{
      Eigen::VectorXd::Constant(z.size(), NAN), Eigen::VectorXd::Constant(z.size(), NAN),
      Eigen::VectorXd::Constant(folds.count(), -std::numeric_limits<double>::infinity())};
  for (int fold = 0; fold < folds.count(); ++fold) {
    const int first = folds.first[fold], size = folds.size(fold);
    double q = fit.q - e.segment(first, size).dot(change.segment(first, size));
    if (q < 0.1 * fit.q) {  // the difference cancels
      q = q_without(model, node, blocks, fit, folds.rows(fold), change.segment(first, size), z);
    }
    const double n = static_cast<double>(z.size() - size);
    double log_jacobian_left = log_jacobian;
    for (int k = first; k < first + size; ++k) log_jacobian_left -= log_derivative[folds.order[k]];
    const double log_marginal = -node.half_log_det - blocks.half_log_det[fold] -
                                0.5 * (n - p) * std::log(q) + (1.0 - p / n) * log_jacobian_left;
    if (!(q > smallest_relative_q * fit.total) || !std::isfinite(log_marginal)) continue;
    result.log_marginal[fold] = log_marginal;
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
