// Lengthscales with a common location: x_j = log l_j = m + s e_j with e_j ~ N(0, 1), m ~ N(centre,
// width^2), and a spread s of any prior. Both are integrated out, m in closed form,
//
//     x | s ~ N(centre, s^2 I + width^2 1 1'),
//
// and s by a Gauss rule over its quantiles. A rule of quadrature sees v, correlated standard
// normals with x_j = centre + scale * v_j, which have the first two moments of x.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/numerics/value_gradient.hpp"
#include "btg/priors/prior.hpp"

namespace btg {

// The spread at its nodes, with their prior weights.
struct SpreadNodes {
  Eigen::ArrayXd values, weights;
};

inline SpreadNodes fixed_spread(double value) {
  return {Eigen::ArrayXd::Constant(1, value), Eigen::ArrayXd::Ones(1)};
}

SpreadNodes spread_nodes(const Prior& prior);

// Given a range of the spread, u is nearly normal with mean 0: its standard deviations across and
// along (1, ..., 1), and the prior mass of the range.
struct CommonPart {
  double share, across, along;
};

class CommonPrior {
 public:
  // Of `count` lengthscales. A width of 0 is a known location.
  CommonPrior(Eigen::Index count, double centre, double width, SpreadNodes spread);

  Eigen::Index count() const { return count_; }
  double centre() const { return centre_; }
  double scale() const { return scale_; }

  // Independent standard normals to v, or derivatives in v to those in them: the map is the
  // symmetric root of v's correlation matrix.
  Eigen::VectorXd correlate(const Eigen::VectorXd& u) const;
  Eigen::VectorXd decorrelate(const Eigen::VectorXd& v) const;

  // Ranges of the spread over which it hardly changes by more than a half.
  std::vector<CommonPart> parts() const;

  // log density of x, and its gradient.
  ValueGradient log_density(const Eigen::VectorXd& x) const;

  // log density of x less that of the normal approximation.
  ValueGradient excess(const Eigen::VectorXd& x) const;

 private:
  CommonPart part_at(double spread, double share) const;

  Eigen::Index count_;
  double centre_, width_;
  SpreadNodes spread_;
  double scale_;             // sd of each x_j
  double apart_, together_;  // of the root: its eigenvalues across and along (1, ..., 1)
};

}  // namespace btg
