// The transforms by name. A new one is its own header and a line here.
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
