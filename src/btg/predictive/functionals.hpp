// Summaries of a predictive distribution: continuous ranked probability score, mode, shortest
// interval.
#pragma once

#include <array>

#include "btg/predictive/law.hpp"

namespace btg {

// CRPS(F, y) = integral of F^2 up to y, and of (1 - F)^2 from there on. Tails of probability 1e-6
// are left out: where the mean exists they add almost nothing, as probabilities are squared; where
// it does not, the score would be infinite for any y.
double crps(PredictiveLaw& law, double y);

// Where the density is largest.
double mode(PredictiveLaw& law);

// The shortest interval of this probability: for a density with one mode, that of the highest
// density. It may also begin at a mass of the floor, or end at one of the ceiling.
std::array<double, 2> shortest_interval(PredictiveLaw& law, double probability);

}  // namespace btg
