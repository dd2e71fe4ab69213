// Coordinates x in which the posterior around a mode looks standard normal,
//
//     u = mode + L x,     L L' = (minus the Hessian)^-1,
//
// and in which rules for the standard normal integrate the posterior:
//
//     w_i * posterior(u_i) * |L| / N(x_i; 0, I)   sum to the evidence.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "btg/quadrature/grids/grid.hpp"
#include "btg/quadrature/modes.hpp"
#include "btg/quadrature/rule.hpp"

namespace btg {

struct LaplaceFrame {
  Eigen::VectorXd centre;
  Eigen::MatrixXd scale;  // L
  double log_determinant;
  double log_mass;  // Laplace's approximation of the evidence

  explicit LaplaceFrame(const Mode& mode)
      : centre(mode.point),
        scale(mode.axes * mode.curvatures.cwiseSqrt().cwiseInverse().asDiagonal()),
        log_determinant(-0.5 * mode.curvatures.array().log().sum()),
        log_mass(mode.log_mass()) {}

  Eigen::MatrixXd points(const Eigen::MatrixXd& x) const { return (scale * x).colwise() + centre; }

  // log(posterior(u) |L| / N(x; 0, I))
  double log_ratio(const Eigen::VectorXd& x, double log_likelihood) const {
    const Eigen::VectorXd u = centre + scale * x;
    return log_likelihood + log_normal_density(u) + log_determinant - log_normal_density(x);
  }
};

// The frame of the mode with the largest mass, which need not be the highest.
inline LaplaceFrame frame_of(const std::vector<Mode>& modes) {
  return LaplaceFrame(
      *std::max_element(modes.begin(), modes.end(),
                        [](const Mode& a, const Mode& b) { return a.log_mass() < b.log_mass(); }));
}

inline void add_modes(const std::vector<Mode>& modes, WeightedPoints& result) {
  const double log_mass = frame_of(modes).log_mass;
  double total = 0.0;
  for (const Mode& mode : modes) total += std::exp(mode.log_mass() - log_mass);
  for (const Mode& mode : modes) {
    const double mass = std::exp(mode.log_mass() - log_mass) / total;
    result.modes.push_back({mode.point, mode.log_posterior, mass, mode.precision()});
  }
  result.diagnostics["laplace_log_evidence"] = log_mass + std::log(total);
}

// Evaluates a grid for the standard normal around the mode of largest mass.
inline WeightedPoints integrate_around_mode(const Target& target, const std::vector<Mode>& modes,
                                            const Grid& grid) {
  const LaplaceFrame frame = frame_of(modes);
  WeightedPoints result;
  result.points = frame.points(grid.points);
  result.log_likelihood = target.log_likelihood(result.points);
  Eigen::VectorXd log_ratios(result.log_likelihood.size());
  for (Eigen::Index i = 0; i < log_ratios.size(); ++i) {
    log_ratios[i] = frame.log_ratio(grid.points.col(i), result.log_likelihood[i]);
  }
  set_weights(result, grid.weights, log_ratios);
  add_modes(modes, result);
  return result;
}

}  // namespace btg
