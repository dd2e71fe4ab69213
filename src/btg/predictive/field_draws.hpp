// Joint draws at many points, for means, totals and maxima over them. They have the distribution of
// joint_draws.hpp, but
//
//   - the covariance has a root of low rank, see low_rank_root.hpp;
//   - a draw is a point of a scrambled Sobol sequence, which chooses the node, the chi-square and
//     the first normals; other normals are pseudo-random;
//   - the first normals belong to the given totals: the root is rotated such that the first column
//     has the whole covariance with the first total, and so on.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/predictive/mixture.hpp"

namespace btg {

// Each replicate has the points first, ..., first + count - 1 of a Sobol sequence that is scrambled
// by itself. Replicates are independent, so their spread shows the error of all.
struct FieldPlan {
  int replicates = 1, count = 1, first = 0;
  std::uint64_t seed = 0;
  double share = 0.002;    // of the variance that is not in the root: see low_rank_root()
  Eigen::MatrixXd totals;  // points x totals, the weights of points; may have no columns
};

// The Sobol points of all draws, one column each.
struct FieldPoints {
  FieldPoints(const FieldPlan& plan, const Eigen::VectorXd& weights, double degrees_of_freedom);
  std::vector<int> node;
  Eigen::VectorXd chi_square;  // divided by its degrees of freedom
  Eigen::MatrixXd normals;
};

struct FieldDraws {
  Eigen::MatrixXd response;  // points x draws
  std::vector<int> node;     // of each draw
  int rank = 0;              // the largest rank of a root
};

// Fills the columns of the draws that belong to this model, as joint_draws() does.
void field_draws(const Model& model, const ModelNodes& nodes, const Eigen::MatrixXd& etas,
                 int first, const Points& points, const FieldPlan& plan,
                 const FieldPoints& sequence, const PreparedGroups& cached, FieldDraws& draws);

}  // namespace btg
