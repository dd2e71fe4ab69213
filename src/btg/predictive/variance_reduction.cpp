#include "btg/predictive/variance_reduction.hpp"

#include <cstddef>
#include <numeric>
#include <vector>

#include "btg/node/predict.hpp"
#include "btg/predictive/drawn_nodes.hpp"

namespace btg {

namespace {

// The share at one kernel node.
Eigen::VectorXd reduction_at_node(const CrossPoints& cross, int region) {
  std::vector<int> inside(static_cast<std::size_t>(region));
  std::iota(inside.begin(), inside.end(), 0);
  const Eigen::Index others = cross.variance.size() - region;
  Eigen::MatrixXd between = cross.terms->covariance_columns(inside).bottomRows(others);
  between += cross.trend_error.rightCols(others).transpose() * cross.trend_error.leftCols(region);
  const Eigen::ArrayXd removed =
      between.rowwise().squaredNorm().array() / cross.variance.tail(others).array();
  return removed / cross.variance.head(region).sum();
}

}  // namespace

Eigen::VectorXd variance_reduction(const Model& model, const ModelNodes& nodes,
                                   const Eigen::MatrixXd& etas, const Eigen::VectorXd& weights,
                                   const Points& data_points, int region,
                                   const PreparedGroups& cached) {
  const Points points = model.expand(data_points);
  std::vector<int> all(static_cast<std::size_t>(etas.cols()));
  std::iota(all.begin(), all.end(), 0);
  // One column per group of nodes with the same kernel, summed in order for any number of threads.
  Eigen::MatrixXd shares = Eigen::MatrixXd::Zero(points.size() - region, etas.cols());
  for_each_drawn_group(
      model, nodes, etas, 0, all, cached,
      [&](const PreparedGroup& group, const double* eta, const std::vector<DrawnNode>&) {
        model.execution.check();
        const PredictingNode ready(group.node, group.trend_directions);
        const double weight = weights.segment(group.group.first, group.group.count).sum();
        shares.col(group.group.first) =
            weight * reduction_at_node(cross_points(model, ready, eta, points), region);
      });
  return shares.rowwise().sum();
}

}  // namespace btg
