#include "problems.hpp"

#include <cmath>
#include <set>
#include <utility>

#include "btg/transforms/registry.hpp"

namespace problems {

int Random::integer(int lower, int upper) {
  return static_cast<int>(std::floor(uniform(lower, upper + 1.0)));
}

Eigen::MatrixXd Random::matrix(int rows, int columns, double lower, double upper) {
  Eigen::MatrixXd result(rows, columns);
  for (Eigen::Index i = 0; i < result.size(); ++i) result.data()[i] = uniform(lower, upper);
  return result;
}

Eigen::MatrixXd Random::polynomial_trend(int rows, int columns) {
  const Eigen::ArrayXd x = matrix(rows, 1).array();
  Eigen::MatrixXd result(rows, columns);
  for (int k = 0; k < columns; ++k) result.col(k) = x.pow(k).matrix();
  return result;
}

Eigen::MatrixXd symmetric(const Eigen::MatrixXd& lower) {
  return lower.selfadjointView<Eigen::Lower>();
}

std::vector<std::string> unbounded_transforms() {
  std::vector<std::string> names;
  for (const btg::Transform* g : btg::transform_registry()) {
    const std::vector<double> lambda(g->parameters().size(), 1.0);
    if (std::isinf(g->domain(lambda.data()).upper)) names.push_back(g->name());
  }
  return names;
}

bool needs_one_input(const std::string& kernel) {
  static const std::set<std::string> names{};
  return names.count(kernel) > 0;
}

NaiveFit::NaiveFit(const Eigen::MatrixXd& k_, const Eigen::MatrixXd& m_, const Eigen::VectorXd& z_)
    : NaiveFit(widen(k_), widen(m_), widen(z_)) {}

NaiveFit::NaiveFit(LongMatrix k_, LongMatrix m_, LongVector z_)
    : k(std::move(k_)), m(std::move(m_)), z(std::move(z_)) {
  k_inverse = inverse(k);
  // With a factor instead of the inverse, which is less accurate for a K that is nearly singular.
  l = cholesky(k);
  const LongMatrix whitened_m = solve(l, m);
  const LongVector whitened_z = solve(l, z);
  const LongMatrix a = transposed_times(whitened_m, whitened_m);
  a_inverse = inverse(a);
  beta = times(a_inverse, transposed_times(whitened_m, whitened_z));
  residual = whitened_z - LongVector(times(whitened_m, beta));
  e = solve(LongMatrix(l.transpose()), residual);
  q = residual.squaredNorm();
  half_log_det_kernel = log_abs_determinant(k) / 2;
  half_log_det = half_log_det_kernel + log_abs_determinant(a) / 2;
}

double NaiveFit::log_marginal(double log_jacobian) const {
  const Long n = z.size(), p = m.cols();
  return static_cast<double>(-half_log_det - (n - p) / 2 * std::log(q) +
                             (1 - p / n) * log_jacobian);
}

double NaiveFit::log_profile(double log_jacobian) const {
  const Long n = z.size();
  return static_cast<double>(-half_log_det_kernel - n / 2 * std::log(q) + log_jacobian);
}

double NaiveFit::location(const Eigen::VectorXd& cross, const Eigen::VectorXd& trend) const {
  return static_cast<double>(long_location(LongVector(widen(cross)), LongVector(widen(trend))));
}

Long NaiveFit::long_location(const LongVector& cross, const LongVector& trend) const {
  return LongVector(solve(l, cross)).dot(residual) + trend.dot(beta);
}

double NaiveFit::variance(const Eigen::VectorXd& cross, const Eigen::VectorXd& trend,
                          double c0) const {
  return static_cast<double>(
      long_variance(LongVector(widen(cross)), LongVector(widen(trend)), Long(c0)));
}

Long NaiveFit::long_variance(const LongVector& cross, const LongVector& trend, Long c0) const {
  const LongVector c = solve(l, cross);
  const LongVector u = trend - LongVector(transposed_times(solve(l, m), c));
  return c0 - c.squaredNorm() + u.dot(LongVector(times(a_inverse, u)));
}

double NaiveFit::scale(const Eigen::VectorXd& cross, const Eigen::VectorXd& trend,
                       double c0) const {
  return std::sqrt(static_cast<double>(q) * variance(cross, trend, c0) /
                   static_cast<double>(z.size() - m.cols()));
}

}  // namespace problems
