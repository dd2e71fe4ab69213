// Compiles the code that several tests share, once.
#include "block_models.cpp"
#include "eigen_factor.cpp"
#include "left_out_refits.cpp"
#include "long_algebra.cpp"
#include "problems.cpp"
#include "random_mixture.cpp"
#include "random_model.cpp"
#include "rule_targets.cpp"
