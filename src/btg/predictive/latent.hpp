// Locations and scales of the predictive t distributions at all nodes and points.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <memory>
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

// From so many points on, a factor that is not packed is faster.
constexpr Eigen::Index many_points = 8;

// The node with another form of its factor, if there is one.
inline KernelNode with_factor(KernelNode node, const std::shared_ptr<const Factor>& factor) {
  if (factor) node.factor = factor;
  return node;
}

// All that predictions need of one kernel node and its transforms, for any number of points. It is
// never changed, so several threads may read it.
struct PreparedGroup {
  PreparedGroup(const Model& model, const Eigen::MatrixXd& etas, const NodeGroup& group_,
                const KernelNode& node_, bool packed)
      : group(group_), node(packed ? with_factor(node_, node_.factor->packed()) : node_) {
    for (Eigen::Index i = group.first; i < group.first + group.count; ++i) {
      model.execution.check();
      const double* lambda = model.lambda(etas.col(i).data());
      const Eigen::VectorXd z = transform_response(model.transform, model.response, lambda).z;
      fits.emplace_back(node_, fit_latent(model, node_, z));
    }
  }
  NodeGroup group;
  KernelNode node;
  std::vector<PredictingFit> fits;  // of the group's nodes
};

using PreparedGroups = std::vector<std::unique_ptr<const PreparedGroup>>;

// visit(prepared) for every group of columns, each made and gone again.
template <class Visit>
void for_each_prepared(const Model& model, const Eigen::MatrixXd& etas, bool packed, Visit visit) {
  for_each_group(model, etas, [&](const KernelNode* node, const NodeGroup& group) {
    if (!node) throw Error("numerical", "The kernel matrix of a kept node could not be factored.");
    visit(std::make_unique<const PreparedGroup>(model, etas, group, *node, packed));
  });
}

// All groups, to be kept.
inline PreparedGroups prepare_groups(const Model& model, const Eigen::MatrixXd& etas) {
  PreparedGroups made(etas.cols());  // at the place of their first nodes
  for_each_prepared(model, etas, true, [&](std::unique_ptr<const PreparedGroup> one) {
    const Eigen::Index place = one->group.first;
    made[place] = std::move(one);
  });
  made.erase(std::remove(made.begin(), made.end(), nullptr), made.end());
  return made;
}

// What prepare_groups will hold.
inline double prepared_bytes(const Model& model, const Eigen::MatrixXd& etas) {
  const double n = static_cast<double>(model.site_count());
  const double p = static_cast<double>(model.trend.basis().cols());
  const double groups = static_cast<double>(group_nodes(model, etas).size());
  const double of_factor =
      model.factor_method->factor_bytes(n, static_cast<double>(model.inputs.cols()));
  const double of_node = sizeof(PreparedGroup) + 8.0 * (n * (2.0 * p + 1.0) + p * p);
  const double of_fit = sizeof(PredictingFit) + 8.0 * (n + p);
  return groups * (of_factor + of_node) + of_fit * static_cast<double>(etas.cols());
}

// The rows of `result` that are of the group's nodes. Points are taken some at a time, which bounds
// what is held and how soon an interrupt is seen.
inline void predict_group(const Model& model, const Eigen::MatrixXd& etas,
                          const PreparedGroup& prepared, const Points& points,
                          const std::vector<int>& order, LatentPredictions& result) {
  const Eigen::Index most = model.factor_method->points_at_a_time(model.site_count());
  const NodeGroup& group = prepared.group;
  const bool many = points.size() >= many_points;
  const KernelNode node =
      many ? with_factor(prepared.node, prepared.node.factor->unpacked()) : prepared.node;
  const PredictingNode ready(node);
  for (Eigen::Index first = 0; first < points.size(); first += most) {
    model.execution.check();
    const std::vector<int> some(order.begin() + first,
                                order.begin() + std::min(first + most, points.size()));
    const CrossBlock block =
        cross_block(model, ready, etas.col(group.first).data(), points.at(some));
    for (Eigen::Index i = 0; i < group.count; ++i) {
      const Eigen::VectorXd location = predictive_location(block, prepared.fits[i]);
      const Eigen::VectorXd scale = predictive_scale(block, prepared.fits[i], model.likelihood);
      for (std::size_t k = 0; k < some.size(); ++k) {
        result.location(group.first + i, some[k]) = location[k];
        result.scale(group.first + i, some[k]) = scale[k];
      }
    }
  }
}

// The columns of `etas` are nodes; `kept` are their groups, or empty if they are to be made.
inline LatentPredictions predict_latent(const Model& model, const Eigen::MatrixXd& etas,
                                        const Points& points, const PreparedGroups& kept = {}) {
  const std::vector<int> order = model.factor_method->visiting_order(points.inputs);
  LatentPredictions result{Eigen::MatrixXd(etas.cols(), points.size()),
                           Eigen::MatrixXd(etas.cols(), points.size())};
  if (kept.empty()) {
    const bool packed = points.size() < many_points;
    for_each_prepared(model, etas, packed, [&](const std::unique_ptr<const PreparedGroup>& one) {
      predict_group(model, etas, *one, points, order, result);
    });
  } else {
    parallel_for(static_cast<long>(kept.size()), model.execution,
                 [&](long g) { predict_group(model, etas, *kept[g], points, order, result); });
  }
  return result;
}

}  // namespace btg
