// The modes of a posterior in u, with the curvature at each.
#pragma once

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

#include "../error.hpp"
#include "bfgs.hpp"
#include "normal_points.hpp"
#include "rule.hpp"
#include "sobol_points.hpp"

namespace btg {

struct Mode {
  Eigen::VectorXd point;
  double log_posterior;
  Eigen::VectorXd curvatures;  // eigenvalues of minus the Hessian, floored
  Eigen::MatrixXd axes;        // and its eigenvectors
  double log_mass() const {    // Laplace's approximation
    return log_posterior + 0.5 * static_cast<double>(point.size()) * std::log(2.0 * M_PI) -
           0.5 * curvatures.array().log().sum();
  }
};

struct ModeSearch {
  int screened = 32;  // prior points tried; the best few become starts
  int screened_starts = 2;
  double depth = 6.0;       // modes lower than the best by more than this are dropped
  double separation = 0.3;  // modes closer than this are one
  double floor = 0.3;       // of the curvatures: no axis much longer than the prior's
  int most = 4;             // modes kept
};

// Minus the Hessian, from forward differences of gradients at the mode.
inline void add_curvature(const Target& target, const Eigen::VectorXd& gradient, double floor,
                          Mode& mode) {
  const Eigen::Index d = mode.point.size();
  const double step = 1e-3;
  Eigen::MatrixXd hessian(d, d);
  for (Eigen::Index k = 0; k < d; ++k) {
    Eigen::VectorXd moved = mode.point;
    moved[k] += step;
    const ValueGradient at = target.log_posterior_gradient(moved);
    hessian.col(k) = std::isfinite(at.value) ? Eigen::VectorXd((gradient - at.gradient) / step)
                                             : Eigen::VectorXd::Unit(d, k);
  }
  const Eigen::MatrixXd symmetric = 0.5 * (hessian + hessian.transpose());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(symmetric);
  mode.curvatures = eigen.eigenvalues().cwiseMax(floor);
  mode.axes = eigen.eigenvectors();
}

// The target's starts, then the best of some prior points.
inline std::vector<Eigen::VectorXd> search_starts(const Target& target, const ModeSearch& search) {
  std::vector<Eigen::VectorXd> starts = target.starts;
  if (search.screened_starts == 0) return starts;
  const Eigen::MatrixXd points = normal_points(sobol_points(target.dimension, search.screened));
  Eigen::VectorXd height = target.log_likelihood(points);
  for (Eigen::Index i = 0; i < height.size(); ++i) height[i] += log_normal_density(points.col(i));
  for (int taken = 0; taken < search.screened_starts; ++taken) {
    Eigen::Index best;
    if (!std::isfinite(height.maxCoeff(&best))) break;
    starts.push_back(points.col(best));
    height[best] = -INFINITY;
  }
  return starts;
}

// All modes found, highest first. Throws if there is no point of positive density.
inline std::vector<Mode> find_modes(const Target& target, const ModeSearch& search) {
  std::vector<Maximum> found;
  const auto known = [&](const Eigen::VectorXd& point, double value) {
    return std::any_of(found.begin(), found.end(), [&](const Maximum& mode) {
      return (mode.point - point).norm() < search.separation && value <= mode.at.value + 0.1;
    });
  };
  const auto climb = [&](const Eigen::VectorXd& start) {
    const Maximum top = maximise(target.log_posterior_gradient, start, 1e-3, 60, 2.0, known);
    if (std::isfinite(top.at.value) && !known(top.point, top.at.value)) found.push_back(top);
  };
  for (const Eigen::VectorXd& start : search_starts(target, search)) climb(start);
  if (found.empty()) {
    throw Error("numerical", "The likelihood could not be evaluated at any starting point.");
  }
  const auto higher = [](const Maximum& a, const Maximum& b) { return a.at.value > b.at.value; };
  for (const Eigen::VectorXd& kernel : target.kernel_restarts) {
    Eigen::VectorXd start = std::min_element(found.begin(), found.end(), higher)->point;
    start.head(kernel.size()) = kernel;
    climb(start);
  }
  std::stable_sort(found.begin(), found.end(), higher);

  std::vector<Mode> modes;
  for (const Maximum& top : found) {
    if (top.at.value < found.front().at.value - search.depth) break;
    if (static_cast<int>(modes.size()) == search.most) break;
    modes.push_back({top.point, top.at.value, {}, {}});
    add_curvature(target, top.at.gradient, search.floor, modes.back());
  }
  return modes;
}

}  // namespace btg
