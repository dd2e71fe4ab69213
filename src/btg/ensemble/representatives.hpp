// Selects few nodes that predict like all nodes of an ensemble (empirical cubature): positive
// weights x on some nodes i such that
//
//   sum_i x_i (F_i(y) - p) / (f(y) s)
//
// the change of a predictive quantile y in standard deviations s, to first order, is small at
// `matched` probes. Here F_i are the cdfs of the nodes, and f is the density of the mixture of all.
// Left-out predictions of rows of the data stay too: without row j the mixture has weights x_i
// r_ij, normalised, where r_ij is the likelihood ratio of fold_weights.hpp. Other probes check the
// result.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/model/points.hpp"
#include "btg/predictive/law.hpp"
#include "btg/predictive/mixture.hpp"
#include "btg/validation/cross_validate.hpp"

namespace btg {

struct RepresentPlan {
  Points probes;
  std::vector<char> checks;  // per probe: 1 if it checks the result, 2 if it is matched but its
                             // error does not count, else 0
  std::vector<int> rows;     // rows whose left-out predictions are matched
  bool joint = true;         // see LeaveOutPlan
  AnswerOptions options;     // with the variances of the weights
  // Limits of the change of interval ends, in predictive standard deviations: a share of the
  // quadrature's own standard error, or the least of such limits if that is larger. The limit of
  // the change of left-out log scores. All are root mean squares.
  double share = 0.5, least = 0.005, scores = 0.01;
};

struct Representatives {
  Eigen::VectorXd weights;    // of all nodes; each model keeps its sum
  Eigen::VectorXd variances;  // of the weights, scaled so that errors include the change
  double own_error = 0.0;     // mean standard error of interval ends with all nodes
  double error = 0.0;         // with the change
  double change = 0.0;        // of interval ends at checks
  double score_change = 0.0;  // of left-out log scores
  bool reduced = false;       // false if all nodes are needed
};

// Predictions of all nodes. `sizes` counts the nodes of each model.
struct NodePredictions {
  const MixtureNodes& nodes;
  Eigen::VectorXd weights;
  std::vector<int> sizes;
  Eigen::MatrixXd location, scale;  // nodes x probes
  const LeftOutMixtures* left_out;  // or null
  Eigen::VectorXd response;         // of the rows that can be left out
};

Representatives represent(const NodePredictions& all, const RepresentPlan& plan);

}  // namespace btg
