// The response of a model on the latent scale, z = g(y), with log g'(y) of the rows that are exact.
#pragma once

#include <Eigen/Core>

#include "btg/model/model.hpp"
#include "btg/transforms/transformed_response.hpp"

namespace btg {

struct LatentResponse {
  Eigen::VectorXd z;
  // Nonzero for reference rows only: at the response, or in the middle of the limits of a censored
  // row.
  Eigen::VectorXd log_derivative;
};

// The part of the log likelihood that follows from g',
//
//   sum of log g' over exact rows - p/n sum over reference rows,
//
// or the first sum alone for a profile. The second is from the prior of beta and tau, in which the
// geometric mean of g' makes up for the scale of g. Rows count as references if their response is
// exact or has two finite limits, so that narrow limits and exact responses have the same prior.
class JacobianTerm {
 public:
  JacobianTerm(const Model& model, const Eigen::VectorXd& log_derivative);

  void leave_out(int row);
  double value() const;

 private:
  const Model& model_;
  const Eigen::VectorXd& log_derivative_;
  double exact_ = 0.0, reference_ = 0.0, references_ = 0.0;
};

// Censored rows have a placeholder, the mean of the others.
LatentResponse exact_response(const Model& model, const double* eta);

// The same with gradients in lambda, which are 0 for z of censored rows. Here `log_jacobian` is the
// Jacobian's term.
TransformedResponseGradient exact_response_gradient(const Model& model, const double* eta);

// Censored rows have the latent responses of the node `eta`.
LatentResponse complete_response(const Model& model, const double* eta);

}  // namespace btg
