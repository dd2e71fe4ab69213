// The correlation of the process at one value of its hyperparameters: a kernel, its form, and the
// lengthscale of each input column.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/compute/compute.hpp"

namespace btg {

// All functions except `scale` take scaled points, one per row.
struct Covariance {
  const Compute* compute;
  const btg_compute::Kernel* kernel;
  Form form;
  std::vector<double> parameters;            // kernel parameters
  Eigen::RowVectorXd length_scales;          // of each column of the inputs
  std::vector<double> level_distances = {};  // as in Correlation; empty if no column holds levels

  Eigen::MatrixXd scale(const Eigen::MatrixXd& points) const {
    return points.array().rowwise() / length_scales.array();
  }
  int columns() const { return static_cast<int>(length_scales.size()); }
  // Derivatives are in the log lengthscale of each column, then in the log kernel parameters.
  int slope_count() const { return columns() + kernel->n_parameters; }

  // Lower triangle of R (n x n).
  void correlation(const double* x, int n, double* r) const {
    compute->correlation(how(), x, n, columns(), r);
  }
  // R (n x m) between x and y.
  void cross(const double* x, int n, const double* y, int m, double* r) const {
    compute->cross_correlation(how(), x, n, y, m, columns(), r);
  }
  // sum_ij S_ij dR_ij with S = left left' - inverse, given the lower triangle of `inverse`.
  void gradient(const double* x, int n, const double* inverse, const double* left, int left_columns,
                double* slopes) const {
    compute->correlation_gradient(how(), x, n, columns(), inverse, left, left_columns, slopes);
  }
  // sum_ij weights_ij dR_ij between x and y.
  void cross_gradient(const double* x, int n, const double* y, int m, const double* weights,
                      double* slopes) const {
    compute->cross_gradient(how(), x, n, y, m, columns(), weights, slopes);
  }
  // dR_ij / dy_jk in the units of the inputs: one n x m matrix per column k.
  Eigen::MatrixXd cross_slopes(const double* x, int n, const double* y, int m) const {
    Eigen::MatrixXd slopes(n, Eigen::Index{m} * columns());
    compute->cross_slopes(how(), x, n, y, m, columns(), slopes.data());
    for (int k = 0; k < columns(); ++k) {
      slopes.middleCols(Eigen::Index{m} * k, m) /= length_scales[k];
    }
    return slopes;
  }
  // Prior variance of the process's derivative in each input, in the units of the inputs. Requires
  // a kernel that is smooth at 0.
  Eigen::RowVectorXd slope_variance() const {
    const Eigen::Array<double, 8, 1> zero = Eigen::Array<double, 8, 1>::Zero();
    Eigen::Array<double, 8, 1> slope;
    kernel->log_slope(parameters.data(), zero.data(), 8, slope.data());
    return -2.0 * slope[0] / length_scales.array().square();
  }

 private:
  btg_compute::Correlation how() const {
    return {kernel, form, parameters.data(),
            level_distances.empty() ? nullptr : level_distances.data()};
  }
};

}  // namespace btg
