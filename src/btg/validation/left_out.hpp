// Predicts every fold from all other rows at fixed nodes, exactly and with one factor per node.
// left_out_naive.hpp is the slow reference implementation.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/model/folds.hpp"
#include "btg/model/model.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/node/node.hpp"
#include "btg/predictive/latent.hpp"

namespace btg {

// The t distributions of g(y_i) without its fold, and log p(y | eta) without each fold. If a node
// has no likelihood without a fold, its location and scale are NaN and log_marginal is -Inf.
struct LeftOut {
  Eigen::MatrixXd location, scale;     // nodes x rows
  Eigen::MatrixXd log_marginal;        // nodes x folds
  Eigen::VectorXd full_log_marginal;   // nodes: with all rows
  Eigen::VectorXd degrees_of_freedom;  // folds
  Eigen::VectorXd exact_rows;          // folds: number of their rows that are not censored
  std::vector<FoldStatus> status;      // folds
};

LeftOut nothing_left_out(const Model& model, const Folds& folds, Eigen::Index nodes);

// Marks folds that no node predicts, although the trend allows it, as exact fits.
void note_exact_fits(LeftOut& result);

// Fills the rows of the group's nodes, which share the kernel node.
void leave_out_group(const Model& model, const KernelNode& node, const Eigen::MatrixXd& etas,
                     const NodeGroup& group, const Folds& folds, bool observation, LeftOut& result);

// Uses one factor, possibly `cached`, per value of the kernel and noise hyperparameters, and little
// extra work per value of the transform parameters.
LeftOut leave_out(const Model& model, const Eigen::MatrixXd& etas, const Folds& folds,
                  bool observation, const PreparedGroups& cached = {});

}  // namespace btg
