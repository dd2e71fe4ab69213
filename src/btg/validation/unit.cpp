// Compiles this folder as one unit, because its sources share most Eigen instantiations.
#include "btg/validation/cross_validate.cpp"
#include "btg/validation/fold_weights.cpp"
#include "btg/validation/influence.cpp"
#include "btg/validation/left_out.cpp"
#include "btg/validation/left_out_intervals.cpp"
#include "btg/validation/left_out_naive.cpp"
#include "btg/validation/survey.cpp"
