// Noise variance of a row of weight 1, relative to the process, as a function of its position x and
// of the hyperparameters of role `noise`, sigma2 and gamma:
//
//   v(x) = floor + sigma2 exp(b(x)' gamma)
//
// The floor is a constant of the model. It is the noise below which K is singular to rounding: with
// it, likelihoods, predictions and left-out rows of noise-free data are those of one model.
//
// The columns b(x) describe the position. If a model uses none of them, the noise is constant. A
// row of weight w has variance v(x) / w.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace btg {

class NoiseModel {
 public:
  NoiseModel() = default;
  // `columns` has one row per site; the model uses only the columns `used`.
  NoiseModel(Eigen::MatrixXd columns, std::vector<int> used, double floor = 0.0)
      : columns_(std::move(columns)), used_(std::move(used)), floor_(floor) {}

  const Eigen::MatrixXd& columns() const { return columns_; }
  const std::vector<int>& used() const { return used_; }
  bool constant() const { return used_.empty(); }
  double floor() const { return floor_; }
  void set_floor(double floor) { floor_ = floor; }
  int parameter_count() const { return 1 + static_cast<int>(used_.size()); }

  // Returns the same model at positions with other `columns`.
  NoiseModel at(Eigen::MatrixXd columns) const { return {std::move(columns), used_, floor_}; }

  // v at `count` positions with these columns.
  Eigen::VectorXd variance_at(const Eigen::MatrixXd& columns, Eigen::Index count,
                              const double* parameters) const;

  // d v at `count` positions with these columns, given the slopes of the columns.
  Eigen::VectorXd slope_at(const Eigen::MatrixXd& columns, const Eigen::MatrixXd& slopes,
                           Eigen::Index count, const double* parameters) const;

  // v at each of the `count` sites.
  Eigen::VectorXd variance(Eigen::Index count, const double* parameters) const {
    return variance_at(columns_, count, parameters);
  }

  // Maps derivatives of a function in each v to derivatives in log sigma2 and gamma.
  void gradient(const Eigen::VectorXd& slopes, const double* parameters, double* out) const;

 private:
  // v - floor
  Eigen::VectorXd above_floor(const Eigen::MatrixXd& columns, Eigen::Index count,
                              const double* parameters) const;

  Eigen::MatrixXd columns_;
  std::vector<int> used_;
  double floor_ = 0.0;
};

// The floor for K of this many sites, which are worth at most `largest_weight` rows of weight 1.
// Rounding changes elements of K by a few eps, and the log likelihood of n rows by about n eps / v.
inline double noise_floor(Eigen::Index sites, double largest_weight) {
  const double eps = std::numeric_limits<double>::epsilon();
  return 100.0 * eps * static_cast<double>(sites) * std::max(1.0, largest_weight);
}

}  // namespace btg
