// Finds the modes of a posterior in u, with the curvature at each.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/quadrature/rule.hpp"

namespace btg {

struct Mode {
  Eigen::VectorXd point;
  double log_posterior;
  Eigen::VectorXd curvatures;  // eigenvalues of the negative Hessian, floored
  Eigen::MatrixXd axes;        // its eigenvectors
  Eigen::MatrixXd precision() const { return axes * curvatures.asDiagonal() * axes.transpose(); }
  double log_mass() const;
};

// True if u is near the mode in the leading k coordinates: going there lowers the log posterior by
// less than 0.5 or 0.3 k. A normal draw lowers it by 0.5 k on average.
bool alike(const Mode& mode, const Eigen::VectorXd& u, Eigen::Index k);

// Compromises: larger counts and depths find more modes, but leave less of the budget for nodes.
struct ModeSearch {
  int screened = 32;  // prior points tried; the best become starts
  int screened_starts = 2;
  int most_gradients = 150;  // no ascent starts after this many
  double depth = 6.0;        // modes lower by more than this, a factor of exp(-6), are dropped
  double separation = 0.3;   // in prior sds; closer modes count as one
  double floor = 0.3;  // of the curvatures, so that no axis exceeds 1 / sqrt(0.3) = 1.8 prior sds
  int most = 4;        // number of modes kept
  // Merges modes that agree in the kernel coordinates; the caller handles the transform's.
  bool by_kernel = false;
  bool measure = true;  // measures the curvature at a mode, else uses the guess
};

void set_curvature(const Eigen::MatrixXd& precision, double floor, Mode& mode);

// Computes the negative Hessian by forward differences of gradients at the mode.
void add_curvature(const Target& target, const Eigen::VectorXd& gradient, double floor, Mode& mode);

// Covariance around a mode given all data, from the precision given a share of them. The
// likelihood's part of the negative Hessian grows with the data; the prior's part is I.
Eigen::MatrixXd covariance_with_all(const Eigen::MatrixXd& precision, double share);

// Climbs from one start after another and stores the modes it reaches.
class ModeFinder {
 public:
  ModeFinder(const Target& target, const ModeSearch& search) : target_(target), search_(search) {}

  // Climbs from the target's starts, the best of some prior points, and the best mode with other
  // kernel coordinates. If warm starts or modes of the coarse target lead to a mode, it uses only
  // those. Throws if no point has positive density.
  void search();

  // Returns true if the ascent reached a new mode that is high enough to matter.
  bool climb(const Eigen::VectorXd& start) { return climb(start, metric()); }

  // `guess` approximates the inverse negative Hessian.
  bool climb(const Eigen::VectorXd& start, const Eigen::MatrixXd& guess);

  // True if some modes were dropped because they differ only in the transform's coordinates.
  bool transforms_differ() const { return transforms_differ_; }

  // Highest first, without those too low to matter.
  std::vector<Mode> best() const;

 private:
  void climb_from_coarse();

  void climb_from_afar();

  // Climbs from the best mode with other kernel coordinates.
  void climb_from_kernels(const std::vector<Eigen::VectorXd>& kernels);

  Eigen::VectorXd heights(const Eigen::MatrixXd& points) const;

  std::vector<Eigen::VectorXd> screened_starts() const;

  // Inverse curvature of the mode found last, since other modes tend to have a similar width.
  Eigen::MatrixXd metric() const;

  // True in the basin of a known mode: close to it, or where its parabola predicts the height.
  bool is_known(const Eigen::VectorXd& u, double value) const;

  // True if u is no higher than a known mode and alike.
  bool is_alike(const Eigen::VectorXd& u, double value) const;

  const Target& target_;
  ModeSearch search_;
  bool transforms_differ_ = false;
  int gradients_ = 0;
  std::vector<Mode> modes_;
};

// Laplace masses as shares of their sum, and summaries of the modes.
Eigen::VectorXd mode_masses(const std::vector<Mode>& modes);
std::vector<ModeSummary> summarise_modes(const std::vector<Mode>& modes);

// All modes found, highest first.
std::vector<Mode> find_modes(const Target& target, const ModeSearch& search);

}  // namespace btg
