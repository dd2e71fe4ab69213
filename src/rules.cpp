#include "rules.h"

#include "btg/numerics/sobol_points.hpp"
#include "btg/quadrature/rules/registry.hpp"

std::vector<std::pair<std::string, btg::RuleOptions>> rule_defaults() {
  std::vector<std::pair<std::string, btg::RuleOptions>> defaults;
  for (const btg::Rule* rule : btg::rule_registry()) {
    defaults.emplace_back(rule->name(), rule->default_options());
  }
  return defaults;
}

btg::Posterior integrate_by(const std::string& name, const btg::RuleOptions& options,
                            const btg::Model& model, double epsilon,
                            const std::vector<Eigen::VectorXd>& warm_starts) {
  const btg::Rule& rule = btg::find_rule(name);
  btg::RuleOptions all = rule.default_options();
  for (const auto& option : options) all[option.first] = option.second;
  return btg::integrate(model, rule, all, epsilon, warm_starts);
}

Eigen::MatrixXd sobol_design(int dimension, int count) {
  return btg::sobol_points(dimension, count);
}
