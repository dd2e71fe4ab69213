#include "btg/predictive/joint_draws.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "btg/base/error.hpp"
#include "btg/base/parallel.hpp"
#include "btg/node/node.hpp"
#include "btg/node/predict.hpp"
#include "btg/numerics/student_t.hpp"
#include "btg/transforms/transformed_response.hpp"

namespace btg {

namespace {

// Factors the correlations of C in the lower triangle. The noise-free process at many close points
// is singular to rounding, so the diagonal is raised by the level of rounding, or more until C is
// positive definite. Rows are normalised to length 1, so margins do not widen.
Eigen::MatrixXd joint_factor(const Model& model, const CrossPoints& cross) {
  Eigen::MatrixXd c = cross.terms->covariance();
  const int m = static_cast<int>(c.rows());
  model.execution.check();
  c.selfadjointView<Eigen::Lower>().rankUpdate(cross.trend_error.transpose(), 1.0);
  c.diagonal() += cross.noise;
  const double rounding =
      smallest_pivot(std::max<Eigen::Index>(m, model.site_count()), 1.0 + cross.noise.maxCoeff());
  for (const double times : {1.0, 1e2, 1e4, 1e6}) {
    Eigen::MatrixXd factor = c;
    factor.diagonal().array() += times * rounding;
    if (model.compute->cholesky(factor.data(), m) != 0) continue;
    for (int a = 0; a < m; ++a) factor.row(a).head(a + 1).normalize();
    return factor;
  }
  throw Error("numerical", "The covariance of a joint draw could not be factored.");
}

// Correlated deviations of the draws `mine`, one per column.
Eigen::MatrixXd joint_deviations(const Model& model, const Eigen::MatrixXd& factor,
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

}  // namespace

void joint_draws(const Model& model, const ModelNodes& nodes, const Eigen::MatrixXd& etas,
                 int first, const Points& points, const DrawPlan& plan, Eigen::MatrixXd& draws) {
  std::map<int, std::vector<int>> draws_of_node;
  for (std::size_t k = 0; k < plan.node.size(); ++k) {
    const int i = plan.node[k] - first;
    if (i >= 0 && i < etas.cols()) draws_of_node[i].push_back(static_cast<int>(k));
  }
  const std::vector<std::pair<int, std::vector<int>>> used(draws_of_node.begin(),
                                                           draws_of_node.end());
  const StudentT t(model.degrees_of_freedom());
  parallel_for(static_cast<long>(used.size()), model.execution, [&](long j) {
    // cppcheck-suppress containerOutOfBounds  // not called if there are none
    const auto& [i, mine] = used[j];
    const double* eta = etas.col(i).data();
    const std::optional<KernelNode> node = kernel_node(model, eta);
    if (!node) throw Error("numerical", "The kernel matrix of a kept node could not be factored.");
    model.execution.check();
    const CrossPoints cross = cross_points(model, PredictingNode(*node), eta, points);
    const Eigen::VectorXd z =
        transform_response(model.transform, model.response, model.lambda(eta)).z;
    const PredictingFit fit(*node, fit_latent(model, *node, z));
    const Eigen::VectorXd location = predictive_location(cross, fit);
    const Eigen::VectorXd scale = predictive_scale(cross, fit, model.likelihood);
    model.execution.check();
    const Eigen::MatrixXd deviations =
        joint_deviations(model, joint_factor(model, cross), plan, mine);
    const MixtureNodes alone(t,
                             {ModelNodes(nodes.g, nodes.lambda.col(i), nodes.shift, nodes.scale)});
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
}

}  // namespace btg
