// Compiles this folder as one unit, because its sources share most Eigen instantiations.
#include "btg/ensemble/ensemble.cpp"
#include "btg/ensemble/representatives.cpp"
