// Partial moments of a predictive distribution, the integrals of its tails:
//
//   E(a - Y)+ = integral of F below a,     E(Y - a)+ = integral of 1 - F above a.
#pragma once

#include <vector>

#include "btg/predictive/law.hpp"

namespace btg {

struct TailPoint {
  double y, weight;
};

// The integral of a tail is the sum of weight * tail over the points of an adaptive rule. The same
// points integrate derivatives of the tail.
struct TailIntegral {
  double value;
  std::vector<TailPoint> points;
};
TailIntegral integrate_tail(const PredictiveLaw& law, double a, bool upper);

// True if the integral of the tail exists at every node.
bool tail_is_integrable(const PredictiveLaw& law, bool upper);

// NaN if it does not exist.
double partial_moment(const PredictiveLaw& law, double a, bool upper);

}  // namespace btg
