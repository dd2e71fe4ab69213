// Estimates the error of predictions by the block factor. Some sites are left out in turn, and
// moved halfway to a near site in the columns with many values, so that they are like new points.
// They are predicted as new points are, and again from the several hundred sites nearest to them.
// The second prediction takes the place of the exact one. It uses the inducing functions or not,
// whichever leaves less variance: without them it can err only by what more sites would add.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "btg/factor/block_structure.hpp"
#include "btg/factor/factor.hpp"

namespace btg {

struct MeanAndWorst {
  double mean = 0.0, worst = 0.0;
};

struct PredictionError {
  MeanAndWorst process;      // absolute relative error of the sd of the process
  MeanAndWorst observation;  // the same for an observation
  MeanAndWorst location;     // absolute error of the location, in sds of the process
};

// Compromises: more points reduce Monte Carlo error, more sites bias; both cost time.
struct PredictionErrorOptions {
  int points = 120;
  int sites = 500;  // at least this, and twice those of a default prediction
  std::uint64_t seed = 0;
};

// `residual` is prepared as in CrossTerms, and `sd` is the standard deviation of the process in the
// same units. `noise` is the variance of an observation's noise at each site, relative to the
// process.
PredictionError prediction_error(const BlockStructure& structure, const Factor& factor,
                                 const Eigen::MatrixXd& inputs, const Eigen::VectorXd& residual,
                                 double sd, const Eigen::VectorXd& noise,
                                 const PredictionErrorOptions& options = {});

}  // namespace btg
