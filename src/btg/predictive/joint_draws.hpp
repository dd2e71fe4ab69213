// Joint draws of the response at several points: given a node, the g(Y) are multivariate t,
//
//   z = m + sqrt(q / (n - p)) * S e / sqrt(chi2 / (n - p)),   S S' = C,
//   C = R** - k' K^-1 k + u' A^-1 u,   and noise / weight on its diagonal for observations,
//
// with e standard normal; the profile of likelihood.hpp has n for the first n - p, and no chi2.
// Each coordinate is then taken through the truncation of its margin, so that draws have the
// margins of the predictions, and through g^-1.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/model/model.hpp"
#include "btg/node/predict.hpp"
#include "btg/predictive/mixture.hpp"

namespace btg {

// The lower triangle is the factor of the correlations of C. What rounding takes from the diagonal
// of C is given back, and more if that does not make it positive definite. At points that are
// nearly known, that is more than C itself; as rows have length 1, margins do not become wider by
// it.
inline Eigen::MatrixXd joint_factor(const Model& model, const KernelNode& node,
                                    const CrossBlock& block, const Eigen::MatrixXd& scaled_points,
                                    const Eigen::VectorXd& relative_noise) {
  const int m = static_cast<int>(scaled_points.rows()), d = static_cast<int>(scaled_points.cols());
  Eigen::MatrixXd c(m, m);
  model.compute->gram(block.whitened.data(), static_cast<int>(block.whitened.rows()), m, c.data());
  model.execution.check();
  {
    Eigen::MatrixXd correlation(m, m);
    model.kernel->correlation(scaled_points.data(), m, d, model.product, correlation.data());
    c.triangularView<Eigen::Lower>() = correlation - c;
  }
  c.selfadjointView<Eigen::Lower>().rankUpdate(block.trend_error.transpose(), 1.0);
  c.diagonal() += node.noise * relative_noise;
  for (const double jitter : {1e-12, 1e-10, 1e-8, 1e-6}) {
    Eigen::MatrixXd factor = c;
    factor.diagonal().array() += jitter * (1.0 + node.noise);
    if (model.compute->cholesky(factor.data(), m) != 0) continue;
    for (int a = 0; a < m; ++a) factor.row(a).head(a + 1).normalize();
    return factor;
  }
  throw Error("numerical", "The covariance of a joint draw could not be factored.");
}

// Draw k is of node node_of_draw[k], with standard normals in column k of `normals` (points x
// draws) and chi_square[k] of the model's degrees of freedom, divided by them. Columns of the
// result are draws. `relative_noise` is as in node_predict.hpp.
inline Eigen::MatrixXd joint_draws(const Model& model, const StudentT& t, const NodeBlock& nodes,
                                   const Eigen::MatrixXd& etas, const Eigen::MatrixXd& points,
                                   const Eigen::MatrixXd& trend,
                                   const Eigen::VectorXd& relative_noise,
                                   const std::vector<int>& node_of_draw,
                                   const Eigen::MatrixXd& normals,
                                   const Eigen::VectorXd& chi_square) {
  const Eigen::MatrixXd trend_points = model.trend.to_basis(trend);
  const Eigen::Index m = points.rows();
  Eigen::MatrixXd draws(m, normals.cols());
  std::vector<std::vector<int>> draws_of_node(etas.cols());
  for (std::size_t k = 0; k < node_of_draw.size(); ++k) {
    draws_of_node[node_of_draw[k]].push_back(static_cast<int>(k));
  }
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
    const Eigen::MatrixXd scaled = divide_by_length_scales(model, points, eta);
    const CrossBlock block = cross_block(*model.compute, *model.kernel, model.product, *node,
                                         scaled, trend_points, relative_noise);
    const LatentFit fit = fit_latent(
        model, *node,
        transform_response(model.transform, model.response, eta + model.transform_index()).z);
    const Eigen::VectorXd location = predictive_location(block, fit);
    const Eigen::VectorXd scale = predictive_scale(block, fit, model.likelihood);
    model.execution.check();
    const Eigen::MatrixXd factor = joint_factor(model, *node, block, scaled, relative_noise);
    const MixtureNodes alone(t, {NodeBlock(nodes.g, nodes.theta.col(i), nodes.shift, nodes.unit)});
    const std::vector<int>& mine = draws_of_node[i];
    const Eigen::Index count = static_cast<Eigen::Index>(mine.size()), most = 64;
    Eigen::MatrixXd deviations(m, count);
    for (Eigen::Index k = 0; k < count; ++k) {
      deviations.col(k) = normals.col(mine[k]) / std::sqrt(chi_square[mine[k]]);
    }
    for (Eigen::Index first = 0; first < count; first += most) {
      model.execution.check();
      Eigen::Ref<Eigen::MatrixXd> some =
          deviations.middleCols(first, std::min(most, count - first));
      some = factor.triangularView<Eigen::Lower>() * some;
    }
    for (Eigen::Index a = 0; a < m; ++a) {
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
