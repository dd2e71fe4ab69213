#include "btg/model/noise.hpp"

#include <cstddef>

namespace btg {

Eigen::VectorXd NoiseModel::variance_at(const Eigen::MatrixXd& columns, Eigen::Index count,
                                        const double* parameters) const {
  Eigen::ArrayXd exponent = Eigen::ArrayXd::Zero(count);
  for (std::size_t k = 0; k < used_.size(); ++k) {
    exponent += parameters[1 + k] * columns.col(used_[k]).array();
  }
  return parameters[0] * exponent.exp();
}

Eigen::VectorXd NoiseModel::log_slope_at(const Eigen::MatrixXd& slopes, Eigen::Index count,
                                         const double* parameters) const {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(count);
  for (std::size_t k = 0; k < used_.size(); ++k) {
    result += parameters[1 + k] * slopes.col(used_[k]);
  }
  return result;
}

void NoiseModel::gradient(const Eigen::VectorXd& slopes, const double* parameters,
                          double* out) const {
  const Eigen::VectorXd relative = slopes.cwiseProduct(variance(slopes.size(), parameters));
  out[0] = relative.sum();
  for (std::size_t k = 0; k < used_.size(); ++k) {
    out[1 + k] = columns_.col(used_[k]).dot(relative);
  }
}

}  // namespace btg
