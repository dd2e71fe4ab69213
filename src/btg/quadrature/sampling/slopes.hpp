// Scales from slopes. A gradient costs as much as a few likelihoods and says something of
// every axis: in many dimensions a few dozen of them tell the scales of a split normal better
// than the curvature at its mode does.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "btg/quadrature/rule.hpp"
#include "btg/quadrature/sampling/proposal.hpp"

namespace btg {

// One axis, from positions and slopes of the log density along it. The slope of a split normal
// is -x / left^2 below 0 and -x / right^2 above; departures from what `left` and `right` say
// are fitted by least squares with a level of their own, which moves the centre. They are
// drawn to 0, and slopes far from the line count less.
struct AxisFit {
  double shift, left, right;
};

AxisFit fit_axis(const Eigen::VectorXd& x, const Eigen::VectorXd& slope, double left, double right);

// The first leading component of the part, fitted to the slopes at draws from the part,
// which are drawn a little closer to the mode.
SplitT fit_slopes(const Target& target, const ProposalPart& part, const Eigen::VectorXd& mode,
                  std::uint64_t seed);

}  // namespace btg
