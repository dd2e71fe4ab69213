// Noise variance of a row of weight 1, relative to the process, as a function of its position x and
// of the hyperparameters of role `noise`, sigma2 and gamma:
//
//   v(x) = sigma2 exp(b(x)' gamma)
//
// The columns b(x) describe the position. If a model uses none of them, the noise is constant. A
// row of weight w has variance v(x) / w.
#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

namespace btg {

class NoiseModel {
 public:
  NoiseModel() = default;
  // `columns` has one row per site; the model uses only the columns `used`.
  NoiseModel(Eigen::MatrixXd columns, std::vector<int> used)
      : columns_(std::move(columns)), used_(std::move(used)) {}

  const Eigen::MatrixXd& columns() const { return columns_; }
  const std::vector<int>& used() const { return used_; }
  bool constant() const { return used_.empty(); }
  int parameter_count() const { return 1 + static_cast<int>(used_.size()); }

  // Returns the same model at positions with other `columns`.
  NoiseModel at(Eigen::MatrixXd columns) const { return {std::move(columns), used_}; }

  // v at `count` positions with these columns.
  Eigen::VectorXd variance_at(const Eigen::MatrixXd& columns, Eigen::Index count,
                              const double* parameters) const;

  // d log v at `count` positions, given the slopes of the columns.
  Eigen::VectorXd log_slope_at(const Eigen::MatrixXd& slopes, Eigen::Index count,
                               const double* parameters) const;

  // v at each of the `count` sites.
  Eigen::VectorXd variance(Eigen::Index count, const double* parameters) const {
    return variance_at(columns_, count, parameters);
  }

  // Maps derivatives of a function in each v to derivatives in log sigma2 and gamma.
  void gradient(const Eigen::VectorXd& slopes, const double* parameters, double* out) const;

 private:
  Eigen::MatrixXd columns_;
  std::vector<int> used_;
};

}  // namespace btg
