// Maximises the likelihood over the free hyperparameters, in their coordinates. Priors only
// determine the starts and the box, not the objective.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/model/model.hpp"

namespace btg {

struct LikelihoodSearch {
  Eigen::VectorXd eta;  // where it ended
  double log_likelihood;
  double slope;  // steepest remaining, in the coordinates and within the box
  bool converged;
  int evaluations;
};

struct LikelihoodMaximum {
  Eigen::VectorXd lower, upper;            // the box, per hyperparameter; NaN if fixed
  std::vector<LikelihoodSearch> searches;  // in the order of their starts
};

// Searches first from the columns of `warm`, maxima of a similar likelihood, and stops there if one
// converges. Otherwise it searches from the best `restarts` of points that fill the middle of the
// priors.
LikelihoodMaximum maximise_likelihood(const Model& model, int restarts,
                                      const Eigen::MatrixXd& warm);

}  // namespace btg
