#include "btg/validation/left_out_naive.hpp"

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "btg/base/error.hpp"
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
#include "btg/numerics/truncated_normal.hpp"

namespace btg {

namespace {

// Converts rows of a model where each row is a site into points for a model whose trend is in that
// model's basis.
Points points_of(const Model& spread, const std::vector<int>& rows, bool observation) {
  return {select_rows(spread.inputs, rows), select_rows(spread.trend.basis(), rows),
          equal_noise(rows.size(), observation).cwiseQuotient(weights_of(spread, rows)),
          noise_at(spread, rows).columns()};
}

// log P of the interval of a left-out row, without which `fit` is.
double log_interval(const Model& model, const double* eta, int censored, const CrossPoints& row,
                    const PredictingFit& fit) {
  const Censored::Limits limits =
      model.censored.latent_limits(model.transform, model.lambda(eta), {censored});
  const double location = predictive_location(row, fit)[0];
  const double scale = predictive_scale(row, fit, model.likelihood)[0];
  return log_t_mass((limits.lower[0] - location) / scale, (limits.upper[0] - location) / scale,
                    model.degrees_of_freedom() - 1.0);
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
  const int censored = spread.censored.index_of(rows[0]);  // the only row, if any
  const CrossPoints observed =
      cross_points(kept, PredictingNode(*node), eta, points_of(spread, rows, true));
  const Eigen::MatrixXd kept_etas = keep_latent(spread, folds.kept(fold), etas);
  for (Eigen::Index i = group.first; i < group.first + group.count; ++i) {
    if (!std::isfinite(result.full_log_marginal[i])) continue;
    const LatentResponse response = complete_response(kept, kept_etas.col(i).data());
    const LatentFit fit = fit_latent(kept, *node, response.z);
    const double jacobian = JacobianTerm(kept, response.log_derivative).value();
    const double value = log_marginal(*node, fit, jacobian, Likelihood::integrated);
    if (!(fit.q > smallest_relative_q * fit.total) || !std::isfinite(value)) continue;
    const PredictingFit ready(*node, fit);
    const double* node_eta = etas.col(i).data();
    result.log_marginal(i, fold) =
        censored < 0
            ? value - spread.trend.log_abs_det()
            : result.full_log_marginal[i] + jacobian -
                  JacobianTerm(spread, complete_response(spread, node_eta).log_derivative).value() -
                  log_interval(spread, node_eta, censored, observed, ready);
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
  for (int fold = 0; fold < folds.count(); ++fold) {
    for (const int row : folds.rows(fold)) {
      if (folds.size(fold) > 1 && model.censored.index_of(row) >= 0) {
        throw Error("folds",
                    "Refitting at the nodes cannot leave out censored rows along with others.");
      }
    }
  }
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
