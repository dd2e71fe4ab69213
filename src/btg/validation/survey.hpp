// Predictions of all nodes of a model, at new points and of rows of the data without themselves,
// from one factor per kernel node.
#pragma once

#include <Eigen/Core>

#include "btg/model/folds.hpp"
#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/validation/left_out.hpp"

namespace btg {

struct Survey {
  LatentValues at_points;
  LeftOut left_out;
};

// The columns of `etas` are nodes. `folds` may be of some rows, or none.
Survey survey(const Model& model, const Eigen::MatrixXd& etas, const Points& data_points,
              const Folds& folds);

}  // namespace btg
