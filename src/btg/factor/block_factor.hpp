// The factor of K as in block_state.hpp. The inducing functions act as columns Y = W_c V' of a
// regression whose coefficients have the prior N(0, I). With H = I + Y'Y,
//
//   W b = (e, u),   u = H^-1 Y' W_c b,   e = W_c b - Y u = W_c (b - V'u),
//
// so that |e|^2 + |u|^2 = b'W_c'(I - Y H^-1 Y')W_c b = b' K^-1 b, a sum of squares, and
// log|K| = sum_b log|L_bb|^2 + log|H|.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "btg/base/parallel.hpp"
#include "btg/factor/block_structure.hpp"
#include "btg/factor/covariance.hpp"
#include "btg/factor/factor.hpp"

namespace btg {

// Cross terms of points that are predicted from the sites of given groups, for a factor that
// BlockMethod made.
std::unique_ptr<const CrossTerms> block_cross(const Factor& factor, const Eigen::MatrixXd& points,
                                              SiteGroups groups);

// The same without the inducing functions: the points given the sites of their groups alone. This
// is exact if a group has all sites.
std::unique_ptr<const CrossTerms> local_cross(const Factor& factor, const Eigen::MatrixXd& points,
                                              SiteGroups groups);

// Converts a prepared column of the factor to the form that local_cross uses.
Eigen::VectorXd prepare_local(const Factor& factor, const Eigen::VectorXd& prepared);

class BlockMethod final : public FactorMethod {
 public:
  explicit BlockMethod(std::shared_ptr<const BlockStructure> structure);

  std::unique_ptr<const Factor> factor(const Covariance& covariance, const Eigen::MatrixXd& inputs,
                                       const Eigen::VectorXd& noise,
                                       const Execution& execution) const override;

  const std::shared_ptr<const BlockStructure>& structure() const { return structure_; }

  bool threads_within() const override { return true; }

  double factor_bytes(double n, double columns) const override;
  double shared_bytes() const override;

  double factor_cost(double n) const override { return n * cost_of_site(most_members_); }
  // Assumes as many points per cell as sites.
  double cross_cost(double /*n*/) const override { return cost_of_site(most_around_); }
  double project_cost(double n) const override { return 0.5 * factor_cost(n); }
  // Measured for 10^5 sites.
  double shared_cost(double /*n*/) const override { return 0.05; }
  Eigen::Index points_at_a_time(Eigen::Index /*n*/) const override { return 2048; }
  std::vector<int> visiting_order(const Eigen::MatrixXd& points) const override;
  SiteGroups groups_of(const Eigen::MatrixXd& points) const override;

 private:
  // Operations per site for C and its factor in a block of m members, W_b, W_c V', V and H.
  double cost_of_site(double m) const;

  std::shared_ptr<const BlockStructure> structure_;
  int most_members_ = 0, most_sites_ = 1, most_around_ = 0;
};

}  // namespace btg
