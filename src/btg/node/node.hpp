// One value of the lengthscales and the noise: K is factored once, then serves any number of
// transformed responses z and new points. Everything is kept whitened by W of factor.hpp,
// W'W = K^-1; the trend is M = B R of trend.hpp:
//
//   W B = U T                      (U orthonormal, T triangular p x p)
//   residual = (I - U U') W z,  q = |residual|^2,  T beta = U' W z   (beta of B's columns)
//
// With weights, K = R + diag(v / w). Where rows share a site, all matrices are those of the sites,
// and q and log|K| have further terms: see sites.hpp.
#pragma once

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "btg/factor/factor.hpp"
#include "btg/model/model.hpp"

namespace btg {

struct KernelNode {
  std::shared_ptr<const Factor> factor;
  Eigen::MatrixXd trend_directions;  // U
  Eigen::MatrixXd trend_triangle;    // T
  Eigen::VectorXd noise;             // v, of a row of weight 1 at each site
  double jitter = 0.0;               // added to the noise to make K positive definite
  double half_log_det_kernel = 0.0;  // 1/2 log|K|
  double half_log_det = 0.0;         // 1/2 log|K| + 1/2 log|M' K^-1 M|

  Eigen::VectorXd noise_in_kernel() const { return noise.array() + jitter; }
};

// z given the node, with beta and tau integrated out.
struct LatentFit {
  Eigen::VectorXd coefficients;  // beta
  Eigen::VectorXd residual;      // W (z - M beta)
  Eigen::VectorXd within;        // what z varies within each site, divided by its noise; or empty
  double q = 0.0;
  double total = 0.0;  // z' K^-1 z, of which q is what the trend does not explain
  double rows = 0.0;   // n
};

// U and T of the trend's whitened columns.
inline void orthonormalise(const Eigen::MatrixXd& whitened, KernelNode& node) {
  const Eigen::Index n = whitened.rows(), p = whitened.cols();
  if (p == 1) {
    node.trend_triangle.setConstant(1, 1, whitened.norm());
    node.trend_directions = whitened / node.trend_triangle(0, 0);
    return;
  }
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(whitened);
  node.trend_directions = qr.householderQ() * Eigen::MatrixXd::Identity(n, p);
  node.trend_triangle = qr.matrixQR().topRows(p).triangularView<Eigen::Upper>();
}

// The node whose noise has this jitter added; none if K is not positive definite to rounding.
inline std::optional<KernelNode> node_with_jitter(const Model& model, const double* eta,
                                                  double jitter) {
  const Eigen::Index n = model.site_count();
  KernelNode node;
  node.noise = model.noise.variance(n, model.noise_parameters(eta));
  node.jitter = jitter;
  const Eigen::VectorXd noise = node.noise_in_kernel();
  // Of replicates, K has the noise as pivots.
  if (model.sites.replicated() &&
      !(noise.minCoeff() > smallest_pivot(n, 1.0 + node.noise.minCoeff()))) {
    return std::nullopt;
  }
  node.factor = model.factor_method->factor(model.covariance(eta), model.inputs,
                                            noise.cwiseProduct(model.sites.relative_noise(n)),
                                            model.execution);
  if (!node.factor) return std::nullopt;
  orthonormalise(node.factor->whiten(model.trend.basis()), node);
  node.half_log_det_kernel = node.factor->half_log_det() + 0.5 * model.sites.log_det(noise);
  node.half_log_det = node.half_log_det_kernel +
                      node.trend_triangle.diagonal().array().abs().log().sum() +
                      model.trend.log_abs_det();
  return node;
}

// A matrix that is not positive definite, to rounding, gets the smallest of a few jitters that
// makes it so; none if even the largest does not.
inline std::optional<KernelNode> kernel_node(const Model& model, const double* eta) {
  const Eigen::Index n = model.site_count();
  const double noise = model.noise.variance(n, model.noise_parameters(eta)).maxCoeff();
  // Enough for the row with the largest weight.
  const double unit = (1.0 + noise) * std::max(1.0, 1.0 / model.sites.relative_noise(n).minCoeff());
  for (const double jitter : {0.0, 1e-10, 1e-8, 1e-6}) {
    std::optional<KernelNode> node = node_with_jitter(model, eta, jitter * unit);
    if (node) return node;
  }
  return std::nullopt;
}

inline LatentFit fit_latent(const Model& model, const KernelNode& node, const Eigen::VectorXd& z) {
  LatentFit fit;
  fit.rows = static_cast<double>(z.size());
  fit.within = model.sites.within(z, node.noise_in_kernel());
  const double within = fit.within.sum();
  fit.residual = node.factor->whiten(model.sites.mean(z));
  fit.total = fit.residual.squaredNorm() + within;
  const Eigen::VectorXd projection = node.trend_directions.transpose() * fit.residual;
  fit.residual -= node.trend_directions * projection;
  fit.coefficients = node.trend_triangle.triangularView<Eigen::Upper>().solve(projection);
  fit.q = fit.residual.squaredNorm() + within;
  return fit;
}

// log p(y | eta) = -1/2 log|K| - 1/2 log|A| - (n-p)/2 log q + (1 - p/n) log J, up to a
// constant, or the profile of likelihood.hpp. -Inf when z is not finite or lies in the trend to
// rounding: the density of an exact fit is unbounded and means nothing.
inline double log_marginal(const KernelNode& node, const LatentFit& fit, double log_jacobian,
                           Likelihood likelihood) {
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
