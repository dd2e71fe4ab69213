// The noise of a row of weight 1, relative to the process, as a function of where it is and of the
// hyperparameters of role `noise`, sigma2 and gamma:
//
//   v(x) = sigma2 exp(b(x)' gamma)
//
// where b(x) are columns that describe the place; a model may use some of them, or none: then the
// noise is the same everywhere. A row of weight w has v(x) / w.
#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

namespace btg {

class NoiseModel {
 public:
  NoiseModel() = default;
  // The rows of `columns` are those of the sites, of which the model uses the columns `used`.
  NoiseModel(Eigen::MatrixXd columns, std::vector<int> used)
      : columns_(std::move(columns)), used_(std::move(used)) {}

  const Eigen::MatrixXd& columns() const { return columns_; }
  const std::vector<int>& used() const { return used_; }
  bool constant() const { return used_.empty(); }
  int parameter_count() const { return 1 + static_cast<int>(used_.size()); }

  // The same model for places with other `columns`.
  NoiseModel at(Eigen::MatrixXd columns) const { return {std::move(columns), used_}; }

  // v of each of `count` places with these columns.
  Eigen::VectorXd variance_at(const Eigen::MatrixXd& columns, Eigen::Index count,
                              const double* parameters) const;

  // d log v of each of `count` places where the columns change by these slopes.
  Eigen::VectorXd log_slope_at(const Eigen::MatrixXd& slopes, Eigen::Index count,
                               const double* parameters) const;

  // v of each of the `count` sites.
  Eigen::VectorXd variance(Eigen::Index count, const double* parameters) const {
    return variance_at(columns_, count, parameters);
  }

  // From the slopes of a function in each v to its slopes in log sigma2 and gamma.
  void gradient(const Eigen::VectorXd& slopes, const double* parameters, double* out) const;

 private:
  Eigen::MatrixXd columns_;
  std::vector<int> used_;
};

}  // namespace btg
