// The sources of this folder, compiled together: they share most of what Eigen expands to.
#include "btg/validation/cross_validate.cpp"
#include "btg/validation/fold_weights.cpp"
#include "btg/validation/left_out.cpp"
#include "btg/validation/left_out_naive.cpp"
