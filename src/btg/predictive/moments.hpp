// Mean and variance of a predictive mixture, node by node; E h(Y) is an integral over Student's t.
// They exist only if the tails of g^-1 grow slowly enough.
#pragma once

#include "btg/predictive/mixture.hpp"
#include "btg/transforms/transform.hpp"

namespace btg {

// NaN if a moment does not exist.
struct MeanVariance {
  double mean, variance;
};

// Moments of Y clamped to `within`; `origin` is a y in the middle of the distribution.
MeanVariance mean_variance(const Mixture& mixture, double origin, const Interval& within);

}  // namespace btg
