#include "btg/quadrature/grids/laplace_frame.hpp"

#include <algorithm>
#include <cmath>

namespace btg {

LaplaceFrame::LaplaceFrame(const Mode& mode)
    : centre(mode.point),
      scale(mode.axes * mode.curvatures.cwiseSqrt().cwiseInverse().asDiagonal()),
      log_determinant(-0.5 * mode.curvatures.array().log().sum()),
      log_mass(mode.log_mass()) {}

double LaplaceFrame::log_ratio(const Eigen::VectorXd& x, double log_likelihood) const {
  const Eigen::VectorXd u = centre + scale * x;
  return log_likelihood + log_normal_density(u) + log_determinant - log_normal_density(x);
}

LaplaceFrame frame_of(const std::vector<Mode>& modes) {
  return LaplaceFrame(
      *std::max_element(modes.begin(), modes.end(),
                        [](const Mode& a, const Mode& b) { return a.log_mass() < b.log_mass(); }));
}

WeightedPoints integrate_around_mode(const Target& target, const std::vector<Mode>& modes,
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
  result.modes = summarise_modes(modes);
  return result;
}

}  // namespace btg
