// One node with the rows B of each fold left out in turn, all from the node's one factor:
//
//   Q = K^-1 - K^-1 M A^-1 M' K^-1,   e = Q z
//   m_B = z_B - Q_BB^-1 e_B           location of z_B without B
//   C_B = diag(Q_BB^-1)               its variance relative to q_B / (n - |B| - p)
//   q_B = q - e_B' Q_BB^-1 e_B        what q is without B
//   log|K^(-B)| + log|A^(-B)| = log|K| + log|A| + log|Q_BB|
//
// Q = W'W and e = W' residual with W = (I - Q Q') L^-1 (that Q the node's trend basis). So Q_BB
// is a matrix of products of columns, and (I - W_B Q_BB^-1 W_B') residual what is left of the
// residual: nothing is subtracted that could cancel.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "compute.hpp"
#include "folds.hpp"
#include "likelihood.hpp"
#include "node.hpp"

namespace btg {

// What all transforms share at the node. Columns are in the order of the folds.
struct LeaveOutBlocks {
  Eigen::MatrixXd whitened;              // W, n x n
  std::vector<Eigen::MatrixXd> factors;  // of Q_BB for folds of several rows, lower triangles
  Eigen::VectorXd half_log_det;          // 1/2 log|Q_BB| of every fold
  Eigen::VectorXd variance;              // C
};

// W from L^-1, column by column and fold after fold.
inline Eigen::MatrixXd project_inverse(const Compute& compute, const KernelNode& node,
                                       const std::vector<int>& order) {
  const int n = static_cast<int>(node.inputs.rows());
  Eigen::MatrixXd inverse(n, n);
  compute.invert_lower(node.factor.data(), n, inverse.data());
  if (!std::is_sorted(order.begin(), order.end())) {
    const Eigen::MatrixXd unordered = inverse;
    for (int k = 0; k < n; ++k) inverse.col(k) = unordered.col(order[k]);
  }
  Eigen::VectorXd coefficients(node.trend_basis.cols());
  for (int k = 0; k < n; ++k) {
    const int above = order[k];
    coefficients.noalias() =
        node.trend_basis.bottomRows(n - above).transpose() * inverse.col(k).tail(n - above);
    inverse.col(k).noalias() -= node.trend_basis * coefficients;
  }
  return inverse;
}

// Q_BB of the fold's columns of W, factored; a single row needs no factor.
inline void factor_block(const Compute& compute, int first, int size, int fold,
                         LeaveOutBlocks& blocks) {
  if (size == 1) {
    const double norm = blocks.whitened.col(first).norm();
    blocks.half_log_det[fold] = std::log(norm);
    blocks.variance[first] = 1.0 / (norm * norm);
    return;
  }
  Eigen::MatrixXd factor(size, size), inverse(size, size);
  compute.gram(blocks.whitened.col(first).data(), static_cast<int>(blocks.whitened.rows()), size,
               factor.data());
  if (compute.cholesky(factor.data(), size) != 0) return;
  compute.invert_lower(factor.data(), size, inverse.data());
  blocks.half_log_det[fold] = factor.diagonal().array().log().sum();
  blocks.variance.segment(first, size) = inverse.colwise().squaredNorm();
  blocks.factors[fold] = std::move(factor);
}

// Folds that are not to be predicted, or not to rounding, have NaN as their determinant.
inline LeaveOutBlocks leave_out_blocks(const Compute& compute, const KernelNode& node,
                                       const Folds& folds, const std::vector<FoldStatus>& status) {
  LeaveOutBlocks blocks;
  blocks.whitened = project_inverse(compute, node, folds.order);
  blocks.factors.resize(folds.count());
  blocks.half_log_det = Eigen::VectorXd::Constant(folds.count(), NAN);
  blocks.variance = Eigen::VectorXd::Constant(node.inputs.rows(), NAN);
  for (int fold = 0; fold < folds.count(); ++fold) {
    if (status[fold] != FoldStatus::predicted) continue;
    factor_block(compute, folds.first[fold], folds.size(fold), fold, blocks);
  }
  return blocks;
}

// The variance of an observation or of the noise-free process, as predicting it from the other
// rows finds it: without the jitter, which only serves to factor K.
inline double left_out_variance(const KernelNode& node, double variance, bool observation) {
  const double rounding = 1e-14 * (1.0 + node.noise);
  return observation ? std::max(variance - node.jitter, std::max(node.noise, rounding))
                     : std::max(variance - node.jitter - node.noise, rounding);
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

// A q of at most this much of |L^-1 z|^2 is rounding: the trend fits exactly.
constexpr double smallest_relative_q = 1e-22;

// All folds left out of one transformed response; locations and scales in their order.
struct LeaveOutFit {
  Eigen::VectorXd location, scale;
  Eigen::VectorXd log_marginal;  // folds; -Inf if the trend fits the others exactly, to rounding
};

// `z` and `log_derivative`, of which log J is the sum, are in the order of the folds. Of a profile
// only the scale differs (likelihood.hpp): marginal likelihoods weight nodes, of which it has one.
inline LeaveOutFit leave_out_fit(const Compute& compute, const KernelNode& node,
                                 const LeaveOutBlocks& blocks, const LatentFit& fit,
                                 const Folds& folds, const Eigen::VectorXd& z,
                                 const Eigen::VectorXd& log_derivative, bool observation,
                                 Likelihood likelihood = Likelihood::integrated) {
  const double p = static_cast<double>(fit.coefficients.size());
  const double log_jacobian = log_derivative.sum();
  const Eigen::VectorXd e = blocks.whitened.transpose() * fit.residual;
  const Eigen::VectorXd change = left_out_change(compute, blocks, folds, e);
  LeaveOutFit result{
      Eigen::VectorXd::Constant(z.size(), NAN), Eigen::VectorXd::Constant(z.size(), NAN),
      Eigen::VectorXd::Constant(folds.count(), -std::numeric_limits<double>::infinity())};
  for (int fold = 0; fold < folds.count(); ++fold) {
    const int first = folds.first[fold], size = folds.size(fold);
    double q = fit.q - e.segment(first, size).dot(change.segment(first, size));
    if (q < 0.1 * fit.q) {  // the difference cancels
      q = (fit.residual - blocks.whitened.middleCols(first, size) * change.segment(first, size))
              .squaredNorm();
    }
    const double n = static_cast<double>(z.size() - size);
    const double log_marginal =
        -node.half_log_det - blocks.half_log_det[fold] - 0.5 * (n - p) * std::log(q) +
        (1.0 - p / n) * (log_jacobian - log_derivative.segment(first, size).sum());
    if (!(q > smallest_relative_q * fit.total) || !std::isfinite(log_marginal)) continue;
    result.log_marginal[fold] = log_marginal;
    for (int k = first; k < first + size; ++k) {
      const double variance = left_out_variance(node, blocks.variance[k], observation);
      result.location[k] = z[k] - change[k];
      result.scale[k] = std::sqrt(q * variance / residual_count(likelihood, n, p));
    }
  }
  return result;
}

}  // namespace btg
