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
#include <vector>

#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "btg/predictive/mixture.hpp"

namespace btg {

// Draw k is of node node[k], numbered over all models, with standard normals in column k of
// `normals` (points x draws) and chi_square[k] of the degrees of freedom, divided by them.
struct DrawPlan {
  std::vector<int> node;
  Eigen::MatrixXd normals;
  Eigen::VectorXd chi_square;
};

// Fills the columns of those draws whose nodes are this model's: the columns of `etas`, from
// number `first` on.
void joint_draws(const Model& model, const ModelNodes& nodes, const Eigen::MatrixXd& etas,
                 int first, const Points& points, const DrawPlan& plan, Eigen::MatrixXd& draws);

}  // namespace btg
