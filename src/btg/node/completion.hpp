// Integrates out the latent responses of censored rows c at a node, given the exact rows o:
//
//   p(data | eta) = p(z_o | eta) P(z_c in the box | z_o),   z_c | z_o ~ m_c + sqrt(q_o/nu C_cc)
//   t_nu
//
// where nu = n_o - p, and the law of z_c is that of left-out rows in leave_out.hpp. Draws of z_c
// complete the data. Without censored rows, the only completion is the data.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/model/model.hpp"
#include "btg/node/leave_out.hpp"
#include "btg/node/node.hpp"

namespace btg {

// Quantities of a kernel node that do not depend on the transform: the joint law of some rows given
// all others.
struct ConditionalRows {
  ConditionalRows(const Model& model, const KernelNode& node, const std::vector<int>& rows);

  Folds fold;  // a single one
  LeaveOutFactors factors;
  Eigen::MatrixXd precision, covariance;  // Q_cc and C_cc
  bool usable;                            // false if Q_cc is singular to rounding
};

struct Completion {
  double log_marginal;      // log p(data | eta), up to the constant of log_marginal() in node.hpp
  double standard_error;    // of log_marginal
  Eigen::VectorXd z;        // a placeholder for censored rows
  Eigen::MatrixXd latent;   // draws of z_c, one per column
  Eigen::VectorXd weights;  // of the draws; sum to 1
};

// `eta` has hyperparameters only. `rows` are the model's censored rows, and `points` are as in
// box_probability.hpp.
Completion complete(const Model& model, const KernelNode& node, const ConditionalRows& rows,
                    const double* eta, const Eigen::MatrixXd& points);

}  // namespace btg
