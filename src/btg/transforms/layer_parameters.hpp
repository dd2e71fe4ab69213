// Names the parameters of composed transforms and marks redundant ones.
#pragma once

#include <string>
#include <vector>

#include "btg/base/parameter.hpp"
#include "btg/transforms/transform.hpp"

namespace btg {

// A parameter of one layer. `layer` is the transform's name, numbered from its second occurrence
// on: "sinharcsinh", "sinharcsinh2".
struct LayerParameter {
  std::string layer;
  Parameter parameter;
  bool redundant;
  std::string name() const { return layer + "." + parameter.name; }
};

std::vector<LayerParameter> layer_parameters(const std::vector<const Transform*>& layers,
                                             bool trend_has_constant);

}  // namespace btg
