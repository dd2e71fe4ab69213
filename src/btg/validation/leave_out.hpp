// Every fold predicted from all other rows at frozen nodes: exactly, from one factor a node. Its
// oracle is leave_out_naive.hpp.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <vector>

#include "btg/model/folds.hpp"
#include "btg/model/model.hpp"
#include "btg/model/subset.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/node/leave_out.hpp"

namespace btg {

// The t distributions of g(y_i) without its fold, and log p(y | eta) without each fold. Where a
// node has no likelihood without a fold, location and scale are NaN and it is -Inf.
struct LeftOut {
  Eigen::MatrixXd location, scale;     // nodes x rows
  Eigen::MatrixXd log_marginal;        // nodes x folds
  Eigen::VectorXd full_log_marginal;   // nodes: with all rows
  Eigen::VectorXd degrees_of_freedom;  // folds
  std::vector<FoldStatus> status;      // folds
};

inline LeftOut nothing_left_out(const Model& model, const Folds& folds, Eigen::Index nodes) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Eigen::Index n = model.response.size();
  LeftOut result{Eigen::MatrixXd::Constant(nodes, n, NAN),
                 Eigen::MatrixXd::Constant(nodes, n, NAN),
                 Eigen::MatrixXd::Constant(nodes, folds.count(), -infinity),
                 Eigen::VectorXd::Constant(nodes, -infinity),
                 Eigen::VectorXd(folds.count()),
                 check_folds(trend_of_rows(model).basis(), folds)};
  for (int fold = 0; fold < folds.count(); ++fold) {
    result.degrees_of_freedom[fold] = model.degrees_of_freedom() - folds.size(fold);
  }
  return result;
}

// Folds that no node predicts, although the trend allows it, are fitted exactly without them.
inline void note_exact_fits(LeftOut& result) {
  for (std::size_t fold = 0; fold < result.status.size(); ++fold) {
    const bool none = !(result.log_marginal.col(fold).maxCoeff() > -INFINITY);
    if (none && result.status[fold] == FoldStatus::predicted) {
      result.status[fold] = FoldStatus::exact_fit;
    }
  }
}

// All folds at node i of the results.
inline void leave_out_at(const Model& model, const KernelNode& node, const LeaveOutBlocks& blocks,
                         const Folds& folds, const double* lambda, bool observation, Eigen::Index i,
                         LeftOut& result) {
  const Eigen::Index n = model.response.size();
  Eigen::VectorXd z(n), log_derivative(n);
  for (Eigen::Index row = 0; row < n; ++row) {
    const Jet jet = model.transform.jet(model.response[row], lambda);
    z[row] = jet.value;
    log_derivative[row] = jet.log_derivative;
  }
  if (!z.allFinite()) return;
  const LatentFit fit = fit_latent(model, node, z);
  result.full_log_marginal[i] =
      log_marginal(node, fit, log_derivative.sum(), Likelihood::integrated);
  if (!std::isfinite(result.full_log_marginal[i])) return;
  const LeaveOutFit left_out =
      leave_out_fit(model, node, blocks, fit, folds, z, log_derivative, observation);
  result.log_marginal.row(i) = left_out.log_marginal.transpose();
  result.location.row(i) = left_out.location.transpose();
  result.scale.row(i) = left_out.scale.transpose();
}

// One factor for lengthscales and noise, and little more for the transform parameters, of all
// folds together as long as they are small.
inline LeftOut leave_out(const Model& model, const Eigen::MatrixXd& etas, const Folds& folds,
                         bool observation) {
  LeftOut result = nothing_left_out(model, folds, etas.cols());
  for_each_group(model, etas, [&](const KernelNode* node, const NodeGroup& group) {
    if (!node) return;
    model.execution.check();
    const LeaveOutBlocks blocks = leave_out_blocks(model, *node, folds, result.status);
    for (Eigen::Index i = group.first; i < group.first + group.count; ++i) {
      model.execution.check();
      leave_out_at(model, *node, blocks, folds, model.lambda(etas.col(i).data()), observation, i,
                   result);
    }
  });
  note_exact_fits(result);
  return result;
}

}  // namespace btg
