// A proposal for the trailing coordinates, the transform parameters. Their posterior is often far
// from normal (bent, or with several arms) but depends little on the kernel coordinates. With those
// fixed, likelihoods share one factorisation, so many can be used to fit a mixture of normals.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "btg/quadrature/modes.hpp"
#include "btg/quadrature/rule.hpp"
#include "btg/quadrature/sampling/proposal.hpp"

namespace btg {

// A symmetric t with this root of its scale matrix; a large `nu` gives nearly normal tails.
SplitT normal_part(const Eigen::VectorXd& mean, const Eigen::MatrixXd& root, double nu);

// Initial centres: the heaviest point, then repeatedly the point with the largest weight times
// squared distance from those chosen.
std::vector<Eigen::Index> spread_out(const Eigen::MatrixXd& points, const Eigen::VectorXd& weights,
                                     int count);

// Fits a mixture of normals to weighted points by EM. Covariances are shrunk towards a fraction of
// the overall covariance with the weight of four points, and inflated at the end.
SplitMixture fit_normals(const Eigen::MatrixXd& points, const Eigen::VectorXd& weights);

// The mixture for the trailing coordinates with the kernel coordinates fixed at the mode. It is
// fitted to draws from the prior and from the curvature at the mode, and again after adding draws
// from the first fit.
SplitMixture transform_mixture(const Target& target, const Mode& mode, std::uint64_t seed);

}  // namespace btg
