// How the trend coefficients and the precision are treated at a node. With nu = n - p if they are
// integrated out and nu = n if they are profiled,
//
//   log L(eta) = -1/2 log|K| [- 1/2 log|A|] - nu/2 log q + nu/n log J   (+ const).
//
// Only the integrated likelihood has the term in brackets. The predictive variance is q C / nu.
#pragma once

namespace btg {

enum class Likelihood {
  integrated,  // over their prior: the marginal likelihood, or REML without a transform
  profiled     // maximised for each eta
};

// nu
inline double residual_count(Likelihood likelihood, double n, double p) {
  return likelihood == Likelihood::integrated ? n - p : n;
}

}  // namespace btg
