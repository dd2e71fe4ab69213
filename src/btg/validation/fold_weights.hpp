// The posterior of the nodes without each fold. A node of weight w gets
// w p(y without the fold | eta) / p(y | eta), normalised.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/base/parallel.hpp"
#include "btg/model/folds.hpp"
#include "btg/validation/left_out.hpp"

namespace btg {

// NaN for folds that cannot be predicted.
struct FoldWeights {
  Eigen::MatrixXd weights;          // nodes x folds; the columns sum to 1
  Eigen::VectorXd effective_nodes;  // 1 / sum of squared weights
  Eigen::VectorXd distance;         // from the full posterior: half the sum of |differences|
  Eigen::VectorXd pareto_shape;     // k-hat of the ratios; NaN if there are too few nodes
  std::vector<FoldStatus> status;
};

// log p(y without the fold | eta) / p(y | eta) at each node.
Eigen::VectorXd log_ratios(const LeftOut& left_out, Eigen::Index fold);

// weights * exp(log_ratios), up to a factor.
Eigen::VectorXd reweight(const Eigen::VectorXd& weights, const Eigen::VectorXd& log_ratios);

// `weights` are those of the full posterior and may be negative.
FoldWeights fold_weights(const LeftOut& left_out, const Eigen::VectorXd& weights,
                         const Execution& execution);

}  // namespace btg
