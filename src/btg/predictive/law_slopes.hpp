// Derivatives of what a predictive distribution answers, in the location and the scale of each
// node. A slope along x is then the sum over nodes of these times those of the node's location and
// scale. Rearranged distributions have none.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/predictive/law.hpp"
#include "btg/predictive/mixture_slopes.hpp"
#include "btg/predictive/partial_moment.hpp"

namespace btg {

namespace slopes_of {

using Values = Eigen::RowVectorXd;
using Slopes = std::vector<NodeSlopes>;

// `times` the slopes of F(y), which is 1 from the ceiling on, and below the floor 0 or `open` times
// that of the mixture.
inline void add_cdf(const PredictiveLaw& law, double y, double times, NodeSlopes& slopes) {
  if (law.rearranged()) times = NAN;
  if (y < law.floor()) times *= law.open();
  if (times != 0.0 && !(y >= law.ceiling())) add_cdf_slopes(law.mixture(), y, times, slopes);
}

inline void cdf(PredictiveLaw& law, const Values& at, const Values& /*out*/, Slopes& slopes) {
  for (Eigen::Index j = 0; j < at.size(); ++j) add_cdf(law, at[j], 1.0, slopes[j]);
}

inline void exceedance(PredictiveLaw& law, const Values& at, const Values& /*out*/,
                       Slopes& slopes) {
  for (Eigen::Index j = 0; j < at.size(); ++j) add_cdf(law, at[j], -1.0, slopes[j]);
}

// F(q(x); x) = p, so dq = -dF(q) / f(q). At an end a quantile stays where it is.
inline void quantile(PredictiveLaw& law, const Values& at, const Values& out, Slopes& slopes) {
  for (Eigen::Index j = 0; j < at.size(); ++j) {
    if (out[j] == law.floor() || out[j] == law.ceiling()) continue;
    add_cdf(law, out[j], -1.0 / law.evaluate(out[j]).density, slopes[j]);
  }
}

// The integral of the slopes of F below a, or of 1 - F above it, `times` as much.
inline void add_partial_moment(PredictiveLaw& law, double a, bool upper, double times,
                               NodeSlopes& slopes) {
  double sign = upper ? -times : times;
  if (!tail_is_integrable(law, upper)) sign = NAN;
  const TailRule<PredictiveLaw> rule(law, a, upper);
  for (const TailPoint& point : rule.points()) add_cdf(law, point.y, sign * point.weight, slopes);
}

inline void lower_partial_moment(PredictiveLaw& law, const Values& at, const Values& /*out*/,
                                 Slopes& slopes) {
  for (Eigen::Index j = 0; j < at.size(); ++j) {
    add_partial_moment(law, at[j], false, 1.0, slopes[j]);
  }
}

inline void upper_partial_moment(PredictiveLaw& law, const Values& at, const Values& /*out*/,
                                 Slopes& slopes) {
  for (Eigen::Index j = 0; j < at.size(); ++j) {
    add_partial_moment(law, at[j], true, 1.0, slopes[j]);
  }
}

// The mean is a + E(Y - a)+ - E(a - Y)+ for any a. The variance has no slopes here.
inline void moments(PredictiveLaw& law, const Values& /*at*/, const Values& /*out*/,
                    Slopes& slopes) {
  const double median = law.quantile(0.5);
  add_partial_moment(law, median, true, 1.0, slopes[0]);
  add_partial_moment(law, median, false, -1.0, slopes[0]);
  slopes[1].location.setConstant(NAN);
}

}  // namespace slopes_of

// The slopes of each column of an answer, `out`, to a question asked at values.
using SlopesOfAnswer = void (*)(PredictiveLaw& law, const Eigen::RowVectorXd& at,
                                const Eigen::RowVectorXd& out, std::vector<NodeSlopes>& slopes);

// The questions whose answers have slopes.
inline SlopesOfAnswer find_slopes(const std::string& question) {
  static const std::map<std::string, SlopesOfAnswer> all{
      {"quantile", slopes_of::quantile},
      {"cdf", slopes_of::cdf},
      {"exceedance", slopes_of::exceedance},
      {"moments", slopes_of::moments},
      {"lower_partial_moment", slopes_of::lower_partial_moment},
      {"upper_partial_moment", slopes_of::upper_partial_moment},
  };
  const auto found = all.find(question);
  if (found == all.end()) throw Error("slope", "There are no slopes of \"" + question + "\".");
  return found->second;
}

}  // namespace btg
