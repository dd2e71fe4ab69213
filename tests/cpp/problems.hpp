// Small random problems, and the model's formulas written down naively: explicit
// inverses and determinants in long double.
#pragma once

#include <Eigen/Core>
#include <random>
#include <string>
#include <vector>

#include "long_algebra.hpp"

namespace problems {

// The same numbers on every machine, unlike the distributions of <random>.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  double uniform(double lower, double upper) {
    return lower + (upper - lower) * (engine_() + 0.5) / 4294967296.0;
  }
  int integer(int lower, int upper);  // both included
  Eigen::MatrixXd matrix(int rows, int columns, double lower = -1.0, double upper = 1.0);
  // 1, x, x^2, ... at random x.
  Eigen::MatrixXd polynomial_trend(int rows, int columns);

 private:
  std::mt19937 engine_;
};

// Central difference of order h^6.
template <class F>
double difference(F f, double x, double h) {
  return (45 * (f(x + h) - f(x - h)) - 9 * (f(x + 2 * h) - f(x - 2 * h)) +
          (f(x + 3 * h) - f(x - 3 * h))) /
         (60 * h);
}

// The registered transforms of responses without an upper bound.
std::vector<std::string> unbounded_transforms();

// The whole symmetric matrix from its lower triangle.
Eigen::MatrixXd symmetric(const Eigen::MatrixXd& lower);

// Returns true for a kernel whose radial form is a correlation of one input only. Kernels listed in
// problems.cpp are exempt from tests of the radial form with several inputs.
bool needs_one_input(const std::string& kernel);

// Generalised least squares of z on M with covariance K, and prediction from it.
struct NaiveFit {
  NaiveFit(const Eigen::MatrixXd& k, const Eigen::MatrixXd& m, const Eigen::VectorXd& z);
  NaiveFit(LongMatrix k, LongMatrix m, LongVector z);

  double log_marginal(double log_jacobian) const;
  // The normal density of z at beta and 1 / tau = q / n, less -n/2 (log(2 pi / n) + 1).
  double log_profile(double log_jacobian) const;
  double location(const Eigen::VectorXd& cross, const Eigen::VectorXd& trend) const;
  double variance(const Eigen::VectorXd& cross, const Eigen::VectorXd& trend, double c0) const;
  double scale(const Eigen::VectorXd& cross, const Eigen::VectorXd& trend, double c0) const;
  Long long_location(const LongVector& cross, const LongVector& trend) const;
  Long long_variance(const LongVector& cross, const LongVector& trend, Long c0) const;

  LongMatrix k, m;
  LongMatrix l;                     // K = L L'
  LongVector z, beta, e, residual;  // e = K^-1 (z - M beta) = L^-T residual
  LongMatrix k_inverse, a_inverse;
  Long q, half_log_det_kernel, half_log_det;
};

}  // namespace problems
