// One (lengthscales, noise) of the model: K = R + noise I is factored once, then
// serves any number of transformed responses z and new points. Everything is kept
// whitened by the Cholesky factor, K = L L':
//
//   L^-1 M = Q T                   (Q orthonormal n x p, T triangular p x p)
//   residual = (I - Q Q') L^-1 z,  q = |residual|^2,  T beta = Q' L^-1 z
//
// With weights, K = R + noise diag(1 / w). Where rows share a site, all matrices are those of the
// sites, and q and log|K| have further terms: see sites.hpp.
#pragma once

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "btg/compute/compute.hpp"
#include "btg/model/likelihood.hpp"
#include "btg/model/sites.hpp"
#include "btg/model/trend.hpp"

namespace btg {

struct KernelNode {
  Eigen::MatrixXd inputs;       // sites x d, divided by the lengthscales
  Eigen::MatrixXd factor;       // L, in the lower triangle
  Eigen::MatrixXd trend_basis;  // Q
  Eigen::MatrixXd trend_triangle;
  double noise = 0.0;
  double jitter = 0.0;  // added to the noise to make K positive definite
  double noise_in_kernel() const { return noise + jitter; }
  double half_log_det_kernel = 0.0;  // 1/2 log|K|
  double half_log_det = 0.0;         // 1/2 log|K| + 1/2 log|M' K^-1 M|
};

// z given the node, with beta and tau integrated out.
struct LatentFit {
  Eigen::VectorXd coefficients;  // beta
  Eigen::VectorXd residual;      // L^-1 (z - M beta)
  double within = 0.0;           // what z varies within sites, divided by the noise
  double q = 0.0;
  double total = 0.0;  // z' K^-1 z, of which q is what the trend does not explain
  double rows = 0.0;   // n
};

// Q and T of the trend's whitened columns.
inline void orthonormalise(const Eigen::MatrixXd& whitened, KernelNode& node) {
  const Eigen::Index n = whitened.rows(), p = whitened.cols();
  if (p == 1) {
    node.trend_triangle.setConstant(1, 1, whitened.norm());
    node.trend_basis = whitened / node.trend_triangle(0, 0);
    return;
  }
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(whitened);
  node.trend_basis = qr.householderQ() * Eigen::MatrixXd::Identity(n, p);
  node.trend_triangle = qr.matrixQR().topRows(p).triangularView<Eigen::Upper>();
}

// Builds K and factors it. A matrix that is not positive definite, to rounding, gets
// the smallest of a few jitters that makes it so; none if even the largest does not.
inline std::optional<KernelNode> factor_node(const Compute& compute,
                                             const btg_compute::Kernel& kernel, bool product,
                                             Eigen::MatrixXd scaled_inputs, const Trend& trend,
                                             double noise, const Sites& sites = {}) {
  const int n = static_cast<int>(scaled_inputs.rows());
  const int d = static_cast<int>(scaled_inputs.cols());
  const double smallest_pivot = 10.0 * n * std::numeric_limits<double>::epsilon() * (1.0 + noise);
  const Eigen::VectorXd relative_noise = sites.relative_noise(n);
  // Enough for the row with the largest weight.
  const double unit = (1.0 + noise) * std::max(1.0, 1.0 / relative_noise.minCoeff());
  KernelNode node;
  node.inputs = std::move(scaled_inputs);
  node.noise = noise;
  node.factor.resize(n, n);
  for (const double jitter : {0.0, 1e-10, 1e-8, 1e-6}) {
    kernel.correlation(node.inputs.data(), n, d, product, node.factor.data());
    node.jitter = jitter * unit;
    node.factor.diagonal() += node.noise_in_kernel() * relative_noise;
    // Of replicates, K has the noise as pivots.
    if (sites.replicated() && !(node.noise_in_kernel() > smallest_pivot)) continue;
    if (compute.cholesky(node.factor.data(), n) != 0) continue;
    if (!(node.factor.diagonal().array().square().minCoeff() > smallest_pivot)) continue;

    Eigen::MatrixXd whitened = trend.basis();
    compute.solve_lower(node.factor.data(), n, whitened.data(), static_cast<int>(whitened.cols()));
    orthonormalise(whitened, node);
    node.half_log_det_kernel =
        node.factor.diagonal().array().log().sum() + 0.5 * sites.log_det(node.noise_in_kernel());
    node.half_log_det = node.half_log_det_kernel +
                        node.trend_triangle.diagonal().array().abs().log().sum() +
                        trend.log_abs_det();
    return node;
  }
  return std::nullopt;
}

inline LatentFit fit_latent(const Compute& compute, const KernelNode& node,
                            const Eigen::VectorXd& z, const Sites& sites = {}) {
  LatentFit fit;
  fit.rows = static_cast<double>(z.size());
  fit.residual = sites.mean(z);
  if (sites.replicated()) fit.within = sites.within(z) / node.noise_in_kernel();
  compute.solve_lower(node.factor.data(), static_cast<int>(fit.residual.size()),
                      fit.residual.data(), 1);
  fit.total = fit.residual.squaredNorm() + fit.within;
  const Eigen::VectorXd projection = node.trend_basis.transpose() * fit.residual;
  fit.residual -= node.trend_basis * projection;
  fit.coefficients = node.trend_triangle.triangularView<Eigen::Upper>().solve(projection);
  fit.q = fit.residual.squaredNorm() + fit.within;
  return fit;
}

// log p(y | eta) = -1/2 log|K| - 1/2 log|A| - (n-p)/2 log q + (1 - p/n) log J, up to a
// constant, or the profile of likelihood.hpp. -Inf when z is not finite or lies in the trend to
// rounding: the density of an exact fit is unbounded and means nothing.
inline double log_marginal(const KernelNode& node, const LatentFit& fit, double log_jacobian,
                           Likelihood likelihood = Likelihood::integrated) {
  const double n = fit.rows;
  const double p = static_cast<double>(fit.coefficients.size());
  if (!(fit.q > 1e-26 * fit.total) || !std::isfinite(fit.q) || !std::isfinite(log_jacobian)) {
    return -std::numeric_limits<double>::infinity();
  }
  const double count = residual_count(likelihood, n, p);
  const double half_log_det =
      likelihood == Likelihood::integrated ? node.half_log_det : node.half_log_det_kernel;
  return -half_log_det - 0.5 * count * std::log(fit.q) + count / n * log_jacobian;
}

}  // namespace btg
