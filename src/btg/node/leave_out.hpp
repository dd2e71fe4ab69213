// One node with the rows B of each fold left out in turn, all from the node's one factor:
//
//   Q = K^-1 - K^-1 M A^-1 M' K^-1,   A = M' K^-1 M,   e = Q z
//   m_B = z_B - Q_BB^-1 e_B           location of z_B without B
//   C_B = diag(Q_BB^-1)               its variance relative to q_B / (n - |B| - p)
//   q_B = q - e_B' Q_BB^-1 e_B        what q is without B
//   log|K^(-B)| + log|A^(-B)| = log|K| + log|A| + log|Q_BB|
//
// Q = G'G and e = G' residual with G = (I - U U') W of factor.hpp. So Q_BB is a matrix of products
// of columns, and (I - G_B Q_BB^-1 G_B') residual what is left of the residual: nothing is
// subtracted that could cancel.
//
// Where rows share a site, G is that of the sites, and Q of the rows follows from it by sites.hpp:
// rows i and j have Q_ij = w_i w_j / (W_a W_b) times that of their sites, and a term for what
// varies within a site.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "btg/factor/factor.hpp"
#include "btg/model/folds.hpp"
#include "btg/model/model.hpp"
#include "btg/node/node.hpp"

namespace btg {

// What all transforms share at the node.
struct LeaveOutFactors {
  std::unique_ptr<const ProjectedRoot> root;  // G
  std::vector<Eigen::MatrixXd> factors;       // of Q_BB for folds of several rows, lower triangles
  Eigen::VectorXd half_log_det;               // 1/2 log|Q_BB| of every fold
  Eigen::VectorXd variance;                   // C of every row, in the order of the folds
};

// Folds that are not to be predicted, or not to rounding, have NaN as their determinant.
LeaveOutFactors leave_out_factors(const Model& model, const KernelNode& node, const Folds& folds,
                                  const std::vector<FoldStatus>& status);

// A q of at most this much of |W z|^2 is rounding: the trend fits exactly.
constexpr double smallest_relative_q = 1e-22;

// All folds left out of one transformed response.
struct LeaveOutFit {
  Eigen::VectorXd location, scale;  // rows
  Eigen::VectorXd log_marginal;     // folds; -Inf if the trend fits the others exactly, to rounding
};

// `log_derivative` has log J as its sum. Of a profile only the scale differs (likelihood.hpp):
// marginal likelihoods weight nodes, of which it has one.
LeaveOutFit leave_out_fit(const Model& model, const KernelNode& node, const LeaveOutFactors& blocks,
                          const LatentFit& fit, const Folds& folds, const Eigen::VectorXd& z,
                          const Eigen::VectorXd& log_derivative, bool observation);

}  // namespace btg
