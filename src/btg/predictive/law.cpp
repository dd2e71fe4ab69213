#include "btg/predictive/law.hpp"

#include "btg/transforms/transform.hpp"

namespace btg {

PredictiveLaw::PredictiveLaw(const Mixture& mixture, const AnswerOptions& options)
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

MixtureValue PredictiveLaw::evaluate(double y) const {
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

double PredictiveLaw::log_density(double y) const {
  if (y > ceiling_ || (y < floor_ && open_ == 0.0)) return -INFINITY;
  return (y < floor_ ? std::log(open_) : 0.0) +
         (rearranged_ ? std::log(rearranged_->evaluate(y).density) : mixture_.log_density(y));
}

double PredictiveLaw::mass(double y) const {
  double mass = 0.0;
  if (y == floor_) mass = (1.0 - open_) * evaluate_inside(y).cdf;
  if (y == ceiling_) mass = evaluate_inside(y).survival;
  return std::fmax(mass, 0.0);
}

double PredictiveLaw::quantile(double p) {
  return into_support(p, [&](double q) {
    const Interval& support = mixture_.nodes().support;
    return q == 0.0      ? support.lower
           : q == 1.0    ? support.upper
           : rearranged_ ? rearranged_->quantile(q)
                         : solver_.quantile(q);
  });
}

double PredictiveLaw::rough_quantile(double p) const {
  return into_support(
      p, [&](double q) { return rearranged_ ? rearranged_->quantile(q) : solver_.guess(q); });
}

double PredictiveLaw::rough_width() const {
  const auto guess = [&](double p) {
    return rearranged_ ? rearranged_->quantile(p) : solver_.guess(p);
  };
  return guess(0.95) - guess(0.05);
}

double PredictiveLaw::draw(double uniform) {
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

MeanVariance PredictiveLaw::moments() {
  return mean_variance(mixture_, quantile(0.5), censoring());
}

const ConditionalMean& PredictiveLaw::conditional_mean() {
  if (!conditional_mean_) conditional_mean_.emplace(mixture_, censoring());
  return *conditional_mean_;
}

}  // namespace btg
