#include "btg/quadrature/sampling/slopes.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "btg/numerics/sobol_points.hpp"
#include "btg/numerics/value_gradient.hpp"

namespace btg {

AxisFit fit_axis(const Eigen::VectorXd& x, const Eigen::VectorXd& slope, double left,
                 double right) {
  const double below = 1.0 / (left * left), above = 1.0 / (right * right);
  Eigen::Matrix3d normal = Eigen::Vector3d(4.0, 2.0, 2.0).asDiagonal();
  Eigen::Vector3d moments = Eigen::Vector3d::Zero();
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const Eigen::Vector3d line(1.0, -std::min(x[i], 0.0), -std::max(x[i], 0.0));
    const double residual = slope[i] - below * line[1] - above * line[2];
    const double weight = 1.0 / (1.0 + 0.1 * residual * residual);
    normal += weight * line * line.transpose();
    moments += weight * residual * line;
  }
  const Eigen::Vector3d change = normal.ldlt().solve(moments);
  const double fastest = 1.0 / 0.4, slowest = 1.0 / 2.5;  // bounds on changes of scale
  const auto scale = [&](double before, double now) {
    const double ratio = std::sqrt(before / std::max(now, 1e-3 * before));
    return std::min(std::max(ratio, slowest), fastest) / std::sqrt(before);
  };
  AxisFit fit{0.0, scale(below, below + change[1]), scale(above, above + change[2])};
  const double side = change[0] > 0.0 ? fit.right : fit.left;
  fit.shift = std::min(std::max(change[0] * side * side, -fit.left), fit.right);
  return fit;
}

SplitT fit_slopes(const Target& target, const ProposalPart& part, const Eigen::VectorXd& mode,
                  std::uint64_t seed) {
  // Compromises: more draws cost gradients; draws nearer to the mode show less of the tails, and a
  // smaller inflation loses mass.
  const int draws = 40;
  const double closer = 0.8, inflation = 1.1;
  const SplitT& before = part.leading.components[0];
  const Eigen::Index k = before.size();
  Proposal proposal;
  proposal.add(part, 1.0);
  const Eigen::MatrixXd uniform =
      sobol_points(target.dimension + Proposal::extra, draws, 0, 100 * seed + 77);
  Eigen::MatrixXd x(draws, k), slopes(draws, k);
  Eigen::Index used = 0;
  for (int i = 0; i < draws; ++i) {
    Eigen::VectorXd u = proposal.draw(uniform.col(i));
    u.head(k) = mode.head(k) + closer * (u - mode).head(k);
    const ValueGradient at = target.log_posterior_gradient(u);
    if (!std::isfinite(at.value)) continue;
    x.row(used) = before.along_axes(u.head(k)).transpose();
    slopes.row(used++) = before.slopes_along_axes(at.gradient.head(k)).transpose();
  }
  Eigen::VectorXd shift(k), left(k), right(k);
  for (Eigen::Index j = 0; j < k; ++j) {
    const AxisFit fit = fit_axis(x.col(j).head(used), slopes.col(j).head(used), before.left()[j],
                                 before.right()[j]);
    shift[j] = fit.shift;
    left[j] = inflation * fit.left;
    right[j] = inflation * fit.right;
  }
  return before.shifted(shift).with_scales(left, right);
}

}  // namespace btg
