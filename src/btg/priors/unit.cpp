// Compiles this folder as one unit, because its sources share most Eigen instantiations.
#include "btg/priors/common_prior.cpp"
#include "btg/priors/prior.cpp"
#include "btg/priors/registry.cpp"
