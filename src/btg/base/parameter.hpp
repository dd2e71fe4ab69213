// A hyperparameter and its default prior.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace btg {

// Names a prior family, which priors/registry.hpp turns into a density. The bounds truncate it.
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
  double neutral;  // value used when another part of the model makes the parameter redundant
};

}  // namespace btg
