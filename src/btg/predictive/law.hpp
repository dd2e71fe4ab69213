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
  PredictiveLaw(const Mixture& mixture, const AnswerOptions& options)
      : mixture_(mixture),
        solver_(mixture, options.tolerance, options.bound),
        tolerance_(options.tolerance),
        floor_(options.floor),
        ceiling_(options.ceiling),
        open_(options.open) {
    if (mixture.negative_mass() > 0.0) {
      Rearrangement rearrangement(mixture);
      if (rearrangement.needed()) rearranged_ = rearrangement;
    }
  }

  const Mixture& mixture() const { return mixture_; }
  double tolerance() const { return tolerance_; }
  double floor() const { return floor_; }
  double ceiling() const { return ceiling_; }
  double open() const { return open_; }
  bool rearranged() const { return rearranged_.has_value(); }

  // At the ceiling the density is that just below.
  MixtureValue evaluate(double y) const {
    if (y > ceiling_) return {1.0, 0.0, 0.0};
    if (y < floor_) {
      if (open_ == 0.0) return {0.0, 1.0, 0.0};
      const MixtureValue below = evaluate_inside(y);
      return {open_ * below.cdf, 1.0 - open_ * below.cdf, open_ * below.density};
    }
    MixtureValue inside = evaluate_inside(y);
    if (y == ceiling_) inside.cdf = 1.0, inside.survival = 0.0;
    return inside;
  }

  double log_density(double y) const {
    if (y > ceiling_ || (y < floor_ && open_ == 0.0)) return -INFINITY;
    return (y < floor_ ? std::log(open_) : 0.0) +
           (rearranged_ ? std::log(rearranged_->evaluate(y).density) : mixture_.log_density(y));
  }

  // P(Y = y), which is not 0 only at the floor and at the ceiling.
  double mass(double y) const {
    double mass = 0.0;
    if (y == floor_) mass = (1.0 - open_) * evaluate_inside(y).cdf;
    if (y == ceiling_) mass = evaluate_inside(y).survival;
    return std::fmax(mass, 0.0);
  }

  // At 0 and 1 the ends of the support.
  double quantile(double p) {
    return into_support(p, [&](double q) {
      const Interval& support = mixture_.nodes().support;
      return q == 0.0      ? support.lower
             : q == 1.0    ? support.upper
             : rearranged_ ? rearranged_->quantile(q)
                           : solver_.quantile(q);
    });
  }

  double rough_quantile(double p) const {
    return into_support(
        p, [&](double q) { return rearranged_ ? rearranged_->quantile(q) : solver_.guess(q); });
  }

  // From the 5% to the 95% quantile of Y itself: within the ends they may all be at one of them.
  double rough_width() const {
    const auto guess = [&](double p) {
      return rearranged_ ? rearranged_->quantile(p) : solver_.guess(p);
    };
    return guess(0.95) - guess(0.05);
  }

  double draw(double uniform) {
    if (mixture_.negative_mass() > 0.0) return quantile(uniform);
    int i = 0;
    while (i + 1 < mixture_.size() && uniform > mixture_.weights()[i]) {
      uniform -= mixture_.weights()[i++];
    }
    const double p = std::fmin(uniform / mixture_.weights()[i], 1.0);
    return into_support(p, [&](double q) {
      return mixture_.component_quantile(i, q, mixture_.nodes().t.quantile(q));
    });
  }

  MeanVariance moments() {
    const TExpectation rule(mixture_.nodes().t);
    const double origin = quantile(0.5);
    const MeanVariance closed = mean_variance(mixture_, rule, origin, {floor_, ceiling_});
    if (open_ == 0.0 || evaluate_inside(floor_).cdf < 1e-12) return closed;
    const MeanVariance below = mean_variance(mixture_, rule, origin, {-INFINITY, ceiling_});
    const double apart = below.mean - closed.mean;
    return {closed.mean + open_ * apart, (1.0 - open_) * closed.variance + open_ * below.variance +
                                             open_ * (1.0 - open_) * apart * apart};
  }

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
