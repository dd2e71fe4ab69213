#include "btg/node/trend_estimate.hpp"

#include <optional>

#include "btg/base/error.hpp"
#include "btg/model/latent_response.hpp"
#include "btg/node/node.hpp"

namespace btg {

TrendEstimate estimate_trend(const Model& model, const double* eta) {
  const std::optional<KernelNode> node = kernel_node(model, eta);
  if (!node) throw Error("numerical", "The kernel matrix could not be factored.");
  const LatentFit fit = fit_latent(model, *node, complete_response(model, eta).z);
  const Eigen::Index p = fit.coefficients.size();
  const Eigen::MatrixXd root = model.trend.from_basis(
      node->trend_triangle.triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(p, p)));
  const double variance = fit.q / model.residual_count();
  return {model.trend.from_basis(fit.coefficients), variance * root * root.transpose(), variance};
}

}  // namespace btg
