// Locations and scales of the predictive t distributions at all nodes and points, with their
// derivatives along directions of the points.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <memory>
#include <vector>

#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "btg/node/predict.hpp"
#include "btg/node/predict_slopes.hpp"
#include "btg/predictive/latent.hpp"

namespace btg {

struct LatentSlopes {
  LatentPredictions at;
  std::vector<LatentPredictions> along;  // each direction
};

inline LatentSlopes empty_slopes(Eigen::Index nodes, Eigen::Index points, std::size_t directions) {
  const LatentPredictions empty{Eigen::MatrixXd(nodes, points), Eigen::MatrixXd(nodes, points)};
  return {empty, std::vector<LatentPredictions>(directions, empty)};
}

// The rows of `result` that are of the group's nodes. The slopes of all inputs are held for some
// points at a time.
inline void predict_group_slopes(const Model& model, const Eigen::MatrixXd& etas,
                                 const PreparedGroup& prepared, const Points& points,
                                 const std::vector<Direction>& directions, LatentSlopes& result) {
  const Eigen::Index most =
      std::max<Eigen::Index>(1, model.factor_method->points_at_a_time(model.site_count()) /
                                    std::max<Eigen::Index>(1, points.inputs.cols()));
  const NodeGroup& group = prepared.group;
  const KernelNode node = with_factor(prepared.node, prepared.node.factor->unpacked());
  const PredictingNode ready(node);
  const std::vector<PredictingFit>& fits = prepared.fits;
  const double* eta = etas.col(group.first).data();
  for (Eigen::Index first = 0; first < points.size(); first += most) {
    model.execution.check();
    const Eigen::Index count = std::min(most, points.size() - first);
    std::vector<int> some(count);
    for (Eigen::Index k = 0; k < count; ++k) some[k] = static_cast<int>(first + k);
    const Points here = points.at(some);
    const CrossBlock block = cross_block(model, ready, eta, here);
    const CrossSlopes by_input = slopes_of_inputs(ready, fits, here.inputs);
    std::vector<BlockSlopes> slopes;
    for (const Direction& direction : directions) {
      slopes.push_back(block_slopes(model, ready, eta, block, by_input, direction.at(some)));
    }
    for (Eigen::Index i = 0; i < group.count; ++i) {
      const auto put = [&](LatentPredictions& to, const Eigen::VectorXd& location,
                           const Eigen::VectorXd& scale) {
        to.location.row(group.first + i).segment(first, count) = location.transpose();
        to.scale.row(group.first + i).segment(first, count) = scale.transpose();
      };
      const Eigen::VectorXd scale = predictive_scale(block, fits[i], model.likelihood);
      put(result.at, predictive_location(block, fits[i]), scale);
      for (std::size_t j = 0; j < directions.size(); ++j) {
        put(result.along[j], location_slope(slopes[j], fits[i], i),
            scale_slope(block, slopes[j], scale));
      }
    }
  }
}

// As predict_latent.
inline LatentSlopes predict_latent_slopes(const Model& model, const Eigen::MatrixXd& etas,
                                          const Points& points,
                                          const std::vector<Direction>& directions,
                                          const PreparedGroups& kept = {}) {
  LatentSlopes result = empty_slopes(etas.cols(), points.size(), directions.size());
  const auto predict = [&](const PreparedGroup& one) {
    predict_group_slopes(model, etas, one, points, directions, result);
  };
  if (kept.empty()) {
    for_each_prepared(model, etas, false,
                      [&](const std::unique_ptr<const PreparedGroup>& one) { predict(*one); });
  } else {
    parallel_for(static_cast<long>(kept.size()), model.execution,
                 [&](long g) { predict(*kept[g]); });
  }
  return result;
}

}  // namespace btg
