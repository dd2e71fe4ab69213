// Derivatives of the log marginal likelihood of node.hpp. With
//
//   Q = K^-1 - K^-1 M A^-1 M' K^-1,   A = M' K^-1 M,   e = Q z,   S = (n-p)/q e e' - Q,
//
// d log p / d v = 1/2 tr(S dK/dv) for a parameter v of K, and
// d log p / d lambda = -(n-p)/q e' dz/dlambda + (1 - p/n) d log J / d lambda.
// For the profile of likelihood.hpp, n replaces n - p, and S = n/q e e' - K^-1. If rows share a
// site, K, Q and S are those of the sites, and the noise has extra terms (see sites.hpp).
//
// With censored rows, the derivative is the mean of these derivatives over completions of the data
// (Fisher's identity), at fixed responses y_c = g^-1(z_c), whose Jacobian has power 1.
#pragma once

#include <Eigen/Core>
#include <limits>

#include "btg/factor/factor.hpp"
#include "btg/model/model.hpp"
#include "btg/node/node.hpp"

namespace btg {

// e = Q z = K^-1 (z - M beta) at the sites; Sites::to_rows converts it to rows.
inline Eigen::VectorXd weighted_residual(const KernelNode& node, const LatentFit& fit) {
  return node.factor->whiten_transposed(fit.residual);
}

// Derivatives in the parameters of K for complete data; `noise` in v of each site.
CovarianceGradient covariance_gradient(const Model& model, const KernelNode& node,
                                       const LatentFit& fit);

struct MarginalGradient {
  double log_marginal = -std::numeric_limits<double>::infinity();
  Eigen::VectorXd gradient;  // in the coordinates: logs of the positive hyperparameters
};

MarginalGradient evaluate_gradient(const Model& model, const double* eta);

}  // namespace btg
