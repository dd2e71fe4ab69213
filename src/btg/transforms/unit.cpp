// Compiles this folder as one unit, because its sources share most Eigen instantiations.
#include "btg/transforms/compose.cpp"
#include "btg/transforms/layer_parameters.cpp"
#include "btg/transforms/registry.cpp"
#include "btg/transforms/transformed_response.cpp"
