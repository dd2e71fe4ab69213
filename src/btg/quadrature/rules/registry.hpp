// Every quadrature rule, once. A new one is its own header, two lines here, and a function
// quad_<name>() in R; the first is what "auto" means.
#pragma once

#include <string>
#include <vector>

#include "btg/quadrature/rule.hpp"

namespace btg {

const std::vector<const Rule*>& rule_registry();

const Rule& find_rule(const std::string& name);

}  // namespace btg
