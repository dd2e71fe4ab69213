// Fewer nodes to predict from: positive weights on some of the nodes, under which as many
// polynomials of u have the posterior mean that they have under all (Tchakaloff's theorem).
// What a prediction is at a node varies smoothly with u, so little changes for it.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/compute/compute.hpp"

namespace btg {

// The exponents of the first `count` monomials in d variables: those of low degree, and of one
// degree those of few variables first.
std::vector<std::vector<int>> first_monomials(int d, int count, int most_degree);

// Points (columns) less their weighted mean, by the weighted covariance uncorrelated and of
// variance 1.
Eigen::MatrixXd whiten(const Eigen::MatrixXd& points, const Eigen::VectorXd& weights);

// Weights that are 0 but at `count` points or fewer, and give the first `count` polynomials of the
// points (columns) the means that `weights`, positive, give them.
Eigen::VectorXd compress(const Eigen::MatrixXd& points, const Eigen::VectorXd& weights, int count,
                         const Compute& compute);

}  // namespace btg
