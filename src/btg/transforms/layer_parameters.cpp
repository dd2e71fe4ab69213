#include "btg/transforms/layer_parameters.hpp"

#include <cstddef>
#include <map>

namespace btg {

namespace {

// Returns what the model after each layer absorbs. After the last layer, a trend that spans a
// constant absorbs a shift of z, and the scale tau always absorbs a factor.
std::vector<Absorption> downstream_absorptions(const std::vector<const Transform*>& layers,
                                               bool trend_has_constant) {
  std::vector<Absorption> downstream(layers.size());
  Absorption absorption{trend_has_constant, true};
  for (std::size_t i = layers.size(); i-- > 0;) {
    downstream[i] = absorption;
    absorption = layers[i]->absorbs(absorption);
  }
  return downstream;
}

}  // namespace

std::vector<LayerParameter> layer_parameters(const std::vector<const Transform*>& layers,
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
