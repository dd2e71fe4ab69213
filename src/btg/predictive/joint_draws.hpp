// Joint draws of the response at several points: given a node, the g(Y) are multivariate t,
//
//   z = m + sqrt(q / (n - p)) * S e / sqrt(chi2 / (n - p)),   S S' = C,
//   C = R** - k' K^-1 k + u' A^-1 u,   and the noise on its diagonal for observations,
//
// with e standard normal; the profile of likelihood.hpp has n for the first n - p, and no chi2.
// Each coordinate is then taken through the truncation of its margin, so that draws have the
// margins of the predictions, and through g^-1.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "btg/node/predict.hpp"
#include "btg/predictive/mixture.hpp"
#include "btg/transforms/transformed_response.hpp"

namespace btg {

// Draw k is of node node[k], with standard normals in column k of `normals` (points x draws) and
// chi_square[k] of the model's degrees of freedom, divided by them.
struct DrawPlan {
  std::vector<int> node;
  Eigen::MatrixXd normals;
  Eigen::VectorXd chi_square;

  // The draws of each of `nodes` nodes.
  std::vector<std::vector<int>> draws_of_nodes(Eigen::Index nodes) const {
    std::vector<std::vector<int>> draws(nodes);
    for (std::size_t k = 0; k < node.size(); ++k) draws[node[k]].push_back(static_cast<int>(k));
    return draws;
  }
};

// The lower triangle is the factor of the correlations of C. What rounding takes from the diagonal
// of C is given back, and more if that does not make it positive definite. At points that are
// nearly known, that is more than C itself; as rows have length 1, margins do not become wider by
// it.
inline Eigen::MatrixXd joint_factor(const Model& model, const CrossBlock& block) {
  Eigen::MatrixXd c = block.terms->covariance();
  const int m = static_cast<int>(c.rows());
  model.execution.check();
  c.selfadjointView<Eigen::Lower>().rankUpdate(block.trend_error.transpose(), 1.0);
  c.diagonal() += block.noise;
  for (const double jitter : {1e-12, 1e-10, 1e-8, 1e-6}) {
    Eigen::MatrixXd factor = c;
    factor.diagonal().array() += jitter * (1.0 + block.noise.maxCoeff());
    if (model.compute->cholesky(factor.data(), m) != 0) continue;
    for (int a = 0; a < m; ++a) factor.row(a).head(a + 1).normalize();
    return factor;
  }
  throw Error("numerical", "The covariance of a joint draw could not be factored.");
}

// The correlated deviations of the draws `mine`, one column each.
inline Eigen::MatrixXd joint_deviations(const Model& model, const Eigen::MatrixXd& factor,
                                        const DrawPlan& plan, const std::vector<int>& mine) {
  const Eigen::Index count = static_cast<Eigen::Index>(mine.size()), most = 64;
  Eigen::MatrixXd deviations(factor.rows(), count);
  for (Eigen::Index k = 0; k < count; ++k) {
    deviations.col(k) = plan.normals.col(mine[k]) / std::sqrt(plan.chi_square[mine[k]]);
  }
  for (Eigen::Index first = 0; first < count; first += most) {
    model.execution.check();
    Eigen::Ref<Eigen::MatrixXd> some = deviations.middleCols(first, std::min(most, count - first));
    some = factor.triangularView<Eigen::Lower>() * some;
  }
  return deviations;
}

// Columns of the result are draws.
inline Eigen::MatrixXd joint_draws(const Model& model, const NodeBlock& nodes,
                                   const Eigen::MatrixXd& etas, const Points& points,
                                   const DrawPlan& plan) {
  const StudentT t(model.degrees_of_freedom());
  Eigen::MatrixXd draws(points.size(), plan.normals.cols());
  const std::vector<std::vector<int>> draws_of_node = plan.draws_of_nodes(etas.cols());
  std::vector<int> used;
  for (int i = 0; i < etas.cols(); ++i) {
    if (!draws_of_node[i].empty()) used.push_back(i);
  }
  parallel_for(static_cast<long>(used.size()), model.execution, [&](long j) {
    const int i = used[j];
    const double* eta = etas.col(i).data();
    const std::optional<KernelNode> node = kernel_node(model, eta);
    if (!node) throw Error("numerical", "The kernel matrix of a kept node could not be factored.");
    model.execution.check();
    const CrossBlock block = cross_block(model, PredictingNode(*node), eta, points);
    const Eigen::VectorXd z =
        transform_response(model.transform, model.response, model.lambda(eta)).z;
    const PredictingFit fit(*node, fit_latent(model, *node, z));
    const Eigen::VectorXd location = predictive_location(block, fit);
    const Eigen::VectorXd scale = predictive_scale(block, fit, model.likelihood);
    model.execution.check();
    const std::vector<int>& mine = draws_of_node[i];
    const Eigen::MatrixXd deviations =
        joint_deviations(model, joint_factor(model, block), plan, mine);
    const MixtureNodes alone(t, {NodeBlock(nodes.g, nodes.lambda.col(i), nodes.shift, nodes.unit)});
    for (Eigen::Index a = 0; a < points.size(); ++a) {
      model.execution.check();
      const Mixture margin(alone, location.segment(a, 1), scale.segment(a, 1),
                           Eigen::VectorXd::Ones(1));
      for (std::size_t k = 0; k < mine.size(); ++k) {
        const double x = deviations(a, static_cast<Eigen::Index>(k));
        draws(a, mine[k]) = margin.component_quantile(0, t.cdf(x), x);
      }
    }
  });
  return draws;
}

}  // namespace btg
