// Joint draws of the response at several points. Given a node, the g(Y) are multivariate t,
//
//   z = m + sqrt(q / (n - p)) * S e / sqrt(chi2 / (n - p)),   S S' = C,
//   C = R** - k' K^-1 k + u' A^-1 u,   plus the noise on its diagonal for observations,
//
// with e standard normal. The profile of likelihood.hpp has n for the first n - p, and no chi2.
// Each coordinate then passes through the truncation of its margin, so that draws have the margins
// of the predictions, and through g^-1. Draws of the conditional mean are those of the process,
// with the mean over the noise instead of g^-1 (noisy_mean.hpp). They are not truncated.
//
// Large draws go block by block: a block is drawn given the process at points that were drawn
// before. Blocks are of the noise-free process, and noise is added to each point at the end.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "btg/predictive/censored_inverse.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/predictive/mixture.hpp"

namespace btg {

// Draw k uses node node[k], numbered over all models, the standard normals in column k of
// `normals`, and chi_square[k], a chi-square divided by its degrees of freedom. The first points
// have `known` standardised deviations and are not drawn again; normals belong to the others. With
// `noise`, the standard normals of the noise, the joint distribution is of the noise-free process.
struct DrawPlan {
  std::vector<int> node;
  Eigen::MatrixXd normals;
  Eigen::VectorXd chi_square;
  Eigen::MatrixXd known = {};
  Eigen::MatrixXd noise = {};
  std::optional<Censoring> of_mean = {};  // for draws of the conditional mean of observations
};

// One column per draw and one row per point that is drawn. Deviations are standardised, before the
// noise of the plan is added.
struct JointDraws {
  JointDraws(Eigen::Index points, Eigen::Index draws)
      : response(points, draws), deviation(points, draws) {}
  Eigen::MatrixXd response, deviation;
};

// Fills the columns of the draws that belong to this model, whose nodes are the columns of `etas`,
// numbered from `first` on. `cached` holds their groups; if empty, they are made here.
void joint_draws(const Model& model, const ModelNodes& nodes, const Eigen::MatrixXd& etas,
                 int first, const Points& data_points, const DrawPlan& plan,
                 const PreparedGroups& cached, JointDraws& draws);

}  // namespace btg
