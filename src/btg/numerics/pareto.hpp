// Pareto smoothing of importance weights, and the shape k of their tail (Vehtari,
// Simpson, Gelman, Yao and Gabry 2024, "Pareto smoothed importance sampling").
#pragma once

#include <Eigen/Core>

namespace btg {

// Replaces the largest log weights by the expected order statistics of the Pareto
// distribution fitted to them, and returns its shape. Fewer than five distinct weights
// in the tail are left alone: the shape is then infinite.
double smooth_weights(Eigen::VectorXd& log_weights);

}  // namespace btg
