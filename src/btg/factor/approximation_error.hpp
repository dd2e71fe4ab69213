// Estimates how far the block factor's model of the data is from the exact model; errors of
// predictions are those of prediction_error.hpp. Given the coefficients w of
// the inducing functions, both models factor over sites with conditional variances d_i in C, given
// all earlier sites or only those of the structure. Their divergence is 1/2 sum_i log(d_i of the
// structure / d_i given all), an upper bound on the divergence without w. It is estimated from some
// sites, with a few hundred nearest earlier sites in place of all.
//
// The maximum of the likelihood moves too, by S s, where S is the posterior covariance and s the
// difference of the two scores there. The structure's score sums scores of conditional densities,
// so it is unbiased; s has mean nearly 0, and its covariance is n times the covariance of the
// difference at one site. It is estimated from data drawn at the same sites. Since the scale of the
// process is estimated too, scores are along covariances C rescaled to keep the mean of log d_i.
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
  double standard_error = 0.0;  // of the divergence, due to sampling sites
  Eigen::MatrixXd score;        // covariance of s, for the covariances of `moved`
};

// Compromises: more sites and draws reduce Monte Carlo error, more neighbours bias; all cost time.
struct ErrorOptions {
  int sites = 300;
  int neighbours = 200;  // at least this, and twice the members of a block
  int draws = 4;         // data sets per site, for the scores
  std::uint64_t seed = 0;
};

// A covariance and the noise at each site, moved from the first by `step` in one coordinate.
struct MovedCovariance {
  Covariance covariance;
  Eigen::VectorXd noise;
  double step = 0.0;
};
// Evaluated at `here`; `moved` holds nearby covariances, one per coordinate of the scores.
ApproximationError approximation_error(const std::shared_ptr<const BlockStructure>& structure,
                                       const Eigen::MatrixXd& inputs, const MovedCovariance& here,
                                       const std::vector<MovedCovariance>& moved,
                                       const Execution& execution,
                                       const ErrorOptions& options = {});

}  // namespace btg
