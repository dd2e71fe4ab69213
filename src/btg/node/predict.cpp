#include "btg/node/predict.hpp"

namespace btg {

PredictingFit::PredictingFit(const KernelNode& node, const LatentFit& fit)
    : residual(node.factor->prepare(fit.residual)),
      coefficients(fit.coefficients),
      q(fit.q),
      rows(fit.rows) {}

CrossPoints cross_points(const Model& model, const PredictingNode& ready, const double* eta,
                         const Points& points, const SiteGroups& groups) {
  const KernelNode& node = ready.node;
  CrossPoints block;
  block.terms = node.factor->cross(points.inputs, model.kept_terms(points), groups);
  block.trend = model.trend.to_basis(points.trend);

  // A = T'T and M' K^-1 k = T' U' (W k), so u' A^-1 u = |T^-T m(x) - U' W k|^2.
  Eigen::MatrixXd& u = block.trend_error;
  u = block.trend.transpose();
  const auto triangle = node.trend_triangle.transpose().triangularView<Eigen::Lower>();
  for (Eigen::Index i = 0; i < u.cols(); ++i) triangle.solveInPlace(u.col(i));
  u -= block.terms->transposed_times(ready.trend_directions);

  block.noise = relative_noise(model, eta, points);
  block.prior = block.terms->prior();
  const Eigen::ArrayXd c0 = block.prior.array() + block.noise.array();
  const Eigen::ArrayXd trend_variance = u.colwise().squaredNorm().transpose();
  // C is a difference, which at a noise-free datum is 0 up to rounding.
  block.variance = (c0 - block.terms->explained().array() + trend_variance).max(1e-14 * c0);
  return block;
}

Eigen::VectorXd predictive_location(const CrossPoints& block, const PredictingFit& fit) {
  Eigen::VectorXd location = block.terms->times(fit.residual);
  for (Eigen::Index j = 0; j < block.trend.cols(); ++j) {
    location += fit.coefficients[j] * block.trend.col(j);
  }
  return location;
}

double scale_of_process(const PredictingFit& fit, Likelihood likelihood) {
  return fit.q / residual_count(likelihood, fit.rows, static_cast<double>(fit.coefficients.size()));
}

Eigen::VectorXd predictive_scale(const CrossPoints& block, const PredictingFit& fit,
                                 Likelihood likelihood) {
  return (scale_of_process(fit, likelihood) * block.variance.array()).sqrt();
}

Eigen::VectorXd relative_noise(const Model& model, const double* eta, const Points& points) {
  return model.noise.variance_at(points.noise_columns, points.size(), model.noise_parameters(eta))
      .cwiseProduct(points.relative_noise);
}

Eigen::VectorXd noise_scale(const Eigen::VectorXd& noise, const PredictingFit& fit,
                            Likelihood likelihood) {
  return (scale_of_process(fit, likelihood) * noise.array()).sqrt();
}

}  // namespace btg
