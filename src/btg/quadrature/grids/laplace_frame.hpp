// Coordinates x in which the posterior around a mode is nearly standard normal,
//
//     u = mode + L x,     L L' = (negative Hessian)^-1.
//
// Rules for the standard normal integrate the posterior in x, since
//
//     w_i * posterior(u_i) * |L| / N(x_i; 0, I)   sum to the evidence.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/quadrature/grids/grid.hpp"
#include "btg/quadrature/modes.hpp"
#include "btg/quadrature/rule.hpp"

namespace btg {

struct LaplaceFrame {
  Eigen::VectorXd centre;
  Eigen::MatrixXd scale;  // L
  double log_determinant;
  double log_mass;  // Laplace's approximation of the log evidence

  explicit LaplaceFrame(const Mode& mode);

  Eigen::MatrixXd points(const Eigen::MatrixXd& x) const { return (scale * x).colwise() + centre; }

  // log(posterior(u) |L| / N(x; 0, I))
  double log_ratio(const Eigen::VectorXd& x, double log_likelihood) const;
};

// The frame of the mode with the largest mass, which may not be the highest.
LaplaceFrame frame_of(const std::vector<Mode>& modes);

// Evaluates a grid for the standard normal around the mode of largest mass.
WeightedPoints integrate_around_mode(const Target& target, const std::vector<Mode>& modes,
                                     const Grid& grid);

}  // namespace btg
