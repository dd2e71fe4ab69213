// Selects fewer nodes to predict from: positive weights on some nodes that preserve the posterior
// means of as many polynomials of u (Tchakaloff's theorem). Predictions vary smoothly with u, so
// they change little.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/compute/compute.hpp"

namespace btg {

// Exponents of the first `count` monomials in d variables, by degree and then by number of
// variables.
std::vector<std::vector<int>> first_monomials(int d, int count, int most_degree);

// Centres the points (columns) and whitens them by their weighted covariance.
Eigen::MatrixXd whiten(const Eigen::MatrixXd& points, const Eigen::VectorXd& weights);

// Returns weights that are nonzero at no more than `count` points and preserve the means of the
// first `count` polynomials of the points (columns). `weights` must be positive.
Eigen::VectorXd compress(const Eigen::MatrixXd& points, const Eigen::VectorXd& weights, int count,
                         const Compute& compute);

}  // namespace btg
