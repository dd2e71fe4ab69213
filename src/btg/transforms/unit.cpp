// The sources of this folder, compiled together: they share most of what Eigen expands to.
#include "btg/transforms/compose.cpp"
#include "btg/transforms/layer_parameters.cpp"
#include "btg/transforms/registry.cpp"
#include "btg/transforms/transformed_response.cpp"
