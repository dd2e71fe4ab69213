// Draws from the prior of a model at given points, with a given location and scale:
//
//   g(Y) = location + scale * z / s,   z ~ N(0, R + diag(v / w)),   s^2 = mean of the variances of
//   z.
//
// The priors of the trend's coefficients and of tau are improper, so that they cannot be drawn.
#pragma once

#include <Eigen/Core>

#include "btg/model/model.hpp"
#include "btg/model/points.hpp"

namespace btg {

struct PriorPlan {
  Eigen::MatrixXd normals;          // points x draws
  Eigen::VectorXd location, scale;  // of each draw
};

// One draw per column, for the hyperparameters in each column of `etas`. Values beyond the image of
// the transform are moved to its end.
Eigen::MatrixXd prior_draws(const Model& model, const Eigen::MatrixXd& etas, const Points& points,
                            const PriorPlan& plan);

}  // namespace btg
