#include "btg/quadrature/rules/registry.hpp"

#include "btg/base/error.hpp"
#include "btg/numerics/one_dimensional.hpp"
#include "btg/quadrature/rules/adaptive.hpp"
#include "btg/quadrature/rules/ccd.hpp"
#include "btg/quadrature/rules/gauss_hermite.hpp"
#include "btg/quadrature/rules/gerstner_griebel.hpp"
#include "btg/quadrature/rules/monte_carlo.hpp"
#include "btg/quadrature/rules/smolyak.hpp"
#include "btg/quadrature/rules/sobol.hpp"
#include "btg/quadrature/rules/tensor.hpp"

namespace btg {

const std::vector<const Rule*>& rule_registry() {
  static const AdaptiveRule adaptive;
  static const SobolRule sobol;
  static const SmolyakRule smolyak;
  static const TensorRule tensor;
  static const MonteCarloRule monte_carlo;
  static const GaussHermiteRule gauss_hermite;
  static const CentralCompositeRule ccd;
  static const GerstnerGriebelRule gerstner_griebel;
  static const std::vector<const Rule*> rules{
      &adaptive, &sobol, &smolyak, &tensor, &monte_carlo, &gauss_hermite, &ccd, &gerstner_griebel};
  return rules;
}

const Rule& find_rule(const std::string& name) {
  for (const Rule* rule : rule_registry()) {
    if (rule->name() == name) return *rule;
  }
  throw Error("quadrature", "There is no quadrature rule \"" + name + "\".");
}

}  // namespace btg
