// The tilts of box_probability.hpp, in its notation and the order of its variables.
#pragma once

#include <Eigen/Core>

#include "btg/compute/compute.hpp"

namespace btg {

// The density of R, up to a constant: R^(nu - 1) exp(-quadratic R^2 / 2).
struct RadialDensity {
  double nu;         // infinite if R = 1
  double quadratic;  // 1, or 0 if nu <= 0

  bool fixed() const;
  double log(double r) const;
  double slope(double r) const;
  double curvature(double r) const;
};

struct TiltProblem {
  Eigen::MatrixXd precision;     // P, full
  Eigen::VectorXd lower, upper;  // of x_k, relative to R
  RadialDensity radial;
};

struct BoxTilt {
  Eigen::VectorXd centre;  // t
  Eigen::VectorXd mean;    // x
  double radius;           // R
  double precision;        // of R: minus the second derivative of the maximum over x
  bool found;
};

// Maximises the function of x and R
//
//   -1/2 x'P x + sum_k [(x_k - t_k)^2 / 2 + log p_k] + (nu - 1) log R - quadratic R^2 / 2,
//
// where p_k is the probability that N(t_k, 1) is between R lower_k and R upper_k, and t_k is such
// that this truncated normal has mean x_k. It is concave if nu >= 1.
BoxTilt find_tilt(const Compute& compute, const TiltProblem& problem);

}  // namespace btg
