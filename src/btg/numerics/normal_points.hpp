// Quantiles of the distributions that points of the unit cube are mapped to.
#pragma once

#include <Eigen/Core>

namespace btg {

double normal_quantile(double p);
double chi_square_quantile(double p, double degrees_of_freedom);

// Points of the unit cube to points of a standard normal, coordinate by coordinate.
Eigen::MatrixXd normal_points(const Eigen::MatrixXd& uniform);

}  // namespace btg
