// Derivatives of the log marginal likelihood of node.hpp. With
//
//   Q = K^-1 - K^-1 M A^-1 M' K^-1,   e = Q z,   S = (n-p)/q e e' - Q,
//
// d log p / d v = 1/2 tr(S dK/dv) for a kernel parameter v, and
// d log p / d lambda = -(n-p)/q e' dz/dlambda + (1 - p/n) d log J / d lambda. For the profile of
// likelihood.hpp, n takes the place of n - p, and S = n/q e e' - K^-1. Where rows share a site, K,
// Q and S are those of the sites, and the noise has terms of its own: see sites.hpp.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "btg/compute/compute.hpp"
#include "btg/node/node.hpp"

namespace btg {

struct KernelGradient {
  Eigen::VectorXd log_length_scales;  // one per column of the inputs
  double log_noise;
};

// e = Q z = K^-1 (z - M beta), of the sites; Sites::to_rows makes of it that of the rows.
inline Eigen::VectorXd weighted_residual(const Compute& compute, const KernelNode& node,
                                         const LatentFit& fit) {
  Eigen::VectorXd e = fit.residual;
  compute.solve_lower_transposed(node.factor.data(), static_cast<int>(e.size()), e.data(), 1);
  return e;
}

inline KernelGradient kernel_gradient(const Compute& compute, const btg_compute::Kernel& kernel,
                                      bool product, const KernelNode& node, const LatentFit& fit,
                                      const Eigen::VectorXd& e,
                                      Likelihood likelihood = Likelihood::integrated,
                                      const Sites& sites = {}) {
  const int n = static_cast<int>(node.inputs.rows());
  const int d = static_cast<int>(node.inputs.cols());
  const int p = static_cast<int>(fit.coefficients.size());
  const double scale = residual_count(likelihood, fit.rows, p) / fit.q;

  // S = left left' - K^-1
  Eigen::MatrixXd inverse(n, n);
  compute.inverse(node.factor.data(), n, inverse.data());
  const int columns = likelihood == Likelihood::integrated ? p + 1 : 1;
  Eigen::MatrixXd left(n, columns);
  left.col(0) = std::sqrt(scale) * e;
  if (columns > 1) {
    // L^-T Q, so that K^-1 M A^-1 M' K^-1 is this times its transpose.
    left.rightCols(p) = node.trend_basis;
    compute.solve_lower_transposed(node.factor.data(), n, left.col(1).data(), p);
  }

  KernelGradient gradient;
  gradient.log_length_scales.resize(d);
  kernel.gradient(node.inputs.data(), n, d, product, inverse.data(), left.data(), columns,
                  gradient.log_length_scales.data());
  gradient.log_length_scales *= 0.5;
  const Eigen::VectorXd diagonal = left.rowwise().squaredNorm() - inverse.diagonal();
  const double extra_rows = fit.rows - n;
  gradient.log_noise = 0.5 * node.noise *
                       (diagonal.dot(sites.relative_noise(n)) +
                        (scale * fit.within - extra_rows) / node.noise_in_kernel());
  return gradient;
}

}  // namespace btg
