// The marginal likelihood of a model at many values of its hyperparameters. Neighbours that share
// what K depends on share its factor.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <optional>
#include <vector>

#include "btg/base/parallel.hpp"
#include "btg/model/model.hpp"
#include "btg/node/node.hpp"
#include "btg/transforms/transformed_response.hpp"

namespace btg {

// A run of neighbouring columns with the same covariance.
struct NodeGroup {
  Eigen::Index first, count;
};

inline std::vector<NodeGroup> group_nodes(const Model& model, const Eigen::MatrixXd& etas) {
  const int size = model.hyperparameters.covariance_size();
  std::vector<NodeGroup> groups;
  for (Eigen::Index i = 0; i < etas.cols(); ++i) {
    if (i > 0 && etas.col(i).head(size) == etas.col(i - 1).head(size)) {
      ++groups.back().count;
    } else {
      groups.push_back({i, 1});
    }
  }
  return groups;
}

// visit(node, group) for every group of columns, each factored once; the node is null
// where K could not be factored. Groups are visited on several threads, unless factors use these.
template <class Visit>
void for_each_group(const Model& model, const Eigen::MatrixXd& etas, Visit visit) {
  const std::vector<NodeGroup> groups = group_nodes(model, etas);
  const auto visit_group = [&](long g) {
    const std::optional<KernelNode> node = kernel_node(model, etas.col(groups[g].first).data());
    visit(node ? &*node : nullptr, groups[g]);
  };
  if (model.factor_method->threads_within()) {
    serial_for(static_cast<long>(groups.size()), model.execution, visit_group);
  } else {
    parallel_for(static_cast<long>(groups.size()), model.execution, visit_group);
  }
}

struct Evaluation {
  Eigen::VectorXd log_marginal;  // -Inf where a node failed
  Eigen::VectorXd jitter;
};

inline Evaluation evaluate(const Model& model, const Eigen::MatrixXd& etas) {
  Evaluation result{
      Eigen::VectorXd::Constant(etas.cols(), -std::numeric_limits<double>::infinity()),
      Eigen::VectorXd::Zero(etas.cols())};
  for_each_group(model, etas, [&](const KernelNode* node, const NodeGroup& group) {
    if (!node) return;
    for (Eigen::Index i = group.first; i < group.first + group.count; ++i) {
      model.execution.check();
      const TransformedResponse g =
          transform_response(model.transform, model.response, model.lambda(etas.col(i).data()));
      if (!g.z.allFinite()) continue;
      result.log_marginal[i] =
          log_marginal(*node, fit_latent(model, *node, g.z), g.log_jacobian, model.likelihood);
      result.jitter[i] = node->jitter;
    }
  });
  return result;
}

}  // namespace btg
