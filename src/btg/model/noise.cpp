#include "btg/model/noise.hpp"

#include <cstddef>

namespace btg {

Eigen::VectorXd NoiseModel::above_floor(const Eigen::MatrixXd& columns, Eigen::Index count,
                                        const double* parameters) const {
  Eigen::ArrayXd exponent = Eigen::ArrayXd::Zero(count);
  for (std::size_t k = 0; k < used_.size(); ++k) {
    exponent += parameters[1 + k] * columns.col(used_[k]).array();
  }
  return parameters[0] * exponent.exp();
}

Eigen::VectorXd NoiseModel::variance_at(const Eigen::MatrixXd& columns, Eigen::Index count,
                                        const double* parameters) const {
  return above_floor(columns, count, parameters).array() + floor_;
}

Eigen::VectorXd NoiseModel::slope_at(const Eigen::MatrixXd& columns, const Eigen::MatrixXd& slopes,
                                     Eigen::Index count, const double* parameters) const {
  Eigen::VectorXd exponent = Eigen::VectorXd::Zero(count);
  for (std::size_t k = 0; k < used_.size(); ++k) {
    exponent += parameters[1 + k] * slopes.col(used_[k]);
  }
  return above_floor(columns, count, parameters).cwiseProduct(exponent);
}

void NoiseModel::gradient(const Eigen::VectorXd& slopes, const double* parameters,
                          double* out) const {
  const Eigen::VectorXd relative =
      slopes.cwiseProduct(above_floor(columns_, slopes.size(), parameters));
  out[0] = relative.sum();
  for (std::size_t k = 0; k < used_.size(); ++k) {
    out[1 + k] = columns_.col(used_[k]).dot(relative);
  }
}

}  // namespace btg
