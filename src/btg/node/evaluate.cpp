#include "btg/node/evaluate.hpp"

#include <limits>

#include "btg/transforms/transformed_response.hpp"

namespace btg {

std::vector<NodeGroup> group_nodes(const Model& model, const Eigen::MatrixXd& etas) {
  const int size = model.hyperparameters.covariance_size();
  std::vector<NodeGroup> groups;
  for (Eigen::Index i = 0; i < etas.cols(); ++i) {
    if (i > 0 && etas.col(i).head(size) == etas.col(i - 1).head(size)) {
      ++groups.back().count;
    } else {
      groups.push_back({i, 1});
    }
  }
  return groups;
}

Eigen::VectorXd evaluate(const Model& model, const Eigen::MatrixXd& etas) {
  Eigen::VectorXd result =
      Eigen::VectorXd::Constant(etas.cols(), -std::numeric_limits<double>::infinity());
  for_each_group(model, etas, [&](const KernelNode* node, const NodeGroup& group) {
    if (!node) return;
    for (Eigen::Index i = group.first; i < group.first + group.count; ++i) {
      model.execution.check();
      const TransformedResponse g =
          transform_response(model.transform, model.response, model.lambda(etas.col(i).data()));
      if (!g.z.allFinite()) continue;
      result[i] =
          log_marginal(*node, fit_latent(model, *node, g.z), g.log_jacobian, model.likelihood);
    }
  });
  return result;
}

}  // namespace btg
