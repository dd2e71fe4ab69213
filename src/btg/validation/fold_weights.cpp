#include "btg/validation/fold_weights.hpp"

#include <cmath>

#include "btg/numerics/pareto.hpp"

namespace btg {

Eigen::VectorXd log_ratios(const LeftOut& left_out, Eigen::Index fold) {
  return (left_out.log_marginal.col(fold).array() > -INFINITY)
      .select(left_out.log_marginal.col(fold) - left_out.full_log_marginal, -INFINITY);
}

Eigen::VectorXd reweight(const Eigen::VectorXd& weights, const Eigen::VectorXd& log_ratios) {
  const Eigen::ArrayXd logs = weights.array().abs().log() + log_ratios.array();
  return weights.array().sign() * (logs - logs.maxCoeff()).exp();
}

FoldWeights fold_weights(const LeftOut& left_out, const Eigen::VectorXd& weights,
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
