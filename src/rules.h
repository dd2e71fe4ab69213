#pragma once

#include <string>
#include <utility>
#include <vector>

#include "btg/model/model.hpp"
#include "btg/posterior/posterior.hpp"

// The quadrature rules and their points, compiled apart from the boundary, since
// they take as long as all the rest.

// The names of the rules with their default options, in the order of the registry.
std::vector<std::pair<std::string, btg::RuleOptions>> rule_defaults();

// The posterior of `model` by the rule `name`; options that are not given have their defaults.
btg::Posterior integrate_by(const std::string& name, const btg::RuleOptions& options,
                            const btg::Model& model, double epsilon,
                            const std::vector<Eigen::VectorXd>& warm_starts);

// The first `count` points of a scrambled Sobol sequence in the unit cube, one column each.
Eigen::MatrixXd sobol_design(int dimension, int count);
