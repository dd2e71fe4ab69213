// Derivatives of answers in the location and scale of each node. The slope of an answer along x is
// the sum over nodes of these times the slopes of the node's location and scale. They are NaN for
// rearranged distributions.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/predictive/law.hpp"
#include "btg/predictive/mixture_slopes.hpp"

namespace btg {

// Adds the slopes of each column of `out`, the answer to a question at the values `at`.
using SlopesOfAnswer = void (*)(PredictiveLaw& law, const Eigen::RowVectorXd& at,
                                const Eigen::RowVectorXd& out, std::vector<NodeSlopes>& slopes);

namespace slopes_of {

using Values = Eigen::RowVectorXd;
using Slopes = std::vector<NodeSlopes>;

void quantile(PredictiveLaw& law, const Values& at, const Values& out, Slopes& slopes);
void cdf(PredictiveLaw& law, const Values& at, const Values& out, Slopes& slopes);
void exceedance(PredictiveLaw& law, const Values& at, const Values& out, Slopes& slopes);
void moments(PredictiveLaw& law, const Values& at, const Values& out, Slopes& slopes);
void lower_partial_moment(PredictiveLaw& law, const Values& at, const Values& out, Slopes& slopes);
void upper_partial_moment(PredictiveLaw& law, const Values& at, const Values& out, Slopes& slopes);

}  // namespace slopes_of
}  // namespace btg
