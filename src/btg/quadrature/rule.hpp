// The contract of a quadrature rule over the hyperparameters. Rules work in u, where
// the prior is standard normal.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace btg {

// What a rule may ask of the model. Points are columns.
struct Target {
  int dimension;
  int kernel_dimension;  // the leading coordinates: neighbours equal in these share a factor
  std::function<Eigen::VectorXd(const Eigen::MatrixXd& points)> log_likelihood;
};

// Points, their log likelihoods, and log(weight * likelihood), where the weights
// integrate over the prior: the evidence is the sum of the exponentials.
struct WeightedPoints {
  Eigen::MatrixXd points;
  Eigen::VectorXd log_likelihood;
  Eigen::VectorXd log_weights;
};

using RuleOptions = std::map<std::string, double>;

class Rule {
 public:
  virtual ~Rule() = default;
  virtual std::string name() const = 0;
  virtual RuleOptions default_options() const = 0;
  virtual WeightedPoints integrate(const Target& target, const RuleOptions& options) const = 0;
};

}  // namespace btg
