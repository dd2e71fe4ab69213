// The trend basis M, orthonormalised once: M = B R. The model sees B, which is well
// conditioned whatever the units of the trend's columns; likelihoods are those of M.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace btg {

class Trend {
 public:
  Trend() = default;

  explicit Trend(const Eigen::MatrixXd& columns);

  // That of the rows `rows` of M, each as often as it is there.
  Trend at_rows(const std::vector<int>& rows) const;

  const Eigen::MatrixXd& basis() const { return basis_; }
  double log_abs_det() const { return log_abs_det_; }

  // Rows of M to rows of B. Of none, Eigen would refer to the first number.
  Eigen::MatrixXd to_basis(const Eigen::MatrixXd& columns) const;

  // Coefficients of B's columns, one set a column of `coefficients`, to those of M's.
  Eigen::MatrixXd from_basis(const Eigen::MatrixXd& coefficients) const {
    return triangle_.triangularView<Eigen::Upper>().solve(coefficients);
  }

 private:
  Eigen::MatrixXd basis_;
  Eigen::MatrixXd triangle_;
  double log_abs_det_ = 0.0;
};

}  // namespace btg
