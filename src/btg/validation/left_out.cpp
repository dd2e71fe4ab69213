#include "btg/validation/left_out.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>

#include "btg/base/select_rows.hpp"
#include "btg/model/latent_response.hpp"
#include "btg/model/likelihood.hpp"
#include "btg/model/subset.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/node/leave_out.hpp"
#include "btg/numerics/decompositions.hpp"
#include "btg/validation/left_out_intervals.hpp"

namespace btg {

namespace {

// The rows that determine the trend: exact ones, or without any, those with two finite limits.
// Responses of other rows are known too little.
std::vector<int> known_rows(const Model& model) {
  std::vector<int> rows;
  for (const int row : all_rows(model)) {
    if (model.exact_count() > 0 ? model.is_exact(row) : model.is_reference(row)) {
      rows.push_back(row);
    }
  }
  return rows;
}

// The rows of each fold that are among `known`, numbered among these.
Folds known_folds(const std::vector<int>& known, Eigen::Index n, const Folds& folds) {
  std::vector<int> number(n, -1);
  int next = 0;
  for (const int row : known) number[row] = next++;
  Folds result{{}, {0}};
  for (int fold = 0; fold < folds.count(); ++fold) {
    for (const int row : folds.rows(fold)) {
      if (number[row] >= 0) result.order.push_back(number[row]);
    }
    result.first.push_back(static_cast<int>(result.order.size()));
  }
  return result;
}

}  // namespace

LeftOut nothing_left_out(const Model& model, const Folds& folds, Eigen::Index nodes) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Eigen::Index n = model.response.size();
  LeftOut result{Eigen::MatrixXd::Constant(nodes, n, NAN),
                 Eigen::MatrixXd::Constant(nodes, n, NAN),
                 Eigen::MatrixXd::Constant(nodes, folds.count(), -infinity),
                 Eigen::VectorXd::Constant(nodes, -infinity),
                 Eigen::VectorXd(folds.count()),
                 Eigen::VectorXd(folds.count()),
                 {}};
  for (int fold = 0; fold < folds.count(); ++fold) {
    result.degrees_of_freedom[fold] = model.degrees_of_freedom() - folds.size(fold);
    result.exact_rows[fold] = 0.0;
    for (const int row : folds.rows(fold)) result.exact_rows[fold] += model.is_exact(row);
  }
  const Eigen::MatrixXd basis = trend_of_rows(model).basis();
  const std::vector<int> known = known_rows(model);
  result.status = model.censored.empty() ? check_folds(basis, folds)
                                         : check_folds(thin_qr(select_rows(basis, known)).basis,
                                                       known_folds(known, n, folds));
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
                  const LeftOutIntervals* intervals, const Folds& folds, const double* eta,
                  bool observation, Eigen::Index i, LeftOut& result) {
  const LatentResponse response = complete_response(model, eta);
  if (!response.z.allFinite()) return;
  const LatentFit fit = fit_latent(model, node, response.z);
  result.full_log_marginal[i] = log_marginal(
      node, fit, JacobianTerm(model, response.log_derivative).value(), Likelihood::integrated);
  if (!std::isfinite(result.full_log_marginal[i])) return;
  LeaveOutFit left_out = leave_out_fit(model, node, factors, fit, folds, response.z,
                                       response.log_derivative, observation);
  if (intervals) {
    intervals->correct(eta, fit, response.z, response.log_derivative, left_out.log_marginal);
  }
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
  const IntervalFolds intervals(model, folds);
  std::unique_ptr<const LeftOutIntervals> corrections;
  if (!intervals.empty()) {
    corrections = std::make_unique<const LeftOutIntervals>(model, node, intervals);
  }
  for (Eigen::Index i = group.first; i < group.first + group.count; ++i) {
    model.execution.check();
    leave_out_at(model, node, factors, corrections.get(), folds, etas.col(i).data(), observation, i,
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
