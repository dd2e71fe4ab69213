// Quantile functions that map points of the unit cube to other distributions.
#pragma once

#include <Eigen/Core>

namespace btg {

double normal_quantile(double p);
double chi_square_quantile(double p, double degrees_of_freedom);

// Maps points of the unit cube to the standard normal, coordinate by coordinate.
Eigen::MatrixXd normal_points(const Eigen::MatrixXd& uniform);

}  // namespace btg
