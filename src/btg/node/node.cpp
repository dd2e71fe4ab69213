#include "btg/node/node.hpp"

#include <cmath>
#include <limits>

#include "btg/numerics/decompositions.hpp"

namespace btg {

namespace {

// Sets U and T from the whitened trend columns.
void orthonormalise(const Eigen::MatrixXd& whitened, KernelNode& node) {
  if (whitened.cols() == 1) {
    node.trend_triangle.setConstant(1, 1, whitened.norm());
    node.trend_directions = whitened / node.trend_triangle(0, 0);
    return;
  }
  ThinQr qr = thin_qr(whitened);
  node.trend_directions = std::move(qr.basis);
  node.trend_triangle = std::move(qr.triangle);
}

}  // namespace

std::optional<KernelNode> kernel_node(const Model& model, const double* eta) {
  const Eigen::Index n = model.site_count();
  KernelNode node;
  node.noise = model.noise.variance(n, model.noise_parameters(eta));
  // With replicates, some pivots of K equal the noise.
  if (model.sites.replicated() &&
      !(node.noise.minCoeff() > smallest_pivot(n, 1.0 + node.noise.minCoeff()))) {
    return std::nullopt;
  }
  node.factor = model.factor_method->factor(model.covariance(eta), model.inputs,
                                            node.noise.cwiseProduct(model.sites.relative_noise(n)),
                                            model.execution);
  if (!node.factor) return std::nullopt;
  orthonormalise(node.factor->whiten(model.trend.basis()), node);
  node.half_log_det_kernel = node.factor->half_log_det() + 0.5 * model.sites.log_det(node.noise);
  node.half_log_det = node.half_log_det_kernel +
                      node.trend_triangle.diagonal().array().abs().log().sum() +
                      model.trend.log_abs_det();
  return node;
}

LatentFit fit_latent(const Model& model, const KernelNode& node, const Eigen::VectorXd& z) {
  LatentFit fit;
  fit.rows = static_cast<double>(z.size());
  fit.within = model.sites.within(z, node.noise);
  const double within = fit.within.sum();
  fit.residual = node.factor->whiten(model.sites.mean(z));
  fit.total = fit.residual.squaredNorm() + within;
  const Eigen::VectorXd projection = node.trend_directions.transpose() * fit.residual;
  fit.residual -= node.trend_directions * projection;
  fit.coefficients = node.trend_triangle.triangularView<Eigen::Upper>().solve(projection);
  fit.q = fit.residual.squaredNorm() + within;
  return fit;
}

double log_marginal(const KernelNode& node, const LatentFit& fit, double jacobian_term,
                    Likelihood likelihood) {
  const double n = fit.rows;
  const double p = static_cast<double>(fit.coefficients.size());
  if (!(fit.q > 1e-26 * fit.total) || !std::isfinite(fit.q) || !std::isfinite(jacobian_term)) {
    return -std::numeric_limits<double>::infinity();
  }
  const double count = residual_count(likelihood, n, p);
  const double half_log_det =
      likelihood == Likelihood::integrated ? node.half_log_det : node.half_log_det_kernel;
  return -half_log_det - 0.5 * count * std::log(fit.q) + jacobian_term;
}

}  // namespace btg
