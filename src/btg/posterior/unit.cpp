// The sources of this folder, compiled together: they share most of what Eigen expands to.
#include "btg/posterior/likelihood_maximum.cpp"
#include "btg/posterior/posterior.cpp"
#include "btg/posterior/target.cpp"
