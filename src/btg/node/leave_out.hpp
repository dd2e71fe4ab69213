// Leaves out the rows B of each fold in turn at one node, using only the node's factor:
//
//   Q = K^-1 - K^-1 M A^-1 M' K^-1,   A = M' K^-1 M,   e = Q z
//   m_B = z_B - Q_BB^-1 e_B           location of z_B without B
//   C_B = diag(Q_BB^-1)               its variance relative to q_B / (n - |B| - p)
//   q_B = q - e_B' Q_BB^-1 e_B        q without B
//   log|K^(-B)| + log|A^(-B)| = log|K| + log|A| + log|Q_BB|
//
// Q = G'G and e = G' residual with G = (I - U U') W of factor.hpp. So Q_BB consists of products of
// columns, and the residual without B is (I - G_B Q_BB^-1 G_B') residual. Neither can cancel.
//
// If rows share a site, G is that of the sites and Q follows from sites.hpp: Q_ij for rows i and j
// is w_i w_j / (W_a W_b) times that of their sites, plus a term for variation within a site.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "btg/factor/factor.hpp"
#include "btg/model/folds.hpp"
#include "btg/model/model.hpp"
#include "btg/node/node.hpp"

namespace btg {

// Quantities at the node that do not depend on the transform.
struct LeaveOutFactors {
  std::unique_ptr<const ProjectedRoot> root;  // G
  std::vector<Eigen::MatrixXd> factors;       // of Q_BB for folds of several rows, lower triangles
  Eigen::VectorXd half_log_det;               // 1/2 log|Q_BB| per fold
  Eigen::VectorXd variance;                   // C per row, in the order of the folds
};

// Q_BB of some rows, the lower triangle.
Eigen::MatrixXd left_out_block(const Model& model, const KernelNode& node,
                               const ProjectedRoot& root, const std::vector<int>& rows);

// The determinant is NaN for folds that are not predicted or whose Q_BB could not be factored.
LeaveOutFactors leave_out_factors(const Model& model, const KernelNode& node, const Folds& folds,
                                  const std::vector<FoldStatus>& status);

// A q below this fraction of |W z|^2 is rounding error: the trend fits exactly.
constexpr double smallest_relative_q = 1e-22;

// Results of leaving out every fold, for one transformed response.
struct LeaveOutFit {
  Eigen::VectorXd location, scale;  // by row
  Eigen::VectorXd log_marginal;     // by fold; -Inf if the trend fits the other rows exactly
  Eigen::VectorXd q;                // by fold: q_B
};

// `log_derivative` is as in latent_response.hpp. For a profile, only the scale differs
// (likelihood.hpp): marginal likelihoods serve to weight nodes, and a profile has only one.
LeaveOutFit leave_out_fit(const Model& model, const KernelNode& node, const LeaveOutFactors& blocks,
                          const LatentFit& fit, const Folds& folds, const Eigen::VectorXd& z,
                          const Eigen::VectorXd& log_derivative, bool observation);

}  // namespace btg
