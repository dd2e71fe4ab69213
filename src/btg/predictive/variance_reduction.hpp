// How much one more observation at x would reduce the predictive variance over a region, for the
// noise-free process on the transformed scale at fixed hyperparameters. Relative to 1 / tau, its
// covariance given the data,
//
//   c(u, v) = R(u, v) - k_u' K^-1 k_v + w_u' A^-1 w_v,   w_u = m(u) - M' K^-1 k_u,
//
// does not depend on responses. An observation at x with noise v(x) changes it by a rank-one
// update:
//
//   c(u, u | x) = c(u, u) - c(u, x)^2 / (c(x, x) + v(x)).
//
// The answer is the share by which the sum of c(u, u) over the region falls, averaged over nodes.
// Shares can be averaged over transforms; variances could not.
#pragma once

#include <Eigen/Core>

#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/predictive/mixture.hpp"

namespace btg {

// Returns the sum of weights[i] times the share at node i, for the nodes of one model. The first
// `region` points are the region, without noise; each of the others is an x, with its noise. `etas`
// and `cached` are as for joint_draws().
Eigen::VectorXd variance_reduction(const Model& model, const ModelNodes& nodes,
                                   const Eigen::MatrixXd& etas, const Eigen::VectorXd& weights,
                                   const Points& points, int region, const PreparedGroups& cached);

}  // namespace btg
