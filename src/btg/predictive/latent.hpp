// Locations and scales of the predictive t distributions at all nodes and points.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/model/model.hpp"
#include "btg/node/predict.hpp"

namespace btg {

struct LatentPredictions {
  Eigen::MatrixXd location, scale;  // nodes x points
};

// So many points at a time that their correlations with the data take a few megabytes, and a
// fraction of a second: what is held and how soon an interrupt is seen are bounded.
inline Eigen::Index points_at_a_time(const Model& model) {
  return std::max<Eigen::Index>(64, (1 << 20) / model.inputs.rows());
}

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
    std::vector<LatentFit> fits;
    for (Eigen::Index i = group.first; i < group.first + group.count; ++i) {
      model.execution.check();
      const double* theta = etas.col(i).data() + model.transform_index();
      const Eigen::VectorXd z = transform_response(model.transform, model.response, theta).z;
      fits.push_back(fit_latent(model, *node, z));
    }
    for (Eigen::Index first = 0; first < points.rows(); first += points_at_a_time(model)) {
      model.execution.check();
      const Eigen::Index count = std::min(points_at_a_time(model), points.rows() - first);
      const CrossBlock block =
          cross_block(*model.compute, *model.kernel, model.product, *node,
                      divide_by_length_scales(model, points.middleRows(first, count),
                                              etas.col(group.first).data()),
                      trend_points.middleRows(first, count), relative_noise.segment(first, count));
      for (Eigen::Index i = 0; i < group.count; ++i) {
        result.location.row(group.first + i).segment(first, count) =
            predictive_location(block, fits[i]).transpose();
        result.scale.row(group.first + i).segment(first, count) =
            predictive_scale(block, fits[i], model.likelihood).transpose();
      }
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
