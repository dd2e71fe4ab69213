#include "btg/node/gradient.hpp"

#include <cmath>
#include <optional>

#include "btg/base/parameter.hpp"
#include "btg/model/hyperparameters.hpp"
#include "btg/model/latent_response.hpp"
#include "btg/model/likelihood.hpp"
#include "btg/node/completion.hpp"
#include "btg/transforms/transformed_response.hpp"

namespace btg {

namespace {

// Fits to complete data, one per column of z, with weights.
struct WeightedFits {
  Eigen::MatrixXd residuals;  // W (z - M beta) times sqrt(weight (n-p)/q)
  Eigen::VectorXd factors;    // these square roots
  Eigen::VectorXd within;     // LatentFit::within, summed with the squares as weights
};

WeightedFits fit_all(const Model& model, const KernelNode& node, const Eigen::MatrixXd& z,
                     const Eigen::VectorXd& weights) {
  WeightedFits fits;
  Eigen::MatrixXd means(model.site_count(), z.cols());
  for (Eigen::Index k = 0; k < z.cols(); ++k) means.col(k) = model.sites.mean(z.col(k));
  fits.residuals = node.factor->whiten(means);
  fits.residuals -= node.trend_directions * (node.trend_directions.transpose() * fits.residuals);
  fits.factors.resize(z.cols());
  if (model.sites.replicated()) fits.within = Eigen::VectorXd::Zero(model.site_count());
  for (Eigen::Index k = 0; k < z.cols(); ++k) {
    const Eigen::VectorXd within = model.sites.within(z.col(k), node.noise);
    const double q = fits.residuals.col(k).squaredNorm() + within.sum();
    const double scale = weights[k] * model.residual_count() / q;
    fits.factors[k] = std::sqrt(scale);
    if (model.sites.replicated()) fits.within += scale * within;
  }
  fits.residuals *= fits.factors.asDiagonal();
  return fits;
}

// Derivatives in the parameters of K; `noise` in v of each site. S is formed from the residuals and
// from U, since W'U U'W = K^-1 M A^-1 M' K^-1.
CovarianceGradient covariance_gradient(const Model& model, const KernelNode& node,
                                       const WeightedFits& fits) {
  const Eigen::Index count = fits.residuals.cols();
  const bool integrated = model.likelihood == Likelihood::integrated;
  const Eigen::Index p = integrated ? node.trend_directions.cols() : 0;
  Eigen::MatrixXd columns(fits.residuals.rows(), count + p);
  columns.leftCols(count) = fits.residuals;
  if (integrated) columns.rightCols(p) = node.trend_directions;
  CovarianceGradient gradient = node.factor->gradient(columns);

  gradient.noise.array() *= model.sites.relative_noise(model.site_count()).array();
  if (model.sites.replicated()) {
    gradient.noise.array() +=
        0.5 * (fits.within - model.sites.extra_rows()).array() / node.noise.array();
  }
  return gradient;
}

// Complete data at a node: latent responses z by completion, and their weights.
struct CompleteData {
  double log_marginal;
  Eigen::MatrixXd z;
  Eigen::VectorXd weights;
};

CompleteData complete_data(const Model& model, const KernelNode& node, const double* eta,
                           const TransformedResponseGradient& g) {
  if (model.censored.empty()) {
    return {log_marginal(node, fit_latent(model, node, g.z), g.log_jacobian, model.likelihood), g.z,
            Eigen::VectorXd::Ones(1)};
  }
  const CensoredRows rows(model, node);
  const Completion completion = complete(model, node, rows, eta, model.censored.points());
  CompleteData data{completion.log_marginal, {}, completion.weights};
  if (!std::isfinite(data.log_marginal)) return data;
  data.z = completion.z.replicate(1, completion.latent.cols());
  for (int k = 0; k < model.censored.count(); ++k) {
    data.z.row(model.censored.rows()[k]) = completion.latent.row(k);
  }
  return data;
}

// Derivatives in lambda, given e times (n-p)/q for each completion in the rows of the data.
Eigen::VectorXd transform_gradient(const Model& model, const double* lambda,
                                   const TransformedResponseGradient& g, const CompleteData& data,
                                   const Eigen::MatrixXd& e) {
  Eigen::VectorXd total = -g.z_gradient.transpose() * (e * data.weights) + g.log_jacobian_gradient;
  const Eigen::Index size = total.size();
  Eigen::VectorXd z_gradient(size), log_derivative_gradient(size);
  for (const int row : model.censored.rows()) {
    for (Eigen::Index k = 0; k < data.z.cols(); ++k) {
      const double y = model.transform.inverse(data.z(row, k), lambda);
      model.transform.jet_gradient(y, lambda, z_gradient.data(), log_derivative_gradient.data());
      const Eigen::VectorXd one = log_derivative_gradient - e(row, k) * z_gradient;
      if (one.allFinite()) total += data.weights[k] * one;
    }
  }
  return total;
}

}  // namespace

CovarianceGradient covariance_gradient(const Model& model, const KernelNode& node,
                                       const LatentFit& fit) {
  const double scale = model.residual_count() / fit.q;
  const double factor = std::sqrt(scale);
  WeightedFits fits{factor * fit.residual, Eigen::VectorXd::Constant(1, factor), {}};
  if (model.sites.replicated()) fits.within = scale * fit.within;
  return covariance_gradient(model, node, fits);
}

MarginalGradient evaluate_gradient(const Model& model, const double* eta) {
  model.execution.step();
  MarginalGradient result;
  result.gradient = Eigen::VectorXd::Zero(model.size());
  const TransformedResponseGradient g = exact_response_gradient(model, eta);
  const std::optional<KernelNode> node = kernel_node(model, eta);
  if (!node || !g.z.allFinite()) return result;
  model.execution.check();
  const CompleteData data = complete_data(model, *node, eta, g);
  result.log_marginal = data.log_marginal;
  if (!std::isfinite(result.log_marginal)) return result;

  const WeightedFits fits = fit_all(model, *node, data.z, data.weights);
  const CovarianceGradient covariance = covariance_gradient(model, *node, fits);
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
  part(Role::map) = covariance.maps;
  // d log rho_s / d log r_t = 1{s = t} - rho_t
  const Eigen::VectorXd shares = model.shares(eta);
  part(Role::share) = (covariance.log_shares - covariance.log_shares.sum() * shares)
                          .tail(model.hyperparameters.segment(Role::share).count);
  model.noise.gradient(covariance.noise, model.noise_parameters(eta), part(Role::noise).data());

  if (model.transform.size() > 0) {
    const Eigen::MatrixXd e_sites = node->factor->whiten_transposed(fits.residuals);
    Eigen::MatrixXd e(data.z.rows(), data.z.cols());
    for (Eigen::Index k = 0; k < e.cols(); ++k) {
      // Factors are sqrt(weight (n-p)/q), and residuals include one.
      const double factor = fits.factors[k], weight = data.weights[k];
      e.col(k) = weight > 0.0
                     ? Eigen::VectorXd(
                           factor / weight *
                           model.sites.to_rows(e_sites.col(k), factor * data.z.col(k), node->noise))
                     : Eigen::VectorXd::Zero(e.rows());
    }
    part(Role::transform) = transform_gradient(model, model.lambda(eta), g, data, e);
  }
  const Segment lambda = model.hyperparameters.segment(Role::transform);
  for (int j = lambda.first; j < lambda.first + lambda.count; ++j) {
    if (model.hyperparameters[j].scale == Scale::positive) result.gradient[j] *= eta[j];
  }
  return result;
}

}  // namespace btg
