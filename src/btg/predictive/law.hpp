// The predictive distribution at one point.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <optional>

#include "btg/predictive/censored_inverse.hpp"
#include "btg/predictive/conditional_mean.hpp"
#include "btg/predictive/mixture.hpp"
#include "btg/predictive/moments.hpp"
#include "btg/predictive/quantile.hpp"
#include "btg/predictive/rearrangement.hpp"

namespace btg {

struct AnswerOptions {
  double tolerance = 1e-10;  // of quantiles; of integrals, if larger than their own
  Bound bound = Bound::automatic;
  double floor = -INFINITY, ceiling = INFINITY;  // probability beyond these is moved to them,
  double open = 0.0;                 // except for this share of the probability below the floor
  Eigen::VectorXd weight_variances;  // for standard errors of quantiles; empty for none
};

// The distribution of Y censored at floor and ceiling, for a mixture or its rearrangement. A share
// `open` of the probability below the floor stays there:
//
//   F(y) = open F_Y(y) below the floor, F_Y(y) from there on, 1 from the ceiling on.
class PredictiveLaw {
 public:
  PredictiveLaw(const Mixture& mixture, const AnswerOptions& options);

  const Mixture& mixture() const { return mixture_; }
  double tolerance() const { return tolerance_; }
  double floor() const { return floor_; }
  double ceiling() const { return ceiling_; }
  double open() const { return open_; }
  Censoring censoring() const { return {floor_, ceiling_, open_}; }
  bool rearranged() const { return rearranged_.has_value(); }

  // At the ceiling, the density is the limit from below.
  MixtureValue evaluate(double y) const;

  double log_density(double y) const;

  // P(Y = y), which is nonzero only at the floor and the ceiling.
  double mass(double y) const;

  // At 0 and 1, returns the ends of the support.
  double quantile(double p);

  double rough_quantile(double p) const;

  // From the 5% to the 95% quantile of Y before censoring, which may move both to one end.
  double rough_width() const;

  double draw(double uniform);

  MeanVariance moments();

  // The posterior of E(Y | process), made on first use.
  const ConditionalMean& conditional_mean();

 private:
  MixtureValue evaluate_inside(double y) const {
    return rearranged_ ? rearranged_->evaluate(y) : mixture_.evaluate(y);
  }

  // The quantile at p, from the quantile function of Y. Below the floor, F is `open` times F_Y.
  template <class Quantile>
  double into_support(double p, Quantile quantile_of_y) const {
    const double y = quantile_of_y(p);
    if (!(y < floor_)) return std::fmin(y, ceiling_);
    return p < open_ ? std::fmin(quantile_of_y(p / open_), floor_) : floor_;
  }

  const Mixture& mixture_;
  QuantileSolver solver_;
  std::optional<Rearrangement> rearranged_;
  std::optional<ConditionalMean> conditional_mean_;
  double tolerance_, floor_, ceiling_, open_;
};

}  // namespace btg
