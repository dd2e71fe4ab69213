// Maximises a smooth function of a few variables by BFGS with a backtracking line search.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>

#include "btg/numerics/value_gradient.hpp"

namespace btg {

struct Maximum {
  Eigen::VectorXd point;
  ValueGradient at;
  bool converged = false;
};

// `metric` is a first guess of the inverse of minus the Hessian. Stops when a quasi-Newton step
// promises less than `tolerance`, after `iterations` steps, or when `give_up(point, value)` says
// that the search is not worth going on. Steps are at most `longest` long. A start of value -Inf is
// returned as it is.
inline Maximum maximise(const std::function<ValueGradient(const Eigen::VectorXd&)>& function,
                        const Eigen::VectorXd& start, const Eigen::MatrixXd& metric,
                        double tolerance, int iterations, double longest,
                        const std::function<bool(const Eigen::VectorXd&, double)>& give_up) {
  Maximum best{start, function(start), false};
  if (!std::isfinite(best.at.value)) return best;
  Eigen::MatrixXd inverse_hessian = metric;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    Eigen::VectorXd direction = inverse_hessian * best.at.gradient;
    const double promise = 0.5 * direction.dot(best.at.gradient);
    if (promise < tolerance) {
      best.converged = true;
      return best;
    }
    if (give_up(best.point, best.at.value)) return best;
    direction *= std::min(1.0, longest / direction.norm());

    double step = 1.0;
    ValueGradient next;
    const double slope = direction.dot(best.at.gradient);
    for (int halving = 0; halving < 12; ++halving) {
      next = function(best.point + step * direction);
      if (next.value >= best.at.value + 1e-4 * step * slope) break;
      // The maximum of the parabola through what is known, within reason.
      const double fall = best.at.value + step * slope - next.value;
      const double parabola = std::isfinite(fall) ? 0.5 * step * step * slope / fall : 0.0;
      step = std::min(0.5 * step, std::max(0.1 * step, parabola));
    }
    if (!(next.value > best.at.value)) return best;
    const Eigen::VectorXd moved = step * direction;
    const Eigen::VectorXd change = best.at.gradient - next.gradient;
    const double curvature = moved.dot(change);
    best.point += moved;
    best.at = next;
    if (curvature <= 1e-10 * moved.norm() * change.norm()) continue;
    if (iteration == 0)
      inverse_hessian *= std::min(1.0, curvature / change.dot(inverse_hessian * change));
    const Eigen::VectorXd hy = inverse_hessian * change;
    const double yhy = change.dot(hy);
    inverse_hessian += (1.0 + yhy / curvature) / curvature * moved * moved.transpose() -
                       (hy * moved.transpose() + moved * hy.transpose()) / curvature;
  }
  return best;
}

}  // namespace btg
