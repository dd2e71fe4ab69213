// Posteriors whose evidence and moments are known, as targets of quadrature rules.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include "btg/quadrature/rule.hpp"

namespace rule_targets {

using btg::Target;
using btg::ValueGradient;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// An option as tests write it: whole numbers too.
struct OptionValue {
  OptionValue(int number) : value(static_cast<double>(number)) {}
  OptionValue(double number) : value(number) {}
  OptionValue(const char* word) : value(std::string(word)) {}
  OptionValue(const std::string& word) : value(word) {}
  btg::RuleOptions::Value value;
};
using Changes = std::map<std::string, OptionValue>;

// The defaults of a rule with some options changed.
inline btg::RuleOptions with(const btg::Rule& rule, const Changes& changes) {
  btg::RuleOptions options = rule.default_options();
  for (const auto& [name, option] : changes) options.set(name, option.value);
  return options;
}

inline double normal_cdf(double u) { return 0.5 * std::erfc(-u / std::sqrt(2.0)); }

// The likelihood f(p) of p = Phi(u), whose prior is uniform over the unit cube.
inline Target cube_target(int dimension, std::function<double(const VectorXd& p)> f) {
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

// A log likelihood given with its gradient; searches for modes start at `start`.
inline Target smooth_target(const VectorXd& start,
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

// The likelihood exp(-(u - a)' P (u - a) / 2): the posterior is normal, with precision
// H = I + P and mean H^-1 P a.
struct NormalPosterior {
  NormalPosterior(const VectorXd& a, const MatrixXd& p) : location(a), precision(p) {
    const MatrixXd h = MatrixXd::Identity(a.size(), a.size()) + p;
    const Eigen::LLT<MatrixXd> factor(h);
    mean = factor.solve(p * a);
    covariance = factor.solve(MatrixXd::Identity(a.size(), a.size()));
    log_evidence = -0.5 * a.dot(p * a) + 0.5 * mean.dot(h * mean) -
                   factor.matrixLLT().diagonal().array().log().sum();
  }

  ValueGradient log_likelihood(const VectorXd& u) const {
    const VectorXd gradient = precision * (location - u);
    return {-0.5 * (u - location).dot(precision * (u - location)), gradient};
  }

  Target target(const VectorXd& start) const {
    return smooth_target(start, [*this](const VectorXd& u) { return log_likelihood(u); });
  }

  VectorXd location;
  MatrixXd precision;
  VectorXd mean;
  MatrixXd covariance;
  double log_evidence;
};

// Locations about 0.5 from the centre, precisions from 0.2 to 3 on axes that are not those
// of u: narrower than the prior, but not so much that rules over the prior miss it.
inline NormalPosterior normal_posterior(int dimension) {
  VectorXd a(dimension);
  MatrixXd root = MatrixXd::Zero(dimension, dimension);
  for (int k = 0; k < dimension; ++k) {
    a[k] = 0.5 * std::cos(1.0 + 2.0 * k);
    for (int j = 0; j <= k; ++j) root(k, j) = j == k ? 0.5 + 0.2 * k : 0.3 * std::sin(k + 3.0 * j);
  }
  return {a, root * root.transpose()};
}

// The integral of g over the posterior, by signed weights relative to exp(log_scale).
inline double integrate(const btg::WeightedPoints& points, double log_scale,
                        const std::function<double(const VectorXd& u)>& g) {
  double sum = 0.0;
  for (Index i = 0; i < points.points.cols(); ++i) {
    const double sign = points.signs.size() > 0 ? points.signs[i] : 1.0;
    const double weight = std::exp(points.log_weights[i] - log_scale);
    if (weight > 0.0) sum += sign * weight * g(points.points.col(i));
  }
  return sum;
}

inline double evidence(const btg::WeightedPoints& points, double log_scale = 0.0) {
  return integrate(points, log_scale, [](const VectorXd&) { return 1.0; });
}

}  // namespace rule_targets
