// The contract of a quadrature rule over the hyperparameters. Rules work in u, where the prior is
// standard normal and the posterior is likelihood(u) * N(u; 0, I).
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "btg/base/constants.hpp"
#include "btg/numerics/normal_part.hpp"
#include "btg/numerics/value_gradient.hpp"
#include "btg/quadrature/rule_options.hpp"

namespace btg {

// The model as a rule can use it. Points are columns.
struct Target {
  int dimension = 0;
  double rows = 0.0;         // of data, which determine the cost of a likelihood
  int kernel_dimension = 0;  // leading coordinates; adjacent points equal in these share a factor
  double shared_cost = 1.0;  // relative cost of a likelihood that reuses the previous factor
  bool estimated = false;    // likelihoods have errors of some 0.01, and gradients of some 0.1
  std::function<Eigen::VectorXd(const Eigen::MatrixXd& points)> log_likelihood;
  std::function<ValueGradient(const Eigen::VectorXd& point)> log_posterior_gradient;
  // For several points at once, if that is faster; may be empty.
  std::function<std::vector<ValueGradient>(const Eigen::MatrixXd& points)> log_posterior_gradients;
  // The prior, if it is nearly a mixture instead of N(0, I). Empty otherwise. The likelihood
  // includes the ratio of the two.
  std::vector<NormalPart> prior_parts;
  std::vector<Eigen::VectorXd> starts;  // good starts of a mode search
  // The best of these is tried if it beats the first of the starts.
  std::vector<Eigen::VectorXd> far_starts;
  // Kernel coordinates of further starts, combined with the other coordinates of the best mode.
  std::vector<Eigen::VectorXd> kernel_restarts;
  // The same, tried only if the best mode has little noise; may be empty.
  std::vector<Eigen::VectorXd> quiet_restarts;
  std::function<bool(const Eigen::VectorXd& point)> has_little_noise;
  // True if the starts are modes of a similar posterior; no others are then tried.
  bool warm = false;
  // Approximate posterior covariance around each start, where known; may be empty.
  std::vector<Eigen::MatrixXd> start_covariances;
  // The posterior given `coarse_share` of the data, if that is far cheaper. Modes are searched
  // there first, and then near those found.
  std::shared_ptr<const Target> coarse;
  double coarse_share = 1.0;
};

std::vector<ValueGradient> gradients_at(const Target& target, const Eigen::MatrixXd& points);

// log N(u; 0, I)
inline double log_normal_density(const Eigen::VectorXd& u) {
  return -0.5 * (u.squaredNorm() + static_cast<double>(u.size()) * log_two_pi);
}

struct ModeSummary {
  Eigen::VectorXd point;
  double log_posterior;
  double log_mass;            // by Laplace's approximation
  double mass;                // share of the total over modes
  Eigen::MatrixXd precision;  // negative Hessian
};

// Points, their log likelihoods, and log|weight * likelihood|, where the weights integrate over the
// prior. The evidence is the sum of the signed exponentials.
struct WeightedPoints {
  Eigen::MatrixXd points;
  Eigen::VectorXd log_likelihood;
  Eigen::VectorXd log_weights;
  Eigen::VectorXd signs;           // +1 or -1; empty if all weights are positive
  std::vector<ModeSummary> modes;  // for rules that search for them
  int keep = 0;                    // number of nodes to predict from; 0 for all
  std::map<std::string, double> diagnostics;
};

class Rule {
 public:
  virtual ~Rule() = default;
  virtual std::string name() const = 0;
  virtual RuleOptions default_options() const = 0;
  virtual WeightedPoints integrate(const Target& target, const RuleOptions& options) const = 0;
};

}  // namespace btg
