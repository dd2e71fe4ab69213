// The maximum of a model's likelihood over its free hyperparameters, in their coordinates. Priors
// are not part of it: they only set where starts are looked for and how far a search may go.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/model/model.hpp"

namespace btg {

struct LikelihoodSearch {
  Eigen::VectorXd eta;  // where it ended
  double log_likelihood;
  double slope;  // the steepest that is left, in the coordinates and within the box
  bool converged;
  int evaluations;
};

struct LikelihoodMaximum {
  Eigen::VectorXd lower, upper;            // the box, for each hyperparameter; NaN if it is fixed
  std::vector<LikelihoodSearch> searches;  // in the order of their starts
};

// Searches first from the columns of `warm`, and if one of them converges from nowhere else: they
// are maxima of a likelihood much like this one. Else from the best `restarts` of the points that
// fill the middle of the priors.
LikelihoodMaximum maximise_likelihood(const Model& model, int restarts,
                                      const Eigen::MatrixXd& warm);

}  // namespace btg
