// Posteriors whose evidence and moments are known, as targets of quadrature rules.
#pragma once

#include <Eigen/Core>
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
btg::RuleOptions with(const btg::Rule& rule, const Changes& changes);

double normal_cdf(double u);

// The likelihood f(p) of p = Phi(u), whose prior is uniform over the unit cube.
Target cube_target(int dimension, std::function<double(const VectorXd& p)> f);

// A log likelihood given with its gradient; searches for modes start at `start`.
Target smooth_target(const VectorXd& start,
                     std::function<ValueGradient(const VectorXd& u)> log_likelihood);

// The likelihood exp(-(u - a)' P (u - a) / 2): the posterior is normal, with precision
// H = I + P and mean H^-1 P a.
struct NormalPosterior {
  NormalPosterior(const VectorXd& a, const MatrixXd& p);

  ValueGradient log_likelihood(const VectorXd& u) const;

  Target target(const VectorXd& start) const;

  VectorXd location;
  MatrixXd precision;
  VectorXd mean;
  MatrixXd covariance;
  double log_evidence;
};

// Locations about 0.5 from the centre, precisions from 0.2 to 3 on axes that are not those
// of u: narrower than the prior, but not so much that rules over the prior miss it.
NormalPosterior normal_posterior(int dimension);

// The integral of g over the posterior, by signed weights relative to exp(log_scale).
double integrate(const btg::WeightedPoints& points, double log_scale,
                 const std::function<double(const VectorXd& u)>& g);

double evidence(const btg::WeightedPoints& points, double log_scale = 0.0);

}  // namespace rule_targets
