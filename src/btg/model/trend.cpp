#include "btg/model/trend.hpp"

#include <cstddef>

#include "btg/base/error.hpp"
#include "btg/numerics/decompositions.hpp"

namespace btg {

Trend::Trend(const Eigen::MatrixXd& columns) {
  const Eigen::Index n = columns.rows(), p = columns.cols();
  if (p < 1 || n <= p) throw Error("trend", "The trend needs 1 to n - 1 columns.");
  ThinQr qr = thin_qr(columns);
  basis_ = std::move(qr.basis);
  triangle_ = std::move(qr.triangle);
  log_abs_det_ = triangle_.diagonal().array().abs().log().sum();
  const Eigen::ArrayXd size = columns.colwise().norm().transpose();
  if (!(triangle_.diagonal().array().abs() > 1e-13 * size).all()) {
    throw Error("trend", "The trend is rank deficient.");
  }
}

Trend Trend::at_rows(const std::vector<int>& rows) const {
  Eigen::MatrixXd selected(rows.size(), basis_.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) selected.row(i) = basis_.row(rows[i]);
  Trend result(selected);
  result.triangle_ = result.triangle_.triangularView<Eigen::Upper>() * triangle_;
  result.log_abs_det_ += log_abs_det_;
  return result;
}

Eigen::MatrixXd Trend::to_basis(const Eigen::MatrixXd& columns) const {
  Eigen::MatrixXd result = columns;
  for (Eigen::Index j = 0; j < result.cols(); ++j) {
    for (Eigen::Index k = 0; k < j; ++k) result.col(j) -= triangle_(k, j) * result.col(k);
    result.col(j) /= triangle_(j, j);
  }
  return result;
}

}  // namespace btg
