// The list of transforms. To add one, write its header and add a line to registry.cpp.
#pragma once

#include <string>
#include <vector>

#include "btg/transforms/compose.hpp"
#include "btg/transforms/transform.hpp"

namespace btg {

const std::vector<const Transform*>& transform_registry();

const Transform& find_transform(const std::string& name);

// The first name acts on y.
Composition compose(const std::vector<std::string>& names);

}  // namespace btg
