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
#include <cmath>
#include <vector>

#include "btg/model/points.hpp"
#include "btg/predictive/law.hpp"
#include "btg/predictive/mixture.hpp"
#include "btg/validation/cross_validate.hpp"

namespace btg {

// How a probe serves: its predictions are matched, or they check how far predictions move.
enum class Probe { matched, check, process_matched, process_check };

struct RepresentPlan {
  Points probes;
  std::vector<Probe> uses;  // of each probe; those of the noise-free process have their own limit
  std::vector<double> importance;  // of each probe: a factor of its changes and errors
  std::vector<int> rows;           // rows whose left-out predictions are matched
  bool joint = true;               // see LeaveOutPlan
  AnswerOptions options;           // with the variances of the weights
};

// Limits of the change of interval ends, in predictive standard deviations: a share of the
// quadrature's own standard error, or `least` if that is larger. Changes and errors are root mean
// squares.
struct ChangeLimit {
  double share, least;
  double operator()(double own_error) const { return std::fmax(share * own_error, least); }
};
constexpr ChangeLimit observation_limit{0.25, 0.003};
// Intervals of the process are narrower, so the same shift is a larger part of their width.
constexpr ChangeLimit process_limit{1.0, 0.02};
constexpr double score_limit = 0.01;  // of the change of left-out log scores

struct Representatives {
  Eigen::VectorXd weights;    // of all nodes; each model keeps its sum
  Eigen::VectorXd variances;  // of the weights, scaled so that errors include the change
  double own_error = 0.0;     // mean standard error of interval ends with all nodes
  double error = 0.0;         // with the change
  double change = 0.0;        // of interval ends at checks
  double process_change = 0.0;
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
