#include "btg/node/gradient.hpp"

#include <cmath>
#include <optional>

#include "btg/base/parameter.hpp"
#include "btg/model/hyperparameters.hpp"
#include "btg/model/likelihood.hpp"
#include "btg/transforms/transformed_response.hpp"

namespace btg {

CovarianceGradient covariance_gradient(const Model& model, const KernelNode& node,
                                       const LatentFit& fit) {
  const Eigen::Index p = fit.coefficients.size();
  const double scale = model.residual_count() / fit.q;
  const bool integrated = model.likelihood == Likelihood::integrated;
  Eigen::MatrixXd columns(fit.residual.size(), integrated ? p + 1 : 1);
  columns.col(0) = std::sqrt(scale) * fit.residual;
  if (integrated) columns.rightCols(p) = node.trend_directions;
  CovarianceGradient gradient = node.factor->gradient(columns);

  gradient.noise.array() *= model.sites.relative_noise(model.site_count()).array();
  if (model.sites.replicated()) {
    gradient.noise.array() +=
        0.5 * (scale * fit.within - model.sites.extra_rows()).array() / node.noise.array();
  }
  return gradient;
}

MarginalGradient evaluate_gradient(const Model& model, const double* eta) {
  model.execution.step();
  MarginalGradient result;
  result.gradient = Eigen::VectorXd::Zero(model.size());
  const TransformedResponseGradient g =
      transform_response_gradient(model.transform, model.response, model.lambda(eta));
  const std::optional<KernelNode> node = kernel_node(model, eta);
  if (!node || !g.z.allFinite()) return result;
  model.execution.check();
  const LatentFit fit = fit_latent(model, *node, g.z);
  result.log_marginal = log_marginal(*node, fit, g.log_jacobian, model.likelihood);
  if (!std::isfinite(result.log_marginal)) return result;

  const Eigen::VectorXd e = weighted_residual(*node, fit);
  const CovarianceGradient covariance = covariance_gradient(model, *node, fit);
  const auto part = [&](Role role) {
    const Segment segment = model.hyperparameters.segment(role);
    return Eigen::Map<Eigen::VectorXd>(segment.of(result.gradient.data()), segment.count);
  };
  for (Eigen::Index k = 0; k < covariance.log_length_scales.size(); ++k) {
    const int length_scale = model.length_scale_of_column[k];
    if (length_scale >= 0)
      part(Role::length_scale)[length_scale] += covariance.log_length_scales[k];
  }
  part(Role::kernel) = covariance.log_parameters;
  // d log rho_s / d log r_t = 1{s = t} - rho_t
  const Eigen::VectorXd shares = model.shares(eta);
  part(Role::share) = (covariance.log_shares - covariance.log_shares.sum() * shares)
                          .tail(model.hyperparameters.segment(Role::share).count);
  model.noise.gradient(covariance.noise, model.noise_parameters(eta), part(Role::noise).data());

  const double n = static_cast<double>(model.response.size());
  const double count = model.residual_count();
  const Eigen::VectorXd e_rows = model.sites.to_rows(e, g.z, node->noise);
  part(Role::transform) =
      -count / fit.q * g.z_gradient.transpose() * e_rows + count / n * g.log_jacobian_gradient;
  const Segment lambda = model.hyperparameters.segment(Role::transform);
  for (int j = lambda.first; j < lambda.first + lambda.count; ++j) {
    if (model.hyperparameters[j].scale == Scale::positive) result.gradient[j] *= eta[j];
  }
  return result;
}

}  // namespace btg
