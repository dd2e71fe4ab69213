// Every fold predicted from all other rows at frozen nodes: exactly, from one factor a node. Its
// oracle is left_out_naive.hpp.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/model/folds.hpp"
#include "btg/model/model.hpp"
#include "btg/node/node.hpp"
#include "btg/predictive/latent.hpp"

namespace btg {

// The t distributions of g(y_i) without its fold, and log p(y | eta) without each fold. Where a
// node has no likelihood without a fold, location and scale are NaN and it is -Inf.
struct LeftOut {
  Eigen::MatrixXd location, scale;     // nodes x rows
  Eigen::MatrixXd log_marginal;        // nodes x folds
  Eigen::VectorXd full_log_marginal;   // nodes: with all rows
  Eigen::VectorXd degrees_of_freedom;  // folds
  std::vector<FoldStatus> status;      // folds
};

LeftOut nothing_left_out(const Model& model, const Folds& folds, Eigen::Index nodes);

// Folds that no node predicts, although the trend allows it, are fitted exactly without them.
void note_exact_fits(LeftOut& result);

// All folds from one factor per value of lengthscales and noise, which may be `cached`, and little
// more for each value of the transform's parameters.
LeftOut leave_out(const Model& model, const Eigen::MatrixXd& etas, const Folds& folds,
                  bool observation, const PreparedGroups& cached = {});

}  // namespace btg
