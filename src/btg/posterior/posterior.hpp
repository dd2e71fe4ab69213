// Integrates a model's posterior by a rule, giving weighted nodes.
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
  Eigen::VectorXd point;       // in u, where the prior is standard normal
  double log_posterior = 0.0;  // there
  double log_mass = 0.0;       // Laplace approximation
  double mass = 0.0;           // share of the total over modes
  Eigen::MatrixXd precision;   // negative Hessian in u
};

// A mode of a similar posterior, given a share of the data.
struct KnownMode {
  Eigen::VectorXd point;
  Eigen::MatrixXd precision;  // empty if unknown
  double share = 1.0;
};

struct Posterior : Work {
  Eigen::MatrixXd etas;                // one column per retained node, with latent responses
  Eigen::VectorXd weights;             // sum to 1
  Eigen::VectorXd predictive_weights;  // sum to 1, for prediction with fewer nodes; or empty
  Eigen::VectorXd log_marginal, log_prior;
  double log_evidence = 0.0;
  double log_evidence_error = NAN;  // standard error, for rules that draw points
  double error_factor = 1.0;        // inflation of standard errors by heavy tails
  double effective_nodes = 0.0;
  // Effective nodes below which the rule's error estimate is unreliable, and above which it is
  // good; NaN if any number will do.
  double least_effective = NAN, good_effective = NAN;
  double dropped_mass = 0.0;
  int nodes_tried = 0, nodes_failed = 0;
  Eigen::VectorXd boundary_mass;  // per hyperparameter; see mass_at_boundary
  std::vector<PosteriorMode> modes;
  std::map<std::string, double> diagnostics;  // of the rule
};

// Returns the points that remain after dropping those of least |weight|, as long as the dropped
// |weights| sum to at most epsilon. The order is kept, so that neighbours still share factors.
std::vector<Eigen::Index> heaviest(const Eigen::VectorXd& weights, double epsilon);

// Finds the modes without integrating: by the searches of the default rule, or by climbing from
// modes of a similar posterior, whose curvature is then not measured.
std::vector<PosteriorMode> find_modes(const Model& model, const std::vector<KnownMode>& known,
                                      Work& work);

Posterior integrate(const Model& model, const Rule& rule, const RuleOptions& options,
                    double epsilon, const std::vector<KnownMode>& known = {},
                    const Evaluator& evaluator = {});

}  // namespace btg
