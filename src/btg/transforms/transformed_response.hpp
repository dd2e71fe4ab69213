// The response on the latent scale, with its log Jacobian and gradients.
#pragma once

#include <Eigen/Core>

#include "btg/transforms/compose.hpp"

namespace btg {

struct TransformedResponse {
  Eigen::VectorXd z;    // g(y_i)
  double log_jacobian;  // sum_i log g'(y_i)
};

struct TransformedResponseGradient {
  Eigen::VectorXd z;
  double log_jacobian;
  Eigen::MatrixXd z_gradient;             // n x k: dz_i / dtheta_j
  Eigen::VectorXd log_jacobian_gradient;  // k
};

TransformedResponse transform_response(const Composition& g, const Eigen::VectorXd& y,
                                       const double* lambda);

TransformedResponseGradient transform_response_gradient(const Composition& g,
                                                        const Eigen::VectorXd& y,
                                                        const double* lambda);

}  // namespace btg
