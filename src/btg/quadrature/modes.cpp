#include "btg/quadrature/modes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "btg/base/constants.hpp"
#include "btg/base/error.hpp"
#include "btg/numerics/ascent.hpp"
#include "btg/numerics/decompositions.hpp"
#include "btg/numerics/log_sum_exp.hpp"
#include "btg/numerics/normal_points.hpp"
#include "btg/numerics/sobol_points.hpp"
#include "btg/numerics/value_gradient.hpp"

namespace btg {

double Mode::log_mass() const {  // Laplace's approximation
  return log_posterior + 0.5 * static_cast<double>(point.size()) * log_two_pi -
         0.5 * curvatures.array().log().sum();
}

bool alike(const Mode& mode, const Eigen::VectorXd& u, Eigen::Index k) {
  const Eigen::VectorXd along = mode.axes.topRows(k).transpose() * (u - mode.point).head(k);
  const double fall = 0.5 * (along.array().square() * mode.curvatures.array()).sum();
  return fall < std::max(0.5, 0.3 * static_cast<double>(k));
}

void set_curvature(const Eigen::MatrixXd& precision, double floor, Mode& mode) {
  SymmetricEigen eigen = symmetric_eigen(precision);
  mode.curvatures = eigen.values.cwiseMax(floor);
  mode.axes = std::move(eigen.vectors);
}

void add_curvature(const Target& target, const Eigen::VectorXd& gradient, double floor,
                   Mode& mode) {
  const Eigen::Index d = mode.point.size();
  // A compromise: truncation error grows with the step, and rounding of gradients falls with it.
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

Eigen::MatrixXd covariance_with_all(const Eigen::MatrixXd& precision, double share) {
  const SymmetricEigen eigen = symmetric_eigen(precision);
  const Eigen::ArrayXd curvatures = ((eigen.values.array() - 1.0) / share + 1.0).max(1.0);
  return eigen.vectors * curvatures.inverse().matrix().asDiagonal() * eigen.vectors.transpose();
}

void ModeFinder::search() {
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
  climb_from_kernels(target_.kernel_restarts);
  if (!target_.quiet_restarts.empty() && target_.has_little_noise(best()[0].point)) {
    climb_from_kernels(target_.quiet_restarts);
  }
}

void ModeFinder::climb_from_kernels(const std::vector<Eigen::VectorXd>& kernels) {
  for (const Eigen::VectorXd& kernel : kernels) {
    Eigen::VectorXd start = best()[0].point;
    start.head(kernel.size()) = kernel;
    climb(start);
  }
}

bool ModeFinder::climb(const Eigen::VectorXd& start, const Eigen::MatrixXd& guess) {
  if (gradients_ >= search_.most_gradients) return false;
  const auto gradient = [&](const Eigen::VectorXd& u) {
    ++gradients_;
    return target_.log_posterior_gradient(u);
  };
  const auto known = [&](const Eigen::VectorXd& u, double value) { return is_known(u, value); };
  // The mode only places a proposal, so a gain below 5e-3 is not worth another gradient. Near the
  // mode of an estimated likelihood, gradients can point downhill; short steps do not help.
  const double longest = 1.0 + 0.5 * std::sqrt(static_cast<double>(start.size()));
  const double least_gain = target_.estimated ? 2e-2 : 5e-3;
  const int halvings = target_.estimated ? 3 : 12;
  const Maximum top =
      maximise(gradient, start, guess, {least_gain, 60, longest, {}, {}, halvings}, known);
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
    set_curvature(invert(guess).matrix, search_.floor, modes_.back());
  }
  return true;
}

std::vector<Mode> ModeFinder::best() const {
  std::vector<Mode> kept = modes_;
  std::stable_sort(kept.begin(), kept.end(),
                   [](const Mode& a, const Mode& b) { return a.log_posterior > b.log_posterior; });
  while (!kept.empty() && (static_cast<int>(kept.size()) > search_.most ||
                           kept.back().log_posterior < kept[0].log_posterior - search_.depth)) {
    kept.pop_back();
  }
  return kept;
}

void ModeFinder::climb_from_coarse() {
  ModeFinder rough(*target_.coarse, search_);
  rough.search();
  for (const Mode& mode : rough.best()) {
    climb(mode.point, covariance_with_all(mode.precision(), target_.coarse_share));
  }
}

void ModeFinder::climb_from_afar() {
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

Eigen::VectorXd ModeFinder::heights(const Eigen::MatrixXd& points) const {
  Eigen::VectorXd height = target_.log_likelihood(points);
  for (Eigen::Index i = 0; i < height.size(); ++i) height[i] += log_normal_density(points.col(i));
  return height;
}

std::vector<Eigen::VectorXd> ModeFinder::screened_starts() const {
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

Eigen::MatrixXd ModeFinder::metric() const {
  if (modes_.empty()) return Eigen::MatrixXd::Identity(target_.dimension, target_.dimension);
  const Mode& last = modes_.back();
  return last.axes * last.curvatures.cwiseInverse().asDiagonal() * last.axes.transpose();
}

bool ModeFinder::is_known(const Eigen::VectorXd& u, double value) const {
  return std::any_of(modes_.begin(), modes_.end(), [&](const Mode& mode) {
    const Eigen::VectorXd delta = u - mode.point;
    if (value > mode.log_posterior + 0.1) return false;
    if (delta.norm() < search_.separation) return true;
    const double fall =
        0.5 * ((mode.axes.transpose() * delta).array().square() * mode.curvatures.array()).sum();
    return fall < 3.0 && std::abs(mode.log_posterior - fall - value) < 0.3;
  });
}

bool ModeFinder::is_alike(const Eigen::VectorXd& u, double value) const {
  return std::any_of(modes_.begin(), modes_.end(), [&](const Mode& mode) {
    return value <= mode.log_posterior + 0.1 && alike(mode, u, target_.kernel_dimension);
  });
}

std::vector<Mode> find_modes(const Target& target, const ModeSearch& search) {
  ModeFinder finder(target, search);
  finder.search();
  return finder.best();
}

Eigen::VectorXd mode_masses(const std::vector<Mode>& modes) {
  Eigen::VectorXd log_mass(modes.size());
  for (std::size_t k = 0; k < modes.size(); ++k) log_mass[k] = modes[k].log_mass();
  return (log_mass.array() - log_sum_exp(log_mass)).exp();
}

std::vector<ModeSummary> summarise_modes(const std::vector<Mode>& modes) {
  const Eigen::VectorXd mass = mode_masses(modes);
  std::vector<ModeSummary> all;
  for (std::size_t k = 0; k < modes.size(); ++k) {
    const Mode& mode = modes[k];
    all.push_back({mode.point, mode.log_posterior, mode.log_mass(), mass[k], mode.precision()});
  }
  return all;
}

}  // namespace btg
