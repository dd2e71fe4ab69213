// Small random problems, and the model's formulas written down naively: explicit
// inverses and determinants in long double.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>
#include <cmath>
#include <random>
#include <vector>

namespace problems {

using Long = long double;
using LongMatrix = Eigen::Matrix<Long, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<Long, Eigen::Dynamic, 1>;

// The same numbers on every machine, unlike the distributions of <random>.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  double uniform(double lower, double upper) {
    return lower + (upper - lower) * (engine_() + 0.5) / 4294967296.0;
  }
  int integer(int lower, int upper) {
    return static_cast<int>(std::floor(uniform(lower, upper + 1.0)));
  }
  Eigen::MatrixXd matrix(int rows, int columns, double lower = -1.0, double upper = 1.0) {
    Eigen::MatrixXd result(rows, columns);
    for (Eigen::Index i = 0; i < result.size(); ++i) result.data()[i] = uniform(lower, upper);
    return result;
  }
  // 1, x, x^2, ... at random x.
  Eigen::MatrixXd polynomial_trend(int rows, int columns) {
    const Eigen::ArrayXd x = matrix(rows, 1).array();
    Eigen::MatrixXd result(rows, columns);
    for (int k = 0; k < columns; ++k) result.col(k) = x.pow(k).matrix();
    return result;
  }

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

inline Long log_abs_determinant(const LongMatrix& a) {
  return Eigen::FullPivLU<LongMatrix>(a).matrixLU().diagonal().array().abs().log().sum();
}

// The whole symmetric matrix from its lower triangle.
inline Eigen::MatrixXd symmetric(const Eigen::MatrixXd& lower) {
  return lower.selfadjointView<Eigen::Lower>();
}

// Generalised least squares of z on M with covariance K, and prediction from it.
struct NaiveFit {
  NaiveFit(const Eigen::MatrixXd& k_, const Eigen::MatrixXd& m_, const Eigen::VectorXd& z_)
      : k(k_.cast<Long>()), m(m_.cast<Long>()), z(z_.cast<Long>()) {
    k_inverse = Eigen::FullPivLU<LongMatrix>(k).inverse();
    const LongMatrix a = m.transpose() * k_inverse * m;
    a_inverse = Eigen::FullPivLU<LongMatrix>(a).inverse();
    beta = a_inverse * m.transpose() * k_inverse * z;
    e = k_inverse * (z - m * beta);
    q = (z - m * beta).dot(e);
    half_log_det_kernel = log_abs_determinant(k) / 2;
    half_log_det = half_log_det_kernel + log_abs_determinant(a) / 2;
  }

  double log_marginal(double log_jacobian) const {
    const Long n = z.size(), p = m.cols();
    return static_cast<double>(-half_log_det - (n - p) / 2 * std::log(q) +
                               (1 - p / n) * log_jacobian);
  }
  // The normal density of z at beta and 1 / tau = q / n, less -n/2 (log(2 pi / n) + 1).
  double log_profile(double log_jacobian) const {
    const Long n = z.size();
    return static_cast<double>(-half_log_det_kernel - n / 2 * std::log(q) + log_jacobian);
  }
  double location(const Eigen::VectorXd& cross, const Eigen::VectorXd& trend) const {
    return static_cast<double>(cross.cast<Long>().dot(e) + trend.cast<Long>().dot(beta));
  }
  double variance(const Eigen::VectorXd& cross, const Eigen::VectorXd& trend, double c0) const {
    // With a factor instead of the inverse: the difference is small next to a datum.
    const Eigen::LLT<LongMatrix> factor(k);
    const LongVector c = factor.matrixL().solve(cross.cast<Long>());
    const LongVector u = trend.cast<Long>() - LongMatrix(factor.matrixL().solve(m)).transpose() * c;
    return static_cast<double>(c0 - c.squaredNorm() + u.dot(a_inverse * u));
  }
  double scale(const Eigen::VectorXd& cross, const Eigen::VectorXd& trend, double c0) const {
    return std::sqrt(static_cast<double>(q) * variance(cross, trend, c0) /
                     static_cast<double>(z.size() - m.cols()));
  }

  LongMatrix k, m;
  LongVector z, beta, e;  // e = K^-1 (z - M beta)
  LongMatrix k_inverse, a_inverse;
  Long q, half_log_det_kernel, half_log_det;
};

}  // namespace problems
