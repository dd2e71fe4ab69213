// The trend and the scale at one value of the hyperparameters, for those who want to see them.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "btg/base/error.hpp"
#include "btg/model/model.hpp"
#include "btg/node/node.hpp"
#include "btg/transforms/transformed_response.hpp"

namespace btg {

struct TrendEstimate {
  Eigen::VectorXd coefficients;  // beta, of the columns of M
  Eigen::MatrixXd covariance;    // of beta: A^-1 / tau
  double variance;               // of the process: 1 / tau = q / nu, see likelihood.hpp
};

// A = (T R)' (T R), with T of node.hpp and R of trend.hpp.
inline TrendEstimate estimate_trend(const Model& model, const double* eta) {
  const std::optional<KernelNode> node = kernel_node(model, eta);
  if (!node) throw Error("numerical", "The kernel matrix could not be factored.");
  const TransformedResponse g =
      transform_response(model.transform, model.response, model.lambda(eta));
  const LatentFit fit = fit_latent(model, *node, g.z);
  const Eigen::Index p = fit.coefficients.size();
  const Eigen::MatrixXd root = model.trend.from_basis(
      node->trend_triangle.triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(p, p)));
  const double variance = fit.q / model.residual_count();
  return {model.trend.from_basis(fit.coefficients), variance * root * root.transpose(), variance};
}

}  // namespace btg
