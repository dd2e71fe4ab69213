// Joint draws of the response at several points. Given a node, the g(Y) are multivariate t,
//
//   z = m + sqrt(q / (n - p)) * S e / sqrt(chi2 / (n - p)),   S S' = C,
//   C = R** - k' K^-1 k + u' A^-1 u,   plus the noise on its diagonal for observations,
//
// with e standard normal. The profile of likelihood.hpp has n for the first n - p, and no chi2.
// Each coordinate then passes through the truncation of its margin, so that draws have the margins
// of the predictions, and through g^-1.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "btg/predictive/mixture.hpp"

namespace btg {

// Draw k uses node node[k], numbered over all models, the standard normals in column k of `normals`
// (points x draws), and chi_square[k], a chi-square divided by its degrees of freedom.
struct DrawPlan {
  std::vector<int> node;
  Eigen::MatrixXd normals;
  Eigen::VectorXd chi_square;
};

// Fills the columns of the draws that belong to this model, whose nodes are the columns of `etas`,
// numbered from `first` on.
void joint_draws(const Model& model, const ModelNodes& nodes, const Eigen::MatrixXd& etas,
                 int first, const Points& points, const DrawPlan& plan, Eigen::MatrixXd& draws);

}  // namespace btg
