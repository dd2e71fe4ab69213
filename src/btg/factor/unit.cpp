// The dense factor, and what block factors are made of.
#include "btg/factor/block_making.cpp"
#include "btg/factor/block_state.cpp"
#include "btg/factor/block_structure.cpp"
#include "btg/factor/block_whitening.cpp"
#include "btg/factor/dense_factor.cpp"
