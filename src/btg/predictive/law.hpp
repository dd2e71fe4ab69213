// The predictive distribution at one point, as questions are put to it.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <optional>

#include "btg/predictive/mixture.hpp"
#include "btg/predictive/moments.hpp"
#include "btg/predictive/quantile.hpp"
#include "btg/predictive/rearrangement.hpp"

namespace btg {

struct AnswerOptions {
  double tolerance = 1e-10;  // of quantiles; of integrals, if it is larger than theirs
  Bound bound = Bound::automatic;
  double floor = -INFINITY, ceiling = INFINITY;  // what is predicted beyond is predicted there
  double open = 0.0;                             // but for this share of what is below the floor
  Eigen::VectorXd weight_variances;              // for standard errors of quantiles; empty for none
};

// The distribution of Y kept between floor and ceiling, of a mixture or of its rearrangement, where
// a share `open` of what is below the floor stays there:
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
  bool rearranged() const { return rearranged_.has_value(); }

  // At the ceiling the density is that just below.
  MixtureValue evaluate(double y) const;

  double log_density(double y) const;

  // P(Y = y), which is not 0 only at the floor and at the ceiling.
  double mass(double y) const;

  // At 0 and 1 the ends of the support.
  double quantile(double p);

  double rough_quantile(double p) const;

  // From the 5% to the 95% quantile of Y itself: within the ends they may all be at one of them.
  double rough_width() const;

  double draw(double uniform);

  MeanVariance moments();

 private:
  MixtureValue evaluate_inside(double y) const {
    return rearranged_ ? rearranged_->evaluate(y) : mixture_.evaluate(y);
  }

  // The quantile at p, given those of Y itself: below the floor F is `open` times that of Y.
  template <class Quantile>
  double into_support(double p, Quantile quantile_of_y) const {
    const double y = quantile_of_y(p);
    if (!(y < floor_)) return std::fmin(y, ceiling_);
    return p < open_ ? std::fmin(quantile_of_y(p / open_), floor_) : floor_;
  }

  const Mixture& mixture_;
  QuantileSolver solver_;
  std::optional<Rearrangement> rearranged_;
  double tolerance_, floor_, ceiling_, open_;
};

}  // namespace btg
