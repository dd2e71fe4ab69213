// Evaluates the marginal likelihood at many values of the hyperparameters. Consecutive values with
// the same K share its factor.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "btg/base/parallel.hpp"
#include "btg/model/model.hpp"
#include "btg/node/node.hpp"

namespace btg {

// Consecutive columns with the same covariance.
struct NodeGroup {
  Eigen::Index first, count;
};

std::vector<NodeGroup> group_nodes(const Model& model, const Eigen::MatrixXd& etas);

// Calls visit(node, group) for every group of columns, each factored once. The node is null if K
// could not be factored. Groups run in parallel, unless factors use the threads.
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

// Returns the log marginal likelihood at each column, -Inf where a node failed. Columns have
// hyperparameters only: the responses of censored rows are integrated out.
Eigen::VectorXd evaluate(const Model& model, const Eigen::MatrixXd& etas);

// The same for the complete data of nodes: the density of exact and latent responses.
Eigen::VectorXd evaluate_complete(const Model& model, const Eigen::MatrixXd& etas);

}  // namespace btg
