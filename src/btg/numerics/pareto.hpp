// Pareto smoothing of importance weights, with the shape k of their tail (Vehtari, Simpson, Gelman,
// Yao and Gabry 2024, "Pareto smoothed importance sampling").
#pragma once

#include <Eigen/Core>

namespace btg {

// Replaces the largest log weights by the expected order statistics of a fitted generalised Pareto
// distribution, and returns its shape. If the tail is too small or too tied to fit, the weights are
// left unchanged and the shape is infinite.
double smooth_weights(Eigen::VectorXd& log_weights);

}  // namespace btg
