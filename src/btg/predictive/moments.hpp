// Mean and variance of a predictive mixture, node by node; E h(Y) is an integral over Student's t.
// They exist only if the tails of g^-1 grow slowly enough.
#pragma once

#include "btg/predictive/censored_inverse.hpp"
#include "btg/predictive/mixture.hpp"

namespace btg {

// NaN if a moment does not exist.
struct MeanVariance {
  double mean, variance;
};

// True if moments of this order exist at every node.
bool moment_exists(const Mixture& mixture, const Censoring& censoring, int order);

// Moments of Y; `origin` is a y in the middle of the distribution.
MeanVariance mean_variance(const Mixture& mixture, double origin, const Censoring& censoring);

}  // namespace btg
