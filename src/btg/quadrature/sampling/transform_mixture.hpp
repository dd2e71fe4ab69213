// A proposal for the trailing coordinates, the transform's parameters. Their posterior is
// often far from normal (bent, or with several arms) but depends little on the kernel's
// coordinates, and with these held still its likelihoods share one factorisation: so a
// mixture of normals is fitted to many of them.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "btg/quadrature/modes.hpp"
#include "btg/quadrature/rule.hpp"
#include "btg/quadrature/sampling/proposal.hpp"

namespace btg {

// A normal distribution with a root of its covariance; with tails a little heavier.
SplitT normal_part(const Eigen::VectorXd& mean, const Eigen::MatrixXd& root, double nu);

// First centres: the heaviest point, then in turn the one of largest weight times squared
// distance from those before.
std::vector<Eigen::Index> spread_out(const Eigen::MatrixXd& points, const Eigen::VectorXd& weights,
                                     int count);

// A mixture of normals fitted to weighted points by EM. Covariances are drawn to a share of
// the whole's, as if four points had said so, and inflated in the end.
SplitMixture fit_normals(const Eigen::MatrixXd& points, const Eigen::VectorXd& weights);

// The mixture for the trailing coordinates where the kernel's are those of the mode: fitted
// to draws from the prior and from the curvature at the mode, and again with draws from the
// first fit.
SplitMixture transform_mixture(const Target& target, const Mode& mode, std::uint64_t seed);

}  // namespace btg
