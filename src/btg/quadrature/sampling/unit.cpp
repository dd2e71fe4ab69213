// Compiles this folder as one unit, because its sources share most Eigen instantiations.
#include "btg/quadrature/sampling/compress.cpp"
#include "btg/quadrature/sampling/mixture_sample.cpp"
#include "btg/quadrature/sampling/peaks.cpp"
#include "btg/quadrature/sampling/proposal.cpp"
#include "btg/quadrature/sampling/slopes.cpp"
#include "btg/quadrature/sampling/transform_mixture.cpp"
