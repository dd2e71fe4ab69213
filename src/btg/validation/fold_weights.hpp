// The posterior of the nodes without each fold, from that with all rows: a node of weight w has
// w p(y without the fold | eta) / p(y | eta), normalised.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "btg/base/parallel.hpp"
#include "btg/numerics/pareto.hpp"
#include "btg/validation/leave_out.hpp"

namespace btg {

// NaN for folds that cannot be predicted.
struct FoldWeights {
  Eigen::MatrixXd weights;          // nodes x folds; the columns sum to 1
  Eigen::VectorXd effective_nodes;  // 1 / sum of squared weights
  Eigen::VectorXd distance;         // from the full posterior: half the sum of |differences|
  Eigen::VectorXd pareto_shape;     // k-hat of the ratios; NaN if too few nodes tell
  std::vector<FoldStatus> status;
};

// log p(y without the fold | eta) / p(y | eta) at each node.
inline Eigen::VectorXd log_ratios(const LeftOut& left_out, Eigen::Index fold) {
  return (left_out.log_marginal.col(fold).array() > -INFINITY)
      .select(left_out.log_marginal.col(fold) - left_out.full_log_marginal, -INFINITY);
}

// weights * exp(log_ratios), up to a factor.
inline Eigen::VectorXd reweight(const Eigen::VectorXd& weights, const Eigen::VectorXd& log_ratios) {
  const Eigen::ArrayXd logs = weights.array().abs().log() + log_ratios.array();
  return weights.array().sign() * (logs - logs.maxCoeff()).exp();
}

// `weights` are those of the full posterior, possibly signed.
inline FoldWeights fold_weights(const LeftOut& left_out, const Eigen::VectorXd& weights,
                                const Execution& execution) {
  const Eigen::Index folds = left_out.log_marginal.cols();
  FoldWeights result{Eigen::MatrixXd::Constant(weights.size(), folds, NAN),
                     Eigen::VectorXd::Constant(folds, NAN), Eigen::VectorXd::Constant(folds, NAN),
                     Eigen::VectorXd::Constant(folds, NAN), left_out.status};
  parallel_for(folds, execution, [&](long fold) {
    if (result.status[fold] != FoldStatus::predicted) return;
    Eigen::VectorXd ratios = log_ratios(left_out, fold);
    const Eigen::VectorXd terms = reweight(weights, ratios);
    const double sum = terms.sum();
    if (!(sum > 0.0)) {
      result.status[fold] = FoldStatus::negative_evidence;
      return;
    }
    result.weights.col(fold) = terms / sum;
    result.effective_nodes[fold] = 1.0 / result.weights.col(fold).squaredNorm();
    result.distance[fold] = 0.5 * (result.weights.col(fold) - weights).cwiseAbs().sum();
    const double shape = smooth_weights(ratios);
    if (std::isfinite(shape)) result.pareto_shape[fold] = shape;
  });
  return result;
}

}  // namespace btg
