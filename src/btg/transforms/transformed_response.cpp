#include "btg/transforms/transformed_response.hpp"

#include "btg/transforms/transform.hpp"

namespace btg {

TransformedResponse transform_response(const Composition& g, const Eigen::VectorXd& y,
                                       const double* lambda) {
  TransformedResponse response{Eigen::VectorXd(y.size()), 0};
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    const Jet jet = g.jet(y[i], lambda);
    response.z[i] = jet.value;
    response.log_jacobian += jet.log_derivative;
  }
  return response;
}

TransformedResponseGradient transform_response_gradient(const Composition& g,
                                                        const Eigen::VectorXd& y,
                                                        const double* lambda) {
  const Eigen::Index n = y.size(), k = g.size();
  TransformedResponseGradient response{Eigen::VectorXd(n), 0, Eigen::MatrixXd(n, k),
                                       Eigen::VectorXd::Zero(k)};
  Eigen::VectorXd z_gradient(k), log_derivative_gradient(k);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Jet jet = g.jet_gradient(y[i], lambda, z_gradient.data(), log_derivative_gradient.data());
    response.z[i] = jet.value;
    response.log_jacobian += jet.log_derivative;
    response.z_gradient.row(i) = z_gradient.transpose();
    response.log_jacobian_gradient += log_derivative_gradient;
  }
  return response;
}

}  // namespace btg
