// Compiles the dense factor and the construction of block factors.
#include "btg/factor/block_making.cpp"
#include "btg/factor/block_state.cpp"
#include "btg/factor/block_structure.cpp"
#include "btg/factor/block_whitening.cpp"
#include "btg/factor/covariance.cpp"
#include "btg/factor/dense_factor.cpp"
#include "btg/factor/input_space.cpp"
#include "btg/factor/low_rank.cpp"
