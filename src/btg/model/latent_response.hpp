// The response of a model on the latent scale, z = g(y), with log g'(y) of the rows that are exact.
#pragma once

#include <Eigen/Core>

#include "btg/model/model.hpp"
#include "btg/transforms/transformed_response.hpp"

namespace btg {

struct LatentResponse {
  Eigen::VectorXd z;
  Eigen::VectorXd log_derivative;  // 0 for censored rows
};

// Censored rows have a placeholder, the mean of the others.
LatentResponse exact_response(const Model& model, const double* eta);

// The same with gradients in lambda, which are 0 for censored rows.
TransformedResponseGradient exact_response_gradient(const Model& model, const double* eta);

// Censored rows have the latent responses of the node `eta`.
LatentResponse complete_response(const Model& model, const double* eta);

}  // namespace btg
