#include "btg/validation/left_out_naive.hpp"

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "btg/base/parallel.hpp"
#include "btg/base/select_rows.hpp"
#include "btg/model/latent_response.hpp"
#include "btg/model/likelihood.hpp"
#include "btg/model/points.hpp"
#include "btg/model/subset.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/node/leave_out.hpp"
#include "btg/node/node.hpp"
#include "btg/node/predict.hpp"

namespace btg {

namespace {

// Converts rows of a model where each row is a site into points for a model whose trend is in that
// model's basis.
Points points_of(const Model& spread, const std::vector<int>& rows, bool observation) {
  return {select_rows(spread.inputs, rows), select_rows(spread.trend.basis(), rows),
          equal_noise(rows.size(), observation).cwiseQuotient(weights_of(spread, rows)),
          noise_at(spread, rows).columns()};
}

// The model of the kept rows has the noise's floor of all rows.
void refit_without(const Model& spread, const Eigen::MatrixXd& etas, const NodeGroup& group,
                   const Folds& folds, int fold, bool observation, LeftOut& result) {
  const std::vector<int> rows = folds.rows(fold);
  const Model kept = keep_rows(spread, folds.kept(fold));
  const double* eta = etas.col(group.first).data();
  const std::optional<KernelNode> node = kernel_node(kept, eta);
  if (!node) return;
  const CrossPoints block =
      cross_points(kept, PredictingNode(*node), eta, points_of(spread, rows, observation));
  const double p = static_cast<double>(kept.trend.basis().cols());
  const double jacobian_power = 1.0 - p / static_cast<double>(kept.exact_count());
  const Eigen::MatrixXd kept_etas = keep_latent(spread, folds.kept(fold), etas);
  for (Eigen::Index i = group.first; i < group.first + group.count; ++i) {
    if (!std::isfinite(result.full_log_marginal[i])) continue;
    const LatentResponse response = complete_response(kept, kept_etas.col(i).data());
    const LatentFit fit = fit_latent(kept, *node, response.z);
    const double value = log_marginal(*node, fit, jacobian_power * response.log_derivative.sum(),
                                      Likelihood::integrated);
    if (!(fit.q > smallest_relative_q * fit.total) || !std::isfinite(value)) continue;
    result.log_marginal(i, fold) = value - spread.trend.log_abs_det();
    const PredictingFit ready(*node, fit);
    const Eigen::VectorXd location = predictive_location(block, ready);
    const Eigen::VectorXd scale = predictive_scale(block, ready, kept.likelihood);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      result.location(i, rows[k]) = location[k];
      result.scale(i, rows[k]) = scale[k];
    }
  }
}

}  // namespace

LeftOut leave_out_naive(const Model& model, const Eigen::MatrixXd& etas, const Folds& folds,
                        bool observation) {
  const Model spread = spread_out(model);
  LeftOut result = nothing_left_out(spread, folds, etas.cols());
  result.full_log_marginal = evaluate_complete(model, etas);
  const std::vector<NodeGroup> groups = group_nodes(spread, etas);
  const long count = static_cast<long>(groups.size()) * folds.count();
  parallel_for(count, model.execution, [&](long piece) {
    const NodeGroup& group = groups[piece / folds.count()];
    const int fold = static_cast<int>(piece % folds.count());
    if (result.status[fold] != FoldStatus::predicted) return;
    refit_without(spread, etas, group, folds, fold, observation, result);
  });
  note_exact_fits(result);
  return result;
}

}  // namespace btg
