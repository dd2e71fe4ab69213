#include "btg/node/trend_estimate.hpp"

#include <optional>

#include "btg/base/error.hpp"
#include "btg/node/node.hpp"
#include "btg/transforms/transformed_response.hpp"

namespace btg {

TrendEstimate estimate_trend(const Model& model, const double* eta) {
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
