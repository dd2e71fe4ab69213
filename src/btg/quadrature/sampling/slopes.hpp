// Fits scales to gradients. A gradient costs a few likelihoods and informs about every axis. In
// many dimensions, a few dozen give better scales of a split normal than the curvature at its mode.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "btg/quadrature/rule.hpp"
#include "btg/quadrature/sampling/proposal.hpp"

namespace btg {

// Fits one axis to positions and slopes of the log density along it. The slope of a split normal is
// -x / left^2 below 0 and -x / right^2 above. Departures from the present `left` and `right` are
// fitted by ridge regression, with an intercept that moves the centre. Slopes far from the line get
// less weight.
struct AxisFit {
  double shift, left, right;
};

AxisFit fit_axis(const Eigen::VectorXd& x, const Eigen::VectorXd& slope, double left, double right);

// Refits the first leading component of the part to slopes at draws from the part, which are moved
// a little towards the mode.
SplitT fit_slopes(const Target& target, const ProposalPart& part, const Eigen::VectorXd& mode,
                  std::uint64_t seed);

}  // namespace btg
