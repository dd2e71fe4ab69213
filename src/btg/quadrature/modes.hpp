// The modes of a posterior in u, with the curvature at each.
#pragma once

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/numerics/bfgs.hpp"
#include "btg/numerics/normal_points.hpp"
#include "btg/numerics/sobol_points.hpp"
#include "btg/quadrature/rule.hpp"

namespace btg {

struct Mode {
  Eigen::VectorXd point;
  double log_posterior;
  Eigen::VectorXd curvatures;  // eigenvalues of minus the Hessian, floored
  Eigen::MatrixXd axes;        // and its eigenvectors
  Eigen::MatrixXd precision() const { return axes * curvatures.asDiagonal() * axes.transpose(); }
  double log_mass() const {  // Laplace's approximation
    return log_posterior + 0.5 * static_cast<double>(point.size()) * std::log(2.0 * M_PI) -
           0.5 * curvatures.array().log().sum();
  }
};

// True if u is close to the mode in the leading k coordinates, whatever the others are.
inline bool alike(const Mode& mode, const Eigen::VectorXd& u, Eigen::Index k) {
  const Eigen::VectorXd along = mode.axes.topRows(k).transpose() * (u - mode.point).head(k);
  const double fall = 0.5 * (along.array().square() * mode.curvatures.array()).sum();
  return fall < std::max(0.5, 0.3 * static_cast<double>(k));
}

struct ModeSearch {
  int screened = 32;  // prior points tried; the best few become starts
  int screened_starts = 2;
  int most_gradients = 150;  // no climb starts after so many
  double depth = 6.0;        // modes lower than the best by more than this are dropped
  double separation = 0.3;   // modes closer than this are one
  double floor = 0.3;        // of the curvatures: no axis much longer than the prior's
  int most = 4;              // modes kept
  // Modes alike in the kernel's coordinates are one: the caller looks at the others itself.
  bool by_kernel = false;
  bool measure = true;  // the curvature at a mode; else it is as guessed
};

inline void set_curvature(const Eigen::MatrixXd& precision, double floor, Mode& mode) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(precision);
  mode.curvatures = eigen.eigenvalues().cwiseMax(floor);
  mode.axes = eigen.eigenvectors();
}

// Minus the Hessian, from forward differences of gradients at the mode.
inline void add_curvature(const Target& target, const Eigen::VectorXd& gradient, double floor,
                          Mode& mode) {
  const Eigen::Index d = mode.point.size();
  const double step = 1e-3;
  Eigen::MatrixXd moved = mode.point.replicate(1, d);
  moved.diagonal().array() += step;
  const std::vector<ValueGradient> at = gradients_at(target, moved);
  Eigen::MatrixXd hessian(d, d);
  for (Eigen::Index k = 0; k < d; ++k) {
    hessian.col(k) = std::isfinite(at[k].value)
                         ? Eigen::VectorXd((gradient - at[k].gradient) / step)
                         : Eigen::VectorXd::Unit(d, k);
  }
  set_curvature(0.5 * (hessian + hessian.transpose()), floor, mode);
}

// The covariance around a mode with all data, by the precision with a share of them: of minus the
// Hessian the likelihood's part grows with the data, the prior's is I.
inline Eigen::MatrixXd covariance_with_all(const Eigen::MatrixXd& precision, double share) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(precision);
  const Eigen::ArrayXd curvatures = ((eigen.eigenvalues().array() - 1.0) / share + 1.0).max(1.0);
  return eigen.eigenvectors() * curvatures.inverse().matrix().asDiagonal() *
         eigen.eigenvectors().transpose();
}

// Climbs from one start after another, and keeps the modes it reaches.
class ModeFinder {
 public:
  ModeFinder(const Target& target, const ModeSearch& search) : target_(target), search_(search) {}

  // From the target's starts, the best of some prior points, and the best mode found so
  // far with another kernel; or from warm starts, or the modes of the coarse target, alone, if they
  // lead to a mode. Throws if there is no point of positive density.
  void search() {
    if (target_.coarse && !target_.warm) {
      climb_from_coarse();
      if (!modes_.empty()) return;
    }
    for (std::size_t k = 0; k < target_.starts.size(); ++k) {
      const bool known = k < target_.start_covariances.size();
      climb(target_.starts[k], known ? target_.start_covariances[k] : metric());
    }
    if (target_.warm && !modes_.empty()) return;
    for (const Eigen::VectorXd& start : screened_starts()) climb(start);
    climb_from_afar();
    if (modes_.empty()) {
      throw Error("numerical", "The likelihood could not be evaluated at any starting point.");
    }
    for (const Eigen::VectorXd& kernel : target_.kernel_restarts) {
      Eigen::VectorXd start = best()[0].point;
      start.head(kernel.size()) = kernel;
      climb(start);
    }
  }

  // True if the climb reached a mode that is new and high enough to matter.
  bool climb(const Eigen::VectorXd& start) { return climb(start, metric()); }

  // `guess` is one of the inverse of minus the Hessian.
  bool climb(const Eigen::VectorXd& start, const Eigen::MatrixXd& guess) {
    if (gradients_ >= search_.most_gradients) return false;
    const auto gradient = [&](const Eigen::VectorXd& u) {
      ++gradients_;
      return target_.log_posterior_gradient(u);
    };
    const auto known = [&](const Eigen::VectorXd& u, double value) { return is_known(u, value); };
    const double longest = 1.0 + 0.5 * std::sqrt(static_cast<double>(start.size()));
    const Maximum top = maximise(gradient, start, guess, 5e-3, 60, longest, known);
    if (!std::isfinite(top.at.value) || known(top.point, top.at.value)) return false;
    if (!modes_.empty() && top.at.value < best()[0].log_posterior - search_.depth) return false;
    if (search_.by_kernel && is_alike(top.point, top.at.value)) {
      transforms_differ_ = true;
      return false;
    }
    modes_.push_back({top.point, top.at.value, {}, {}});
    if (search_.measure) {
      add_curvature(target_, top.at.gradient, search_.floor, modes_.back());
      gradients_ += target_.dimension;
    } else {
      set_curvature(guess.inverse(), search_.floor, modes_.back());
    }
    return true;
  }

  // True if modes were found, and not kept, that differ in the transform's coordinates alone.
  bool transforms_differ() const { return transforms_differ_; }

  // Highest first, without those too low to matter.
  std::vector<Mode> best() const {
    std::vector<Mode> kept = modes_;
    std::stable_sort(kept.begin(), kept.end(), [](const Mode& a, const Mode& b) {
      return a.log_posterior > b.log_posterior;
    });
    while (!kept.empty() && (static_cast<int>(kept.size()) > search_.most ||
                             kept.back().log_posterior < kept[0].log_posterior - search_.depth)) {
      kept.pop_back();
    }
    return kept;
  }

 private:
  void climb_from_coarse() {
    ModeFinder rough(*target_.coarse, search_);
    rough.search();
    for (const Mode& mode : rough.best()) {
      climb(mode.point, covariance_with_all(mode.precision(), target_.coarse_share));
    }
  }

  void climb_from_afar() {
    if (target_.far_starts.empty()) return;
    Eigen::MatrixXd points(target_.dimension, target_.far_starts.size() + 1);
    for (std::size_t k = 0; k < target_.far_starts.size(); ++k) {
      points.col(k) = target_.far_starts[k];
    }
    points.rightCols(1) = target_.starts[0];
    Eigen::Index best;
    heights(points).maxCoeff(&best);
    if (best + 1 < points.cols()) climb(points.col(best));
  }

  Eigen::VectorXd heights(const Eigen::MatrixXd& points) const {
    Eigen::VectorXd height = target_.log_likelihood(points);
    for (Eigen::Index i = 0; i < height.size(); ++i) height[i] += log_normal_density(points.col(i));
    return height;
  }

  std::vector<Eigen::VectorXd> screened_starts() const {
    const Eigen::MatrixXd points = normal_points(sobol_points(target_.dimension, search_.screened));
    Eigen::VectorXd height = heights(points);
    std::vector<Eigen::VectorXd> starts;
    while (static_cast<int>(starts.size()) < search_.screened_starts) {
      Eigen::Index best;
      if (!std::isfinite(height.maxCoeff(&best))) break;
      starts.emplace_back(points.col(best));
      height[best] = -INFINITY;
    }
    return starts;
  }

  // The inverse curvature of the mode found last: other modes tend to be as wide.
  Eigen::MatrixXd metric() const {
    if (modes_.empty()) return Eigen::MatrixXd::Identity(target_.dimension, target_.dimension);
    const Mode& last = modes_.back();
    return last.axes * last.curvatures.cwiseInverse().asDiagonal() * last.axes.transpose();
  }

  // In the basin of a known mode: close to it, or where its parabola tells the height.
  bool is_known(const Eigen::VectorXd& u, double value) const {
    return std::any_of(modes_.begin(), modes_.end(), [&](const Mode& mode) {
      const Eigen::VectorXd delta = u - mode.point;
      if (value > mode.log_posterior + 0.1) return false;
      if (delta.norm() < search_.separation) return true;
      const double fall =
          0.5 * ((mode.axes.transpose() * delta).array().square() * mode.curvatures.array()).sum();
      return fall < 3.0 && std::abs(mode.log_posterior - fall - value) < 0.3;
    });
  }

  // Not higher than a known mode, and alike.
  bool is_alike(const Eigen::VectorXd& u, double value) const {
    return std::any_of(modes_.begin(), modes_.end(), [&](const Mode& mode) {
      return value <= mode.log_posterior + 0.1 && alike(mode, u, target_.kernel_dimension);
    });
  }

  const Target& target_;
  ModeSearch search_;
  bool transforms_differ_ = false;
  int gradients_ = 0;
  std::vector<Mode> modes_;
};

// All modes found, highest first.
inline std::vector<Mode> find_modes(const Target& target, const ModeSearch& search) {
  ModeFinder finder(target, search);
  finder.search();
  return finder.best();
}

}  // namespace btg
