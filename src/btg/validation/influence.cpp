#include "btg/validation/influence.hpp"

#include <cmath>

#include "btg/base/error.hpp"
#include "btg/base/select_rows.hpp"
#include "btg/model/latent_response.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/node/leave_out.hpp"
#include "btg/node/predict.hpp"

namespace btg {

namespace {

// c, the weights of the rows in the predictions of the points: rows x points.
Eigen::MatrixXd row_weights(const Model& model, const KernelNode& node, const CrossPoints& cross,
                            const std::vector<int>& rows) {
  const Eigen::Index count = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd units = Eigen::MatrixXd::Zero(model.site_count(), count);
  for (Eigen::Index k = 0; k < count; ++k) {
    // The response of a site is the mean of its rows, weighted by their shares.
    units(model.sites.of_row(rows[k]), k) = model.sites.share(rows[k]);
  }
  Eigen::MatrixXd whitened = node.factor->whiten(units);
  Eigen::MatrixXd coefficients = node.trend_directions.transpose() * whitened;
  whitened.noalias() -= node.trend_directions * coefficients;
  node.trend_triangle.triangularView<Eigen::Upper>().solveInPlace(coefficients);
  Eigen::MatrixXd weights = cross.terms->transposed_times(node.factor->prepare(whitened));
  weights.noalias() += coefficients.transpose() * cross.trend.transpose();
  return weights;
}

// Fills the rows of the group's nodes.
void influence_of_group(const Model& model, const KernelNode& node, const Eigen::MatrixXd& etas,
                        const NodeGroup& group, const Points& points, const Folds& folds,
                        Influence& result) {
  const PreparedGroup prepared(model, etas, group, node, false);
  const CrossPoints cross =
      cross_points(model, PredictingNode(prepared.node), etas.col(group.first).data(), points);
  const LeaveOutFactors factors = leave_out_factors(model, node, folds, result.left_out.status);
  const Eigen::MatrixXd weights = row_weights(model, node, cross, folds.order);
  leave_out_group(model, node, etas, group, folds, true, result.left_out);
  for (Eigen::Index i = 0; i < group.count; ++i) {
    const Eigen::Index at = group.first + i;
    const Eigen::VectorXd z = complete_response(model, etas.col(at).data()).z;
    const Eigen::VectorXd location = predictive_location(cross, prepared.fits[i]);
    for (Eigen::Index k = 0; k < weights.rows(); ++k) {
      const int row = folds.order[k];
      const double change = z[row] - result.left_out.location(at, row);
      const double own = factors.variance[k];
      const double unit = std::pow(result.left_out.scale(at, row), 2) / own;
      for (Eigen::Index j = 0; j < weights.cols(); ++j) {
        const double c = weights(k, j);
        const Eigen::Index column = k + weights.rows() * j;
        result.at.location(at, column) = location[j] - c * change;
        result.at.scale(at, column) = std::sqrt(unit * (cross.variance[j] + c * c * own));
      }
    }
  }
}

}  // namespace

Influence influence(const Model& model, const Eigen::MatrixXd& etas, const Points& data_points,
                    const Folds& folds) {
  const Points points = model.expand(data_points);
  const Eigen::Index rows = static_cast<Eigen::Index>(folds.order.size());
  Influence result{LatentValues(etas.cols(), rows * points.size()),
                   nothing_left_out(model, folds, etas.cols())};
  for_each_group(model, etas, [&](const KernelNode* node, const NodeGroup& group) {
    if (!node) throw Error("numerical", "The kernel matrix of a kept node could not be factored.");
    influence_of_group(model, *node, etas, group, points, folds, result);
  });
  note_exact_fits(result.left_out);
  return result;
}

}  // namespace btg
