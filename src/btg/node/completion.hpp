// Integrates out the latent responses of censored rows c at a node, given the exact rows o:
//
//   p(data | eta) = p(z_o | eta) P(z_c in the box | z_o),   z_c | z_o ~ m_c + sqrt(q_o/nu C_cc)
//   t_nu
//
// where nu = n_o - p, and the law of z_c is that of left-out rows in leave_out.hpp. Draws of z_c
// complete the data. Without censored rows, the only completion is the data.
//
// If no row is exact, p rows a with two finite limits are free coordinates, and the others c follow
// from them. With x = R z, where R^2 is the precision tau, and m = n - p,
//
//   p(data | eta) = 2 pi^(m/2) / Gamma(m/2) |K|^-1/2 |A|^-1/2 |Q_cc|^-1/2
//                   int R^(-p - 1) dR dx_a N(x_c; -Q_cc^-1 Q_ca x_a, Q_cc^-1) over R times the box,
//
// the integral of the density of complete data, |K|^-1/2 |A|^-1/2 (z'Q z)^(-m/2). It is finite if
// no trend M beta passes through all limits; then the data determine the scale of the process.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/model/model.hpp"
#include "btg/node/leave_out.hpp"
#include "btg/node/node.hpp"

namespace btg {

// Quantities of a kernel node that do not depend on the transform: the joint law of the censored
// rows given the exact ones.
struct CensoredRows {
  CensoredRows(const Model& model, const KernelNode& node);

  Folds fold;               // the rows c, a single fold
  LeaveOutFactors factors;  // of c
  // Q and C_cc. Rows and columns of Q are all censored rows.
  Eigen::MatrixXd precision, covariance;
  // Without exact rows, indices of a and c among the censored rows, and -Q_cc^-1 Q_ca.
  std::vector<int> free, others;
  Eigen::MatrixXd weights;
  bool usable;  // false if Q_cc is singular to rounding
};

struct Completion {
  double log_marginal;      // log p(data | eta), up to the constant of log_marginal() in node.hpp
  double standard_error;    // of log_marginal
  Eigen::VectorXd z;        // a placeholder for censored rows
  Eigen::MatrixXd latent;   // draws of z_c, one per column
  Eigen::VectorXd weights;  // of the draws; sum to 1
};

// `eta` has hyperparameters only, and `points` are as in box_probability.hpp.
Completion complete(const Model& model, const KernelNode& node, const CensoredRows& rows,
                    const double* eta, const Eigen::MatrixXd& points);

}  // namespace btg
