#include "btg/predictive/questions.hpp"

#include <algorithm>
#include <array>

#include "btg/base/error.hpp"
#include "btg/predictive/functionals.hpp"
#include "btg/predictive/partial_moment.hpp"

namespace btg {

namespace {

using Values = Eigen::RowVectorXd;

// Clamps a probability that rounding may have moved out of [0, 1]. NaN stays NaN.
double into_unit(double p) { return std::min(std::max(p, 0.0), 1.0); }

// Answers each value separately.
template <class Answer>
void each(const Values& at, Eigen::Ref<Values> out, Answer answer) {
  for (Eigen::Index j = 0; j < at.size(); ++j) out[j] = answer(at[j]);
}

// Keeps quantiles in order where they differ only by rounding.
void quantile(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  for (Eigen::Index j = 0; j < at.size(); ++j) {
    out[j] = law.quantile(at[j]);
    if (j > 0 && at[j] >= at[j - 1]) out[j] = std::max(out[j], out[j - 1]);
  }
}

void draw(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  each(at, out, [&](double uniform) { return law.draw(uniform); });
}

void cdf(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  each(at, out, [&](double y) { return into_unit(law.evaluate(y).cdf); });
}

void exceedance(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  each(at, out, [&](double y) { return into_unit(law.evaluate(y).survival); });
}

void density(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  each(at, out, [&](double y) { return std::max(law.evaluate(y).density, 0.0); });
}

void log_density(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  each(at, out, [&](double y) { return law.log_density(y); });
}

void mass(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  each(at, out, [&](double y) { return into_unit(law.mass(y)); });
}

void crps(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  each(at, out, [&](double y) { return btg::crps(law, y); });
}

void shortest(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  for (Eigen::Index j = 0; j < at.size(); ++j) {
    const std::array<double, 2> interval = shortest_interval(law, at[j]);
    out[2 * j] = interval[0];
    out[2 * j + 1] = interval[1];
  }
}

void moments(PredictiveLaw& law, const Values& /*at*/, Eigen::Ref<Values> out) {
  const MeanVariance moments = law.moments();
  out << moments.mean, moments.variance;
}

void conditional_mean(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  each(at, out, [&](double p) { return law.conditional_mean().quantile(p); });
}

void conditional_mean_slope(PredictiveLaw& law, const Values& at, const ProcessSlope& slope,
                            Eigen::Ref<Values> out) {
  const ConditionalMeanSlope posterior(law.mixture(), law.censoring(), slope);
  each(at, out, [&](double p) { return posterior.quantile(p); });
}

void conditional_mean_shortest(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  for (Eigen::Index j = 0; j < at.size(); ++j) {
    const std::array<double, 2> interval = shortest_interval(law.conditional_mean(), at[j]);
    out[2 * j] = interval[0];
    out[2 * j + 1] = interval[1];
  }
}

void conditional_mean_variance(PredictiveLaw& law, const Values& /*at*/, Eigen::Ref<Values> out) {
  out[0] = law.conditional_mean().variance();
}

void lower_partial_moment(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  each(at, out, [&](double y) { return partial_moment(law, y, false); });
}

void upper_partial_moment(PredictiveLaw& law, const Values& at, Eigen::Ref<Values> out) {
  each(at, out, [&](double y) { return partial_moment(law, y, true); });
}

void mode(PredictiveLaw& law, const Values& /*at*/, Eigen::Ref<Values> out) {
  out[0] = btg::mode(law);
}

}  // namespace

const std::vector<QuestionType>& question_types() {
  using At = AskedAt;
  static const std::vector<QuestionType> all{
      {"quantile", At::probability, {Unit::response}, 80.0, quantile, slopes_of::quantile, true},
      {"draw", At::probability, {Unit::response}, 80.0, draw},
      {"cdf", At::response, {Unit::probability}, 10.0, cdf, slopes_of::cdf},
      {"exceedance", At::response, {Unit::probability}, 10.0, exceedance, slopes_of::exceedance},
      {"density", At::response, {Unit::density}, 10.0, density},
      {"log_density", At::response, {Unit::log_density}, 10.0, log_density},
      {"mass", At::response, {Unit::probability}, 10.0, mass},
      {"crps", At::response, {Unit::length}, 1000.0, crps},
      {"shortest", At::probability, {Unit::response, Unit::response}, 1000.0, shortest},
      {"moments",
       At::nothing,
       {Unit::response, Unit::variance},
       1000.0,
       moments,
       slopes_of::moments},
      {"lower_partial_moment",
       At::response,
       {Unit::length},
       1000.0,
       lower_partial_moment,
       slopes_of::lower_partial_moment},
      {"upper_partial_moment",
       At::response,
       {Unit::length},
       1000.0,
       upper_partial_moment,
       slopes_of::upper_partial_moment},
      {"mode", At::nothing, {Unit::response}, 1000.0, mode},
      {"conditional_mean",
       At::probability,
       {Unit::response},
       3e4,
       conditional_mean,
       nullptr,
       false,
       conditional_mean_slope},
      {"conditional_mean_shortest",
       At::probability,
       {Unit::response, Unit::response},
       3e4,
       conditional_mean_shortest},
      {"conditional_mean_variance", At::nothing, {Unit::variance}, 3e4, conditional_mean_variance},
  };
  return all;
}

const QuestionType& find_question(const std::string& name) {
  for (const QuestionType& type : question_types()) {
    if (type.name == name) return type;
  }
  throw Error("argument", "A predictive distribution has no \"" + name + "\".");
}

}  // namespace btg
