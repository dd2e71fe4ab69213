// Locations and scales of the predictive t distributions at all nodes and points.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/node/predict.hpp"

namespace btg {

struct LatentPredictions {
  Eigen::MatrixXd location, scale;  // nodes x points
};

// The columns of `etas` are nodes. Points are taken some at a time, which bounds what is held and
// how soon an interrupt is seen.
inline LatentPredictions predict_latent(const Model& model, const Eigen::MatrixXd& etas,
                                        const Points& points) {
  const Eigen::Index most = model.factor_method->points_at_a_time(model.site_count());
  const std::vector<int> order = model.factor_method->visiting_order(points.inputs);
  LatentPredictions result{Eigen::MatrixXd(etas.cols(), points.size()),
                           Eigen::MatrixXd(etas.cols(), points.size())};
  for_each_group(model, etas, [&](const KernelNode* node, const NodeGroup& group) {
    if (!node) throw Error("numerical", "The kernel matrix of a kept node could not be factored.");
    const PredictingNode ready(*node);
    std::vector<PredictingFit> fits;
    for (Eigen::Index i = group.first; i < group.first + group.count; ++i) {
      model.execution.check();
      const double* lambda = model.lambda(etas.col(i).data());
      const Eigen::VectorXd z = transform_response(model.transform, model.response, lambda).z;
      fits.emplace_back(*node, fit_latent(model, *node, z));
    }
    for (Eigen::Index first = 0; first < points.size(); first += most) {
      model.execution.check();
      const std::vector<int> some(order.begin() + first,
                                  order.begin() + std::min(first + most, points.size()));
      const CrossBlock block =
          cross_block(model, ready, etas.col(group.first).data(), points.at(some));
      for (Eigen::Index i = 0; i < group.count; ++i) {
        const Eigen::VectorXd location = predictive_location(block, fits[i]);
        const Eigen::VectorXd scale = predictive_scale(block, fits[i], model.likelihood);
        for (std::size_t k = 0; k < some.size(); ++k) {
          result.location(group.first + i, some[k]) = location[k];
          result.scale(group.first + i, some[k]) = scale[k];
        }
      }
    }
  });
  return result;
}

}  // namespace btg
