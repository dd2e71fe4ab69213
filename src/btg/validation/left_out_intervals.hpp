// Leaves out censored rows. Nodes have their latent responses z_B, but without the rows B of a fold
// the data said only that z_B was in a box: the likelihood ratio of a node is
//
//   p(data without B | eta) / p(data | eta) = 1 / (p(y_E | rest) P(z_B in the box | rest, y_E)),
//
// where E are the exact rows of the fold and the rest has the latent responses of other rows. That
// is the ratio for the complete data times p(z_B | rest, y_E) / P(z_B in the box | rest, y_E).
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/model/folds.hpp"
#include "btg/model/model.hpp"
#include "btg/node/leave_out.hpp"
#include "btg/node/node.hpp"

namespace btg {

// The censored rows of each fold that has any.
struct IntervalFolds {
  IntervalFolds(const Model& model, const Folds& folds);

  bool empty() const { return fold.empty(); }

  Folds rows;
  std::vector<int> fold;                // the fold that each is from
  std::vector<Eigen::MatrixXd> points;  // of the unit cube for folds of several rows
};

// Quantities of a kernel node that do not depend on the transform.
class LeftOutIntervals {
 public:
  LeftOutIntervals(const Model& model, const KernelNode& node, const IntervalFolds& folds);

  // Adds log p(z_B | ...) - log P(z_B in the box | ...) to elements of `log_marginal`, one per fold
  // of the data. `fit` is to the latent responses z of the node `eta`.
  void correct(const double* eta, const LatentFit& fit, const Eigen::VectorXd& z,
               const Eigen::VectorXd& log_derivative, Eigen::VectorXd& log_marginal) const;

 private:
  double correction(int interval, const LeaveOutFit& without, const double* eta,
                    const Eigen::VectorXd& z) const;

  const Model& model_;
  const KernelNode& node_;
  const IntervalFolds& folds_;
  LeaveOutFactors factors_;
  std::vector<Eigen::MatrixXd> precisions_, covariances_;  // for folds of several rows
};

}  // namespace btg
