// Every quadrature rule, once.
#pragma once

#include <string>
#include <vector>

#include "../error.hpp"
#include "rule.hpp"
#include "sobol.hpp"

namespace btg {

inline const std::vector<const Rule*>& rule_registry() {
  static const SobolRule sobol;
  static const std::vector<const Rule*> rules{&sobol};
  return rules;
}

inline const Rule& find_rule(const std::string& name) {
  for (const Rule* rule : rule_registry()) {
    if (rule->name() == name) return *rule;
  }
  throw Error("quadrature", "There is no quadrature rule \"" + name + "\".");
}

}  // namespace btg
