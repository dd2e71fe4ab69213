// Estimates the trend and the scale at one value of the hyperparameters, for reporting.
#pragma once

#include <Eigen/Core>

#include "btg/model/model.hpp"

namespace btg {

struct TrendEstimate {
  Eigen::VectorXd coefficients;  // beta, for the columns of M
  Eigen::MatrixXd covariance;    // of beta: A^-1 / tau
  double variance;               // of the process: 1 / tau = q / nu (see likelihood.hpp)
};

// A = (T R)' (T R), with T of node.hpp and R of trend.hpp. `eta` is a node, with latent responses.
TrendEstimate estimate_trend(const Model& model, const double* eta);

}  // namespace btg
