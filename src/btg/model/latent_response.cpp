#include "btg/model/latent_response.hpp"

#include <algorithm>
#include <cmath>

#include "btg/model/likelihood.hpp"
#include "btg/transforms/transform.hpp"

namespace btg {

JacobianTerm::JacobianTerm(const Model& model, const Eigen::VectorXd& log_derivative)
    : model_(model), log_derivative_(log_derivative) {
  for (int row = 0; row < static_cast<int>(log_derivative.size()); ++row) {
    if (model.is_exact(row)) exact_ += log_derivative[row];
    if (!model.is_reference(row)) continue;
    reference_ += log_derivative[row];
    references_ += 1.0;
  }
}

void JacobianTerm::leave_out(int row) {
  if (model_.is_exact(row)) exact_ -= log_derivative_[row];
  if (!model_.is_reference(row)) return;
  reference_ -= log_derivative_[row];
  references_ -= 1.0;
}

double JacobianTerm::value() const {
  if (model_.likelihood == Likelihood::profiled) return exact_;
  return exact_ - static_cast<double>(model_.trend.basis().cols()) / references_ * reference_;
}

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
  const double placeholder =
      sum / static_cast<double>(std::max<Eigen::Index>(model.exact_count(), 1));
  for (int k = 0; k < model.censored.count(); ++k) {
    const int row = model.censored.rows()[k];
    result.z[row] = placeholder;
    const double middle = model.censored.middle(k);
    if (std::isfinite(middle)) {
      result.log_derivative[row] = model.transform.log_derivative(middle, lambda);
    }
  }
  return result;
}

TransformedResponseGradient exact_response_gradient(const Model& model, const double* eta) {
  const double* lambda = model.lambda(eta);
  const LatentResponse plain = exact_response(model, eta);
  const Eigen::Index n = model.response.size(), k = model.transform.size();
  TransformedResponseGradient result{plain.z, JacobianTerm(model, plain.log_derivative).value(),
                                     Eigen::MatrixXd::Zero(n, k), Eigen::VectorXd::Zero(k)};
  Eigen::VectorXd z_gradient(k), one(k), reference = Eigen::VectorXd::Zero(k);
  double references = 0.0;
  for (int row = 0; row < static_cast<int>(n); ++row) {
    if (!model.is_reference(row)) continue;
    const int index = model.censored.index_of(row);
    const double y = index < 0 ? model.response[row] : model.censored.middle(index);
    model.transform.jet_gradient(y, lambda, z_gradient.data(), one.data());
    reference += one;
    references += 1.0;
    if (index >= 0) continue;
    result.z_gradient.row(row) = z_gradient.transpose();
    result.log_jacobian_gradient += one;
  }
  if (model.likelihood == Likelihood::integrated) {
    const double p = static_cast<double>(model.trend.basis().cols());
    result.log_jacobian_gradient -= p / references * reference;
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
