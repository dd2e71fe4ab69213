// The list of prior families: name, argument names, which arguments must be positive, and a
// constructor.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "btg/base/parameter.hpp"
#include "btg/priors/family.hpp"

namespace btg {

struct FamilyEntry {
  std::string name;
  std::vector<std::string> arguments;
  std::vector<bool> positive;
  std::function<std::shared_ptr<const Family>(const std::vector<double>&)> make;
};

const std::vector<FamilyEntry>& family_registry();

std::shared_ptr<const Family> make_family(const PriorSpec& spec);

}  // namespace btg
