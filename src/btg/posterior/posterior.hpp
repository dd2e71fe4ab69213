// From a model and a rule to the weighted nodes that represent its posterior.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "btg/compute/compute.hpp"
#include "btg/model/model.hpp"
#include "btg/node/node.hpp"
#include "btg/posterior/target.hpp"
#include "btg/quadrature/modes.hpp"
#include "btg/quadrature/rule.hpp"
#include "btg/quadrature/rule_options.hpp"

namespace btg {

struct PosteriorMode {
  Eigen::VectorXd eta;
  Eigen::VectorXd point;       // u, where the prior is standard normal
  double log_posterior = 0.0;  // there
  double log_mass = 0.0;       // by Laplace's approximation
  double mass = 0.0;           // as a share of all modes'
  Eigen::MatrixXd precision;   // minus the Hessian in u
};

// A mode of a posterior much like the one wanted, of a share of its data.
struct KnownMode {
  Eigen::VectorXd point;
  Eigen::MatrixXd precision;  // empty if it is not known
  double share = 1.0;
};

struct Posterior : Work {
  Eigen::MatrixXd etas;                // one column a kept node
  Eigen::VectorXd weights;             // sum to 1
  Eigen::VectorXd predictive_weights;  // sum to 1: of fewer nodes, to predict from; or empty
  Eigen::VectorXd log_marginal, log_prior;
  double log_evidence = 0.0;
  double log_evidence_error = NAN;  // standard error, for rules that draw points
  double error_factor = 1.0;        // by which heavy tails make standard errors larger
  double effective_nodes = 0.0;
  // How many of these a rule needs to know its own error, and how many are good; NaN if any number
  // will do.
  double least_effective = NAN, good_effective = NAN;
  double dropped_mass = 0.0;
  int nodes_tried = 0, nodes_failed = 0;
  Eigen::VectorXd boundary_mass;  // of each hyperparameter: see mass_at_boundary
  std::vector<PosteriorMode> modes;
  std::map<std::string, double> diagnostics;  // of the rule
};

// The points that are left when those of least |weight| are dropped as long as the
// |weights| dropped sum to at most epsilon; in their original order, so that neighbours
// still share factors.
std::vector<Eigen::Index> heaviest(const Eigen::VectorXd& weights, double epsilon);

// The modes of a posterior without its integral: where the searches of the default rule end, or
// climbs from modes of a posterior much like it, whose curvature is not measured then.
std::vector<PosteriorMode> find_modes(const Model& model, const std::vector<KnownMode>& known,
                                      Work& work);

Posterior integrate(const Model& model, const Rule& rule, const RuleOptions& options,
                    double epsilon, const std::vector<KnownMode>& known = {},
                    const Evaluator& evaluator = {});

}  // namespace btg
