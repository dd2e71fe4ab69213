// The tilts of box_probability.hpp, in its notation and the order of its variables.
#pragma once

#include <Eigen/Core>

#include "btg/compute/compute.hpp"

namespace btg {

struct TiltProblem {
  Eigen::MatrixXd precision;     // P, full
  Eigen::VectorXd lower, upper;  // of x_k, relative to R
  double degrees_of_freedom;     // nu; R = 1 if infinite
};

struct BoxTilt {
  Eigen::VectorXd centre;  // t
  Eigen::VectorXd mean;    // x
  double radius;           // R
  bool found;
};

// Maximises the concave function of x and R
//
//   -1/2 x'P x + sum_k [(x_k - t_k)^2 / 2 + log p_k] + (nu - 1) log R - R^2 / 2,
//
// where p_k is the probability that N(t_k, 1) is between R lower_k and R upper_k, and t_k is such
// that this truncated normal has mean x_k.
BoxTilt find_tilt(const Compute& compute, const TiltProblem& problem);

}  // namespace btg
