// The sources of this folder, compiled together: they share most of what Eigen expands to.
#include "btg/ensemble/ensemble.cpp"
