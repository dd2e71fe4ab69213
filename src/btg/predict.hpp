// Locations and scales of the predictive t distributions at all nodes and points.
#pragma once

#include <Eigen/Core>
#include <algorithm>

#include "error.hpp"
#include "model.hpp"
#include "node_predict.hpp"

namespace btg {

struct LatentPredictions {
  Eigen::MatrixXd location, scale;  // nodes x points
};

// `points` are in the units of model.inputs, `trend` as the model's trend columns;
// `relative_noise` as in node_predict.hpp.
inline LatentPredictions predict_latent(const Model& model, const Eigen::MatrixXd& etas,
                                        const Eigen::MatrixXd& points, const Eigen::MatrixXd& trend,
                                        const Eigen::VectorXd& relative_noise) {
  const Eigen::MatrixXd trend_points = model.trend.to_basis(trend);
  LatentPredictions result{Eigen::MatrixXd(etas.cols(), points.rows()),
                           Eigen::MatrixXd(etas.cols(), points.rows())};
  for_each_group(model, etas, [&](const KernelNode* node, const NodeGroup& group) {
    if (!node) throw Error("numerical", "The kernel matrix of a kept node could not be factored.");
    const CrossBlock block =
        cross_block(*model.compute, *model.kernel, model.product, *node,
                    divide_by_length_scales(model, points, etas.col(group.first).data()),
                    trend_points, relative_noise);
    for (Eigen::Index i = group.first; i < group.first + group.count; ++i) {
      const double* theta = etas.col(i).data() + model.transform_index();
      const Eigen::VectorXd z = transform_response(model.transform, model.response, theta).z;
      const LatentFit fit = fit_latent(model, *node, z);
      result.location.row(i) = predictive_location(block, fit).transpose();
      result.scale.row(i) = predictive_scale(block, fit, model.likelihood).transpose();
    }
  });
  return result;
}

inline LatentPredictions predict_latent(const Model& model, const Eigen::MatrixXd& etas,
                                        const Eigen::MatrixXd& points, const Eigen::MatrixXd& trend,
                                        bool observation) {
  return predict_latent(model, etas, points, trend, equal_noise(points.rows(), observation));
}

}  // namespace btg
