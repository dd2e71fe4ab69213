#include "btg/predictive/law_slopes.hpp"

#include <cmath>

#include "btg/predictive/partial_moment.hpp"

namespace btg {
namespace slopes_of {

namespace {

// Adds `times` the slopes of F(y), which is 1 from the ceiling on, and below the floor `open` times
// the mixture's.
void add_cdf(const PredictiveLaw& law, double y, double times, NodeSlopes& slopes) {
  if (law.rearranged()) times = NAN;
  if (y < law.floor()) times *= law.open();
  if (times != 0.0 && !(y >= law.ceiling())) add_cdf_slopes(law.mixture(), y, times, slopes);
}

// Adds `times` the integral of the slopes of F below a, or of 1 - F above it.
void add_partial_moment(PredictiveLaw& law, double a, bool upper, double times,
                        NodeSlopes& slopes) {
  double sign = upper ? -times : times;
  if (!tail_is_integrable(law, upper)) sign = NAN;
  for (const TailPoint& point : integrate_tail(law, a, upper).points) {
    add_cdf(law, point.y, sign * point.weight, slopes);
  }
}

}  // namespace

void cdf(PredictiveLaw& law, const Values& at, const Values& /*out*/, Slopes& slopes) {
  for (Eigen::Index j = 0; j < at.size(); ++j) add_cdf(law, at[j], 1.0, slopes[j]);
}

void exceedance(PredictiveLaw& law, const Values& at, const Values& /*out*/, Slopes& slopes) {
  for (Eigen::Index j = 0; j < at.size(); ++j) add_cdf(law, at[j], -1.0, slopes[j]);
}

// F(q(x); x) = p, so dq = -dF(q) / f(q). Quantiles at the floor or ceiling do not move.
void quantile(PredictiveLaw& law, const Values& at, const Values& out, Slopes& slopes) {
  for (Eigen::Index j = 0; j < at.size(); ++j) {
    if (out[j] == law.floor() || out[j] == law.ceiling()) continue;
    add_cdf(law, out[j], -1.0 / law.evaluate(out[j]).density, slopes[j]);
  }
}

void lower_partial_moment(PredictiveLaw& law, const Values& at, const Values& /*out*/,
                          Slopes& slopes) {
  for (Eigen::Index j = 0; j < at.size(); ++j) {
    add_partial_moment(law, at[j], false, 1.0, slopes[j]);
  }
}

void upper_partial_moment(PredictiveLaw& law, const Values& at, const Values& /*out*/,
                          Slopes& slopes) {
  for (Eigen::Index j = 0; j < at.size(); ++j) {
    add_partial_moment(law, at[j], true, 1.0, slopes[j]);
  }
}

// The mean is a + E(Y - a)+ - E(a - Y)+ for any a. Slopes of the variance are not available.
void moments(PredictiveLaw& law, const Values& /*at*/, const Values& /*out*/, Slopes& slopes) {
  const double median = law.quantile(0.5);
  add_partial_moment(law, median, true, 1.0, slopes[0]);
  add_partial_moment(law, median, false, -1.0, slopes[0]);
  slopes[1].location.setConstant(NAN);
}

}  // namespace slopes_of
}  // namespace btg
