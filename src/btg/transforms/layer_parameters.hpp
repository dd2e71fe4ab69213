// The parameters of stacked transforms: their names, and which of them are redundant.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "btg/transforms/transform.hpp"

namespace btg {

// A parameter of one layer. `layer` is the transform's name, numbered from its
// second occurrence on: "sinharcsinh", "sinharcsinh2".
struct LayerParameter {
  std::string layer;
  Parameter parameter;
  bool redundant;
  std::string name() const { return layer + "." + parameter.name; }
};

// For each layer, what the model after it absorbs. After the last layer, a trend
// that spans a constant absorbs a shift of z, and tau always absorbs scale.
inline std::vector<Absorption> downstream_absorptions(const std::vector<const Transform*>& layers,
                                                      bool trend_has_constant) {
  std::vector<Absorption> downstream(layers.size());
  Absorption absorption{trend_has_constant, true};
  for (std::size_t i = layers.size(); i-- > 0;) {
    downstream[i] = absorption;
    absorption = layers[i]->absorbs(absorption);
  }
  return downstream;
}

inline std::vector<LayerParameter> layer_parameters(const std::vector<const Transform*>& layers,
                                                    bool trend_has_constant) {
  const std::vector<Absorption> downstream = downstream_absorptions(layers, trend_has_constant);
  std::vector<LayerParameter> all;
  std::map<std::string, int> occurrences;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    std::string label = layers[i]->name();
    const int occurrence = ++occurrences[label];
    if (occurrence > 1) label += std::to_string(occurrence);
    int index = 0;
    for (const Parameter& parameter : layers[i]->parameters()) {
      all.push_back({label, parameter, layers[i]->redundant(index++, downstream[i])});
    }
  }
  return all;
}

}  // namespace btg
