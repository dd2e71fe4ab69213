#include "rule_targets.hpp"

#include <cmath>

#include "long_algebra.hpp"

namespace rule_targets {

NormalPosterior::NormalPosterior(const VectorXd& a, const MatrixXd& p) : location(a), precision(p) {
  const MatrixXd h = MatrixXd::Identity(a.size(), a.size()) + p;
  covariance = problems::inverse(h);
  mean = covariance * (p * a);
  log_evidence =
      -0.5 * a.dot(p * a) + 0.5 * mean.dot(h * mean) - 0.5 * problems::log_abs_determinant(h);
}

ValueGradient NormalPosterior::log_likelihood(const VectorXd& u) const {
  const VectorXd gradient = precision * (location - u);
  return {-0.5 * (u - location).dot(precision * (u - location)), gradient};
}

Target NormalPosterior::target(const VectorXd& start) const {
  return smooth_target(start, [*this](const VectorXd& u) { return log_likelihood(u); });
}

btg::RuleOptions with(const btg::Rule& rule, const Changes& changes) {
  btg::RuleOptions options = rule.default_options();
  for (const auto& [name, option] : changes) options.set(name, option.value);
  return options;
}

double normal_cdf(double u) { return 0.5 * std::erfc(-u / std::sqrt(2.0)); }

Target cube_target(int dimension, std::function<double(const VectorXd& p)> f) {
  Target target;
  target.dimension = dimension;
  target.log_likelihood = [f](const MatrixXd& points) {
    VectorXd result(points.cols());
    for (Index i = 0; i < points.cols(); ++i) {
      result[i] = std::log(f(points.col(i).unaryExpr(&normal_cdf)));
    }
    return result;
  };
  return target;
}

Target smooth_target(const VectorXd& start,
                     std::function<ValueGradient(const VectorXd& u)> log_likelihood) {
  Target target;
  target.dimension = static_cast<int>(start.size());
  target.starts = {start};
  target.log_likelihood = [log_likelihood](const MatrixXd& points) {
    VectorXd result(points.cols());
    for (Index i = 0; i < points.cols(); ++i) result[i] = log_likelihood(points.col(i)).value;
    return result;
  };
  target.log_posterior_gradient = [log_likelihood](const VectorXd& u) {
    const ValueGradient at = log_likelihood(u);
    return ValueGradient{at.value + btg::log_normal_density(u), at.gradient - u};
  };
  return target;
}

NormalPosterior normal_posterior(int dimension) {
  VectorXd a(dimension);
  MatrixXd root = MatrixXd::Zero(dimension, dimension);
  for (int k = 0; k < dimension; ++k) {
    a[k] = 0.5 * std::cos(1.0 + 2.0 * k);
    for (int j = 0; j <= k; ++j) root(k, j) = j == k ? 0.5 + 0.2 * k : 0.3 * std::sin(k + 3.0 * j);
  }
  return {a, root * root.transpose()};
}

double integrate(const btg::WeightedPoints& points, double log_scale,
                 const std::function<double(const VectorXd& u)>& g) {
  double sum = 0.0;
  for (Index i = 0; i < points.points.cols(); ++i) {
    const double sign = points.signs.size() > 0 ? points.signs[i] : 1.0;
    const double weight = std::exp(points.log_weights[i] - log_scale);
    if (weight > 0.0) sum += sign * weight * g(points.points.col(i));
  }
  return sum;
}

double evidence(const btg::WeightedPoints& points, double log_scale) {
  return integrate(points, log_scale, [](const VectorXd&) { return 1.0; });
}

}  // namespace rule_targets
