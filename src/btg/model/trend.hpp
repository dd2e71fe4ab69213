// The trend basis M, orthonormalised once: M = B R. The model sees B, which is well
// conditioned whatever the units of the trend's columns; likelihoods are those of M.
#pragma once

#include <Eigen/Core>
#include <Eigen/QR>
#include <cmath>
#include <vector>

#include "btg/base/error.hpp"

namespace btg {

class Trend {
 public:
  Trend() = default;

  explicit Trend(const Eigen::MatrixXd& columns) {
    const Eigen::Index n = columns.rows(), p = columns.cols();
    if (p < 1 || n <= p) throw Error("trend", "The trend needs 1 to n - 1 columns.");
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns);
    basis_ = qr.householderQ() * Eigen::MatrixXd::Identity(n, p);
    triangle_ = qr.matrixQR().topRows(p).triangularView<Eigen::Upper>();
    log_abs_det_ = triangle_.diagonal().array().abs().log().sum();
    const Eigen::ArrayXd size = columns.colwise().norm().transpose();
    if (!(triangle_.diagonal().array().abs() > 1e-13 * size).all()) {
      throw Error("trend", "The trend is rank deficient.");
    }
  }

  // That of the rows `rows` of M, each as often as it is there.
  Trend at_rows(const std::vector<int>& rows) const {
    Eigen::MatrixXd selected(rows.size(), basis_.cols());
    for (std::size_t i = 0; i < rows.size(); ++i) selected.row(i) = basis_.row(rows[i]);
    Trend result(selected);
    result.triangle_ = result.triangle_.triangularView<Eigen::Upper>() * triangle_;
    result.log_abs_det_ += log_abs_det_;
    return result;
  }

  const Eigen::MatrixXd& basis() const { return basis_; }
  double log_abs_det() const { return log_abs_det_; }

  // Rows of M to rows of B. Of none, Eigen would refer to the first number.
  Eigen::MatrixXd to_basis(const Eigen::MatrixXd& columns) const {
    if (columns.size() == 0) return columns;
    return triangle_.triangularView<Eigen::Upper>().solve<Eigen::OnTheRight>(columns);
  }

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
