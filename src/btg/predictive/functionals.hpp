// Functionals of a predictive distribution: CRPS, mode and shortest interval.
#pragma once

#include <array>

#include "btg/predictive/law.hpp"

namespace btg {

// CRPS(F, y) = integral of F^2 below y plus integral of (1 - F)^2 above y. Tails of probability
// 1e-6 are omitted. If the mean exists, they add almost nothing, since probabilities are squared;
// if not, the score would be infinite for any y.
double crps(PredictiveLaw& law, double y);

double mode(PredictiveLaw& law);

// The shortest interval of this probability, which for a unimodal density is the highest density
// interval. It may also begin at an atom at the floor or end at one at the ceiling.
std::array<double, 2> shortest_interval(PredictiveLaw& law, double probability);

// The same for the conditional mean, without atoms.
std::array<double, 2> shortest_interval(const ConditionalMean& mean, double probability);

}  // namespace btg
