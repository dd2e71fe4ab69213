// Compiles this folder as one unit, because its sources share most Eigen instantiations.
#include "btg/posterior/completed_nodes.cpp"
#include "btg/posterior/likelihood_maximum.cpp"
#include "btg/posterior/posterior.cpp"
#include "btg/posterior/target.cpp"
