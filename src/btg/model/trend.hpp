// The trend basis M, orthonormalised once: M = B R. The model uses B, which is well conditioned in
// any units of the trend's columns. Likelihoods are reported for M.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace btg {

class Trend {
 public:
  Trend() = default;

  explicit Trend(const Eigen::MatrixXd& columns);

  // The trend at `rows` of M, which may repeat.
  Trend at_rows(const std::vector<int>& rows) const;

  const Eigen::MatrixXd& basis() const { return basis_; }
  double log_abs_det() const { return log_abs_det_; }

  // Maps rows of M to rows of B. A row's result does not depend on the other rows.
  Eigen::MatrixXd to_basis(const Eigen::MatrixXd& columns) const;

  // Maps coefficients of B's columns to those of M's; each column is one set.
  Eigen::MatrixXd from_basis(const Eigen::MatrixXd& coefficients) const {
    return triangle_.triangularView<Eigen::Upper>().solve(coefficients);
  }

 private:
  Eigen::MatrixXd basis_;
  Eigen::MatrixXd triangle_;
  double log_abs_det_ = 0.0;
};

}  // namespace btg
