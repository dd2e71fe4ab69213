#include "btg/model/latent_response.hpp"

#include "btg/transforms/transform.hpp"

namespace btg {

LatentResponse exact_response(const Model& model, const double* eta) {
  const Eigen::Index n = model.response.size();
  LatentResponse result{Eigen::VectorXd(n), Eigen::VectorXd::Zero(n)};
  const double* lambda = model.lambda(eta);
  double sum = 0.0;
  for (Eigen::Index row = 0; row < n; ++row) {
    if (model.censored.index_of(static_cast<int>(row)) >= 0) continue;
    const Jet jet = model.transform.jet(model.response[row], lambda);
    result.z[row] = jet.value;
    result.log_derivative[row] = jet.log_derivative;
    sum += jet.value;
  }
  for (const int row : model.censored.rows()) {
    result.z[row] = sum / static_cast<double>(model.exact_count());
  }
  return result;
}

TransformedResponseGradient exact_response_gradient(const Model& model, const double* eta) {
  const double* lambda = model.lambda(eta);
  if (model.censored.empty()) {
    return transform_response_gradient(model.transform, model.response, lambda);
  }
  const LatentResponse plain = exact_response(model, eta);
  const Eigen::Index n = model.response.size(), k = model.transform.size();
  TransformedResponseGradient result{plain.z, plain.log_derivative.sum(),
                                     Eigen::MatrixXd::Zero(n, k), Eigen::VectorXd::Zero(k)};
  Eigen::VectorXd z_gradient(k), log_derivative_gradient(k);
  for (Eigen::Index row = 0; row < n; ++row) {
    if (model.censored.index_of(static_cast<int>(row)) >= 0) continue;
    model.transform.jet_gradient(model.response[row], lambda, z_gradient.data(),
                                 log_derivative_gradient.data());
    result.z_gradient.row(row) = z_gradient.transpose();
    result.log_jacobian_gradient += log_derivative_gradient;
  }
  return result;
}

LatentResponse complete_response(const Model& model, const double* eta) {
  LatentResponse result = exact_response(model, eta);
  const double* latent = model.latent(eta);
  for (int k = 0; k < model.censored.count(); ++k) result.z[model.censored.rows()[k]] = latent[k];
  return result;
}

}  // namespace btg
