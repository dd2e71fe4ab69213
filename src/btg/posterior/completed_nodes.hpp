// Completes nodes with latent responses of the censored rows: each node becomes one or more nodes
// of the same hyperparameters, each with a draw of the latent responses given the data.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/model/model.hpp"

namespace btg {

struct CompletedNodes {
  Eigen::MatrixXd etas;     // nodes; see Model::node_size()
  std::vector<int> origin;  // column of the node that each completes, in increasing order
  Eigen::VectorXd share;    // of the weight of that node; sums to 1 for each

  // Divides weights of the original nodes among those that complete them.
  Eigen::VectorXd divide(const Eigen::VectorXd& weights) const;
  // Repeats values of the original nodes.
  Eigen::VectorXd repeat(const Eigen::VectorXd& values) const;
};

// Makes about `count` nodes, but at least one for each column of `etas`, in proportion to
// `weights`. Without censored rows, nothing changes.
CompletedNodes complete_nodes(const Model& model, const Eigen::MatrixXd& etas,
                              const Eigen::VectorXd& weights, int count);

// Draws share the sampling error of latent responses: with 1000, 3% of their standard deviation.
constexpr int completed_count = 1000;

}  // namespace btg
