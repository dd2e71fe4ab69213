#include "btg/validation/left_out.hpp"

#include <cmath>
#include <cstddef>
#include <limits>

#include "btg/model/likelihood.hpp"
#include "btg/model/subset.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/node/leave_out.hpp"
#include "btg/transforms/transform.hpp"

namespace btg {

LeftOut nothing_left_out(const Model& model, const Folds& folds, Eigen::Index nodes) {
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

void note_exact_fits(LeftOut& result) {
  for (std::size_t fold = 0; fold < result.status.size(); ++fold) {
    const bool none = !(result.log_marginal.col(fold).maxCoeff() > -INFINITY);
    if (none && result.status[fold] == FoldStatus::predicted) {
      result.status[fold] = FoldStatus::exact_fit;
    }
  }
}

namespace {

// Leaves out all folds at node i.
void leave_out_at(const Model& model, const KernelNode& node, const LeaveOutFactors& factors,
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
      leave_out_fit(model, node, factors, fit, folds, z, log_derivative, observation);
  result.log_marginal.row(i) = left_out.log_marginal.transpose();
  result.location.row(i) = left_out.location.transpose();
  result.scale.row(i) = left_out.scale.transpose();
}

}  // namespace

void leave_out_group(const Model& model, const KernelNode& node, const Eigen::MatrixXd& etas,
                     const NodeGroup& group, const Folds& folds, bool observation,
                     LeftOut& result) {
  model.execution.check();
  const LeaveOutFactors factors = leave_out_factors(model, node, folds, result.status);
  for (Eigen::Index i = group.first; i < group.first + group.count; ++i) {
    model.execution.check();
    leave_out_at(model, node, factors, folds, model.lambda(etas.col(i).data()), observation, i,
                 result);
  }
}

LeftOut leave_out(const Model& model, const Eigen::MatrixXd& etas, const Folds& folds,
                  bool observation, const PreparedGroups& cached) {
  LeftOut result = nothing_left_out(model, folds, etas.cols());
  const auto visit = [&](const KernelNode& node, const NodeGroup& group) {
    leave_out_group(model, node, etas, group, folds, observation, result);
  };
  if (cached.empty()) {
    for_each_group(model, etas, [&](const KernelNode* node, const NodeGroup& group) {
      if (node) visit(*node, group);
    });
  } else {
    for_each_cached(model, cached,
                    [&](const PreparedGroup& one) { visit(one.unpacked(), one.group); });
  }
  note_exact_fits(result);
  return result;
}

}  // namespace btg
