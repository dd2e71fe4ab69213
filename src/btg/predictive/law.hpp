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
  double tolerance = 1e-10;  // of quantiles
  Bound bound = Bound::automatic;
  double floor = -INFINITY;          // what is predicted below is predicted there
  Eigen::VectorXd weight_variances;  // for standard errors of quantiles; empty for none
};

// The distribution of max(Y, floor), of a mixture or of its rearrangement.
class PredictiveLaw {
 public:
  PredictiveLaw(const Mixture& mixture, const AnswerOptions& options)
      : mixture_(mixture),
        solver_(mixture, options.tolerance, options.bound),
        floor_(options.floor) {
    if (mixture.negative_mass() > 0.0) {
      Rearrangement rearrangement(mixture);
      if (rearrangement.needed()) rearranged_ = rearrangement;
    }
  }

  const Mixture& mixture() const { return mixture_; }
  double floor() const { return floor_; }
  bool rearranged() const { return rearranged_.has_value(); }

  MixtureValue evaluate(double y) const {
    if (y < floor_) return {0.0, 1.0, 0.0};
    return rearranged_ ? rearranged_->evaluate(y) : mixture_.evaluate(y);
  }

  double log_density(double y) const {
    if (y < floor_) return -INFINITY;
    return rearranged_ ? std::log(rearranged_->evaluate(y).density) : mixture_.log_density(y);
  }

  // At 0 and 1 the ends of the support.
  double quantile(double p) {
    const Interval& support = mixture_.nodes().support;
    const double y = p == 0.0      ? support.lower
                     : p == 1.0    ? support.upper
                     : rearranged_ ? rearranged_->quantile(p)
                                   : solver_.quantile(p);
    return std::fmax(y, floor_);
  }

  double rough_quantile(double p) const {
    return std::fmax(rearranged_ ? rearranged_->quantile(p) : solver_.guess(p), floor_);
  }

  double draw(double uniform) {
    if (mixture_.negative_mass() > 0.0) return quantile(uniform);
    int i = 0;
    while (i + 1 < mixture_.size() && uniform > mixture_.weights()[i]) {
      uniform -= mixture_.weights()[i++];
    }
    const double p = std::fmin(uniform / mixture_.weights()[i], 1.0);
    return std::fmax(mixture_.component_quantile(i, p, mixture_.nodes().t.quantile(p)), floor_);
  }

  MeanVariance moments() {
    return mean_variance(mixture_, TExpectation(mixture_.nodes().t), quantile(0.5), floor_);
  }

 private:
  const Mixture& mixture_;
  QuantileSolver solver_;
  std::optional<Rearrangement> rearranged_;
  double floor_;
};

}  // namespace btg
