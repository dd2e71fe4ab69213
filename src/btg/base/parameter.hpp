// What the model knows of one hyperparameter before it sees data.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace btg {

// A prior by name; priors/registry.hpp turns it into a density. The bounds
// truncate the named family.
struct PriorSpec {
  std::string family;
  std::vector<double> arguments;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

// Positive parameters are integrated over on the log scale.
enum class Scale { real, positive };

struct Parameter {
  std::string name;
  Scale scale;
  PriorSpec default_prior;
  double neutral;  // the value it takes when another part of the model makes it redundant
};

}  // namespace btg
