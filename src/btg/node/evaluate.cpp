#include "btg/node/evaluate.hpp"

#include <limits>
#include <memory>

#include "btg/model/latent_response.hpp"
#include "btg/node/completion.hpp"

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

namespace {

// Calls value(node, group) for each group, which returns the log likelihood as a function of eta.
template <class Value>
Eigen::VectorXd evaluate_by(const Model& model, const Eigen::MatrixXd& etas, Value value) {
  Eigen::VectorXd result =
      Eigen::VectorXd::Constant(etas.cols(), -std::numeric_limits<double>::infinity());
  for_each_group(model, etas, [&](const KernelNode* node, const NodeGroup& group) {
    if (!node) return;
    const auto at = value(*node);
    for (Eigen::Index i = group.first; i < group.first + group.count; ++i) {
      model.execution.check();
      result[i] = at(etas.col(i).data());
    }
  });
  return result;
}

double log_marginal_of(const Model& model, const KernelNode& node, const LatentResponse& response) {
  if (!response.z.allFinite()) return -std::numeric_limits<double>::infinity();
  return log_marginal(node, fit_latent(model, node, response.z),
                      JacobianTerm(model, response.log_derivative).value(), model.likelihood);
}

}  // namespace

Eigen::VectorXd evaluate(const Model& model, const Eigen::MatrixXd& etas) {
  if (model.censored.empty()) return evaluate_complete(model, etas);
  return evaluate_by(model, etas, [&](const KernelNode& node) {
    const auto rows = std::make_shared<const CensoredRows>(model, node);
    return [&model, &node, rows](const double* eta) {
      return complete(model, node, *rows, eta, model.censored.points()).log_marginal;
    };
  });
}

Eigen::VectorXd evaluate_complete(const Model& model, const Eigen::MatrixXd& etas) {
  return evaluate_by(model, etas, [&](const KernelNode& node) {
    return [&](const double* eta) {
      return log_marginal_of(model, node, complete_response(model, eta));
    };
  });
}

}  // namespace btg
