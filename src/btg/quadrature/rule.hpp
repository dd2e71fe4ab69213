// The contract of a quadrature rule over the hyperparameters. Rules work in u, where
// the prior is standard normal and the posterior is likelihood(u) * N(u; 0, I).
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "btg/numerics/normal_part.hpp"
#include "btg/numerics/value_gradient.hpp"
#include "btg/quadrature/rule_options.hpp"

namespace btg {

// What a rule may ask of the model. Points are columns.
struct Target {
  int dimension = 0;
  double rows = 0.0;         // of the data, by which a likelihood costs
  int kernel_dimension = 0;  // the leading coordinates: neighbours equal in these share a factor
  double shared_cost = 1.0;  // of a likelihood that shares the factor of the one before it
  std::function<Eigen::VectorXd(const Eigen::MatrixXd& points)> log_likelihood;
  std::function<ValueGradient(const Eigen::VectorXd& point)> log_posterior_gradient;
  // Of several points, where that is better than one after the other; may be empty.
  std::function<std::vector<ValueGradient>(const Eigen::MatrixXd& points)> log_posterior_gradients;
  // The prior where it is about a mixture rather than N(0, I): what they differ by is a part of the
  // likelihood. Empty if they do not.
  std::vector<NormalPart> prior_parts;
  std::vector<Eigen::VectorXd> starts;  // where a search for modes does well to begin
  // Others, of which the best is tried if it is better than the first of the starts.
  std::vector<Eigen::VectorXd> far_starts;
  // The kernel's coordinates of further starts, to be combined with the best mode's others.
  std::vector<Eigen::VectorXd> kernel_restarts;
  // True if the starts are modes of a posterior much like this one: no others are looked for.
  bool warm = false;
  // About the covariance of the posterior around each start, as far as it is known; may be empty.
  std::vector<Eigen::MatrixXd> start_covariances;
  // The posterior of some of the data, if these are so many that it costs far less: modes are
  // looked for there first, and then near them. The data are `coarse_share` of all.
  std::shared_ptr<const Target> coarse;
  double coarse_share = 1.0;
};

std::vector<ValueGradient> gradients_at(const Target& target, const Eigen::MatrixXd& points);

// log N(u; 0, I)
inline double log_normal_density(const Eigen::VectorXd& u) {
  return -0.5 * (u.squaredNorm() + static_cast<double>(u.size()) * std::log(2.0 * M_PI));
}

struct ModeSummary {
  Eigen::VectorXd point;
  double log_posterior;
  double log_mass;            // by Laplace's approximation
  double mass;                // as a share of all modes'
  Eigen::MatrixXd precision;  // minus the Hessian
};

// Points, their log likelihoods, and log|weight * likelihood|, where the weights
// integrate over the prior: the evidence is the sum of the signed exponentials.
struct WeightedPoints {
  Eigen::MatrixXd points;
  Eigen::VectorXd log_likelihood;
  Eigen::VectorXd log_weights;
  Eigen::VectorXd signs;           // +1 or -1; empty if all weights are positive
  std::vector<ModeSummary> modes;  // of rules that look for them
  int keep = 0;                    // how many nodes to predict from; 0 for all
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
