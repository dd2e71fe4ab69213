// Prior of lengthscales with a common location: x_j = log l_j = m + s e_j with e_j ~ N(0, 1),
// m ~ N(centre, width^2), and any prior on the spread s. Both are integrated out, m in closed form,
//
//     x | s ~ N(centre, s^2 I + width^2 1 1'),
//
// and s by Gauss-Legendre quadrature over its quantiles. Quadrature rules work with v, correlated
// standard normals with x_j = centre + scale * v_j that match the first two moments of x.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/numerics/value_gradient.hpp"
#include "btg/priors/prior.hpp"

namespace btg {

// Quadrature nodes of the spread, with their prior weights.
struct SpreadNodes {
  Eigen::ArrayXd values, weights;
};

inline SpreadNodes fixed_spread(double value) {
  return {Eigen::ArrayXd::Constant(1, value), Eigen::ArrayXd::Ones(1)};
}

SpreadNodes spread_nodes(const Prior& prior);

// A range of the spread with prior mass `share`. Given this range, u is nearly normal with mean 0
// and these standard deviations across and along (1, ..., 1).
struct CommonPart {
  double share, across, along;
};

class CommonPrior {
 public:
  // `count` is the number of lengthscales. A width of 0 fixes the location at `centre`.
  CommonPrior(Eigen::Index count, double centre, double width, SpreadNodes spread);

  Eigen::Index count() const { return count_; }
  double centre() const { return centre_; }
  double scale() const { return scale_; }

  // Maps independent standard normals to v, or derivatives in v to derivatives in u. The map is the
  // symmetric square root of the correlation matrix of v.
  Eigen::VectorXd correlate(const Eigen::VectorXd& u) const;
  Eigen::VectorXd decorrelate(const Eigen::VectorXd& v) const;

  // Splits the spread into ranges within a factor of 1.5, but into at most five.
  std::vector<CommonPart> parts() const;

  // Log density of x, with its gradient.
  ValueGradient log_density(const Eigen::VectorXd& x) const;

  // Log density of x minus the log density of the normal approximation.
  ValueGradient excess(const Eigen::VectorXd& x) const;

 private:
  CommonPart part_at(double spread, double share) const;

  Eigen::Index count_;
  double centre_, width_;
  SpreadNodes spread_;
  double scale_;             // sd of each x_j
  double apart_, together_;  // eigenvalues of the root across and along (1, ..., 1)
};

}  // namespace btg
