// The modes of a posterior in u, with the curvature at each.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/quadrature/rule.hpp"

namespace btg {

struct Mode {
  Eigen::VectorXd point;
  double log_posterior;
  Eigen::VectorXd curvatures;  // eigenvalues of minus the Hessian, floored
  Eigen::MatrixXd axes;        // and its eigenvectors
  Eigen::MatrixXd precision() const { return axes * curvatures.asDiagonal() * axes.transpose(); }
  double log_mass() const;
};

// True if u is close to the mode in the leading k coordinates, whatever the others are.
bool alike(const Mode& mode, const Eigen::VectorXd& u, Eigen::Index k);

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

void set_curvature(const Eigen::MatrixXd& precision, double floor, Mode& mode);

// Minus the Hessian, from forward differences of gradients at the mode.
void add_curvature(const Target& target, const Eigen::VectorXd& gradient, double floor, Mode& mode);

// The covariance around a mode with all data, by the precision with a share of them: of minus the
// Hessian the likelihood's part grows with the data, the prior's is I.
Eigen::MatrixXd covariance_with_all(const Eigen::MatrixXd& precision, double share);

// Climbs from one start after another, and keeps the modes it reaches.
class ModeFinder {
 public:
  ModeFinder(const Target& target, const ModeSearch& search) : target_(target), search_(search) {}

  // From the target's starts, the best of some prior points, and the best mode found so
  // far with another kernel; or from warm starts, or the modes of the coarse target, alone, if they
  // lead to a mode. Throws if there is no point of positive density.
  void search();

  // True if the climb reached a mode that is new and high enough to matter.
  bool climb(const Eigen::VectorXd& start) { return climb(start, metric()); }

  // `guess` is one of the inverse of minus the Hessian.
  bool climb(const Eigen::VectorXd& start, const Eigen::MatrixXd& guess);

  // True if modes were found, and not kept, that differ in the transform's coordinates alone.
  bool transforms_differ() const { return transforms_differ_; }

  // Highest first, without those too low to matter.
  std::vector<Mode> best() const;

 private:
  void climb_from_coarse();

  void climb_from_afar();

  Eigen::VectorXd heights(const Eigen::MatrixXd& points) const;

  std::vector<Eigen::VectorXd> screened_starts() const;

  // The inverse curvature of the mode found last: other modes tend to be as wide.
  Eigen::MatrixXd metric() const;

  // In the basin of a known mode: close to it, or where its parabola tells the height.
  bool is_known(const Eigen::VectorXd& u, double value) const;

  // Not higher than a known mode, and alike.
  bool is_alike(const Eigen::VectorXd& u, double value) const;

  const Target& target_;
  ModeSearch search_;
  bool transforms_differ_ = false;
  int gradients_ = 0;
  std::vector<Mode> modes_;
};

// Their Laplace masses as shares of the sum, and these with what else is reported of modes.
Eigen::VectorXd mode_masses(const std::vector<Mode>& modes);
std::vector<ModeSummary> summarise_modes(const std::vector<Mode>& modes);

// All modes found, highest first.
std::vector<Mode> find_modes(const Target& target, const ModeSearch& search);

}  // namespace btg
