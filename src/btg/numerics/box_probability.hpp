// The probability of a box under a multivariate t distribution centred at 0, with weighted draws
// from the box, by separation of variables with minimax tilting (Botev 2017; Botev and L'Ecuyer
// 2015 for t). With Sigma = Q^-1 = D B B' D, where D is diagonal and B is unit lower triangular,
//
//   T = sqrt(nu) / R * D B zeta,   R ~ chi_nu,   zeta ~ N(0, I),   x = B zeta.
//
// Each zeta_k is drawn from N(mu_k, 1), truncated so that x_k stays inside its limits. The tilts mu
// minimise the largest weight. With t_k the centre and x_k the mean of the truncated normal of
// coordinate k, they solve
//
//   P x = x - t,   P = (B B')^-1,   mu_k = t_k - x_k + zeta_k,
//
// the maximum over x and R of a concave function, which is found by Newton's method. If it is not
// found, the tilts are 0: draws are then less even, and their weights still exact.
//
// Without any exact response, nothing else determines the level and the scale of T. Its density is
// then improper, with p free coordinates a, and the integral over the box is that of
//
//   R^(-p - 1) dR dx_a N(x_c; H x_a, C),   x = R T.
//
// Free coordinates are drawn first, from wide normals truncated to their limits, and R from a
// normal around its tilted value.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/compute/compute.hpp"

namespace btg {

struct Box {
  Eigen::VectorXd lower, upper;  // may be infinite
  double degrees_of_freedom;     // nu; infinite for a normal distribution
};

// The scale matrix of T by its inverse and itself; both full symmetric matrices.
struct BoxScale {
  const Eigen::MatrixXd& precision;
  const Eigen::MatrixXd& covariance;
};

struct BoxDraws {
  double log_probability;
  double standard_error;    // of log_probability, as if points were independent
  Eigen::MatrixXd draws;    // one per column
  Eigen::VectorXd weights;  // sum to 1
  bool tilted;
};

// `uniform` has a point of the unit cube of box.lower.size() + 1 dimensions per column.
BoxDraws box_probability(const Compute& compute, const BoxScale& scale, const Box& box,
                         const Eigen::MatrixXd& uniform);

// The precision of all coordinates, whose rank is less than full by the number of free ones, and
// the law of the others given these: x_c ~ N(H x_a, C).
struct FreeScale {
  const Eigen::MatrixXd& precision;
  const std::vector<int>& free;    // a
  const std::vector<int>& others;  // c
  const Eigen::MatrixXd& weights;  // H
  const Eigen::MatrixXd& covariance;
};

// The log of the integral is called log_probability. It is finite if free coordinates have finite
// limits and no vector with P x = 0 is in the box; degrees of freedom are not used.
BoxDraws free_box_integral(const Compute& compute, const FreeScale& scale, const Box& box,
                           const Eigen::MatrixXd& uniform);

}  // namespace btg
