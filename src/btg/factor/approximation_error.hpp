// How far the model of the block factor is from the one it stands for. Given the coefficients w of
// the inducing functions, the sites of either model come one after the other with conditional
// variances d_i in C: given all earlier sites, or those of the structure. The divergence of the two
// is 1/2 sum_i log(d_i of the structure / d_i given all), and at least that of the models without
// w. It is estimated from some sites, with "all" the nearest few hundred of the earlier ones.
//
// The maximum of the likelihood moves as well: by S s, where S is the posterior covariance and s
// the difference of the scores of either model at it. The score of the structure is that of
// conditional densities, and right on the average; so s has mean 0 (nearly), and its covariance is
// that of the differences at each site, times n. It is estimated from data drawn at the same sites.
// The scale of the process is estimated too: with it, scores are those along covariances C that are
// divided by a number so that the mean of log d_i stays.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <vector>

#include "btg/base/parallel.hpp"
#include "btg/factor/block_structure.hpp"
#include "btg/factor/covariance.hpp"

namespace btg {

struct ApproximationError {
  double divergence = 0.0;      // nats
  double standard_error = 0.0;  // of it, as not all sites are looked at
  double inflation = 0.0;       // of the conditional sd, as a share of it
  Eigen::MatrixXd score;        // covariance of s, for the covariances of `moved`
};

struct ErrorOptions {
  int sites = 300;
  int neighbours = 200;  // at least, and twice as many as a block has members
  int draws = 4;         // of data at each site, for the scores
  std::uint64_t seed = 0;
};

// A covariance with its noise at each site, moved from the first by `step` in one coordinate.
struct MovedCovariance {
  Covariance covariance;
  Eigen::VectorXd noise;
  double step = 0.0;
};
// At `here`; `moved` are covariances near it, for the scores in those coordinates.
ApproximationError approximation_error(const std::shared_ptr<const BlockStructure>& structure,
                                       const Eigen::MatrixXd& inputs, const MovedCovariance& here,
                                       const std::vector<MovedCovariance>& moved,
                                       const Execution& execution,
                                       const ErrorOptions& options = {});

}  // namespace btg
