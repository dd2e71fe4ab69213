// The prior covariance of the process at one value of its hyperparameters, a sum of terms:
//
//   R(x, x') = sum_t rho_t R_t(x, x'),   sum_t rho_t = 1
//
// Each R_t is a correlation of its own columns of the inputs: a kernel and its form, a linear
// function, or a constant. A term by groups is 0 between different groups. Input maps with
// parameters of their own may act on the columns first.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/compute/compute.hpp"
#include "btg/factor/input_map.hpp"

namespace btg {

// One term. Its columns are adjacent in the inputs; if `grouped`, the last holds codes of groups.
struct CovarianceTerm {
  const btg_compute::Kernel* kernel;  // null for the forms that have none
  Form form;
  std::vector<double> parameters;  // of the kernel
  int first = 0, columns = 0;
  std::vector<double> level_distances = {};  // as in Correlation; empty if no column holds levels
  std::vector<int> input_ends = {};          // as in Correlation; empty if each column is an input
  bool grouped = false;
  double share = 1.0;             // rho_t; 0 leaves the term out
  std::vector<int> crossed = {};  // as in Correlation; the columns of its input maps

  int own_columns() const { return columns - static_cast<int>(grouped); }
  int input_count() const {
    return input_ends.empty() ? own_columns() : static_cast<int>(input_ends.size());
  }
  bool linear() const { return form == Form::linear; }
  bool holds_levels(int column) const {
    return !level_distances.empty() && level_distances[column] >= 0.0;
  }
};

// Points are scaled, one per row, except those of `scale`.
struct Covariance {
  const Compute* compute;
  std::vector<CovarianceTerm> terms;
  Eigen::RowVectorXd length_scales;  // of each column of the inputs; 1 where there is none
  std::vector<InputMap> maps = {};   // in the order of the columns; two with one lengthscale each

  // Maps points, then divides them by lengthscales.
  Eigen::MatrixXd scale(const Eigen::MatrixXd& points) const;
  int columns() const { return static_cast<int>(length_scales.size()); }
  int parameter_count() const;
  // Derivatives are in the log lengthscale of each column, then in the log kernel parameters of all
  // terms, then in the logs of the shares of all terms as if they were free, then in the parameters
  // of the maps.
  int first_share() const { return columns() + parameter_count(); }
  int first_map() const { return first_share() + static_cast<int>(terms.size()); }
  int slope_count() const { return first_map() + 2 * static_cast<int>(maps.size()); }

  // Leaves out the terms that are not kept; keeps all if `kept` is empty.
  Covariance only(const std::vector<bool>& kept) const;

  // Lower triangle of R (n x n).
  void correlation(const double* x, int n, double* r) const;
  // R (n x m) between x and y.
  void cross(const double* x, int n, const double* y, int m, double* r) const;
  // R(x, x) at each point.
  Eigen::VectorXd variance(const Eigen::MatrixXd& x) const;
  // sum_ij S_ij dR_ij with S = left left' - inverse, given the lower triangle of `inverse`.
  void gradient(const double* x, int n, const double* inverse, const double* left, int left_columns,
                double* slopes) const;
  // sum_ij weights_ij dR_ij between x and y.
  void cross_gradient(const double* x, int n, const double* y, int m, const double* weights,
                      double* slopes) const;

  // dR_ij / dy_jk in the units of the inputs: one n x m matrix per column k.
  Eigen::MatrixXd cross_slopes(const double* x, int n, const double* y, int m) const;
  // dR(x, x) / dx_k in the units of the inputs: points x columns.
  Eigen::MatrixXd variance_slopes(const Eigen::MatrixXd& x) const;
  // Prior covariance of the process's derivatives in all inputs, in the units of the inputs.
  // Requires kernels that are smooth at 0.
  Eigen::MatrixXd slope_covariance() const;

 private:
  btg_compute::Correlation how(const CovarianceTerm& term, bool add = false) const;
};

}  // namespace btg
