// The sources of this folder, compiled together: they share most of what Eigen expands to.
#include "btg/priors/common_prior.cpp"
#include "btg/priors/prior.cpp"
#include "btg/priors/registry.cpp"
