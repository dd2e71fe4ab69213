// What becomes of the trend's coefficients and the precision at a node, and what follows from it.
// With nu = n - p where they are integrated out and nu = n where they are profiled,
//
//   log L(eta) = -1/2 log|K| [- 1/2 log|A|] - nu/2 log q + nu/n log J   (+ const),
//
// where only the integrated one has the term in brackets, and the predictive variance is q C / nu.
#pragma once

namespace btg {

enum class Likelihood {
  integrated,  // over their prior: the marginal likelihood of a Bayesian, REML without transform
  profiled     // at their maximum for each eta
};

// nu
inline double residual_count(Likelihood likelihood, double n, double p) {
  return likelihood == Likelihood::integrated ? n - p : n;
}

}  // namespace btg
