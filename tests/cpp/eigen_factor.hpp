// Another way to hold K, for tests: by its eigenvectors, K = V D V' and W = D^-1/2 V'. What it
// whitens differs from what the dense factor does; what the model makes of it must not.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "btg/factor/factor.hpp"

namespace problems {

class EigenMethod final : public btg::FactorMethod {
 public:
  std::unique_ptr<const btg::Factor> factor(const btg::Covariance& covariance,
                                            const Eigen::MatrixXd& inputs,
                                            const Eigen::VectorXd& noise,
                                            const btg::Execution& execution) const override;

  double factor_cost(double n) const override { return 10.0 * n * n * n; }
  double cross_cost(double n) const override { return n * n; }
  double project_cost(double n) const override { return n * n * n; }
  double shared_cost(double /*n*/) const override { return 0.1; }
  // So few that several blocks are needed.
  Eigen::Index points_at_a_time(Eigen::Index /*n*/) const override { return 3; }
};

}  // namespace problems
