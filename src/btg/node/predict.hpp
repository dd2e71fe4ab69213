// Predictive location and scale at a block of new points, one node:
//
//   m = k' K^-1 (z - M beta) + m(x)' beta
//   C = c0 - k' K^-1 k + u' A^-1 u,   u = m(x) - M' K^-1 k
//   s = sqrt(q C / (n - p)), or sqrt(q C / n) for the profile of likelihood.hpp
//
// with c0 = 1 + noise / weight for an observation and 1 for the noise-free process.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "btg/compute/compute.hpp"
#include "btg/node/node.hpp"

namespace btg {

// What a block of points shares between all transforms at the node.
struct CrossBlock {
  Eigen::MatrixXd whitened;     // L^-1 k, n x m
  Eigen::MatrixXd trend;        // m(x) in the trend's basis, m x p
  Eigen::MatrixXd trend_error;  // T^-T u, p x m: the error of the trend's coefficients
  Eigen::VectorXd variance;     // C
};

// What of the noise each of `points` points has: all of it for an observation of weight 1.
inline Eigen::VectorXd equal_noise(Eigen::Index points, bool observation) {
  return Eigen::VectorXd::Constant(points, observation ? 1.0 : 0.0);
}

// `relative_noise` of a point is 1 / weight for an observation, 0 for the noise-free process.
inline CrossBlock cross_block(const Compute& compute, const btg_compute::Kernel& kernel,
                              bool product, const KernelNode& node,
                              const Eigen::MatrixXd& scaled_points,
                              const Eigen::MatrixXd& trend_points,
                              const Eigen::VectorXd& relative_noise) {
  const int n = static_cast<int>(node.inputs.rows());
  const int d = static_cast<int>(node.inputs.cols());
  const int m = static_cast<int>(scaled_points.rows());
  CrossBlock block;
  block.trend = trend_points;
  block.whitened.resize(n, m);
  kernel.cross_correlation(node.inputs.data(), n, scaled_points.data(), m, d, product,
                           block.whitened.data());
  compute.solve_lower(node.factor.data(), n, block.whitened.data(), m);

  // A = T'T and M' K^-1 k = T' Q' (L^-1 k), so u' A^-1 u = |T^-T m(x) - Q' L^-1 k|^2.
  Eigen::MatrixXd& u = block.trend_error;
  u = trend_points.transpose();
  node.trend_triangle.transpose().triangularView<Eigen::Lower>().solveInPlace(u);
  u.noalias() -= node.trend_basis.transpose() * block.whitened;

  const Eigen::ArrayXd c0 = 1.0 + node.noise * relative_noise.array();
  const Eigen::ArrayXd explained = block.whitened.colwise().squaredNorm().transpose();
  const Eigen::ArrayXd trend_variance = u.colwise().squaredNorm().transpose();
  // C is a difference: at a noise-free datum it is 0 +- rounding.
  block.variance = (c0 - explained + trend_variance).max(1e-14 * c0);
  return block;
}

inline Eigen::VectorXd predictive_location(const CrossBlock& block, const LatentFit& fit) {
  return block.whitened.transpose() * fit.residual + block.trend * fit.coefficients;
}

inline Eigen::VectorXd predictive_scale(const CrossBlock& block, const LatentFit& fit,
                                        Likelihood likelihood = Likelihood::integrated) {
  const double count =
      residual_count(likelihood, fit.rows, static_cast<double>(fit.coefficients.size()));
  return (fit.q / count * block.variance.array()).sqrt();
}

}  // namespace btg
