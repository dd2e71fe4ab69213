// The list of quadrature rules; "auto" means the first. To add one, write its header, two lines in
// registry.cpp, and a function quad_<name>() in R.
#pragma once

#include <string>
#include <vector>

#include "btg/quadrature/rule.hpp"

namespace btg {

const std::vector<const Rule*>& rule_registry();

const Rule& find_rule(const std::string& name);

}  // namespace btg
