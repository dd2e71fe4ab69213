// Compiles the computations with block factors.
#include "btg/factor/approximation_error.cpp"
#include "btg/factor/block_cross.cpp"
#include "btg/factor/block_factor.cpp"
#include "btg/factor/block_gradient.cpp"
#include "btg/factor/block_projection.cpp"
#include "btg/factor/block_slopes.cpp"
#include "btg/factor/prediction_error.cpp"
