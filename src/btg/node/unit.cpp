// Compiles this folder as one unit, because its sources share most Eigen instantiations.
#include "btg/node/completion.cpp"
#include "btg/node/evaluate.cpp"
#include "btg/node/gradient.cpp"
#include "btg/node/leave_out.cpp"
#include "btg/node/node.cpp"
#include "btg/node/predict.cpp"
#include "btg/node/predict_slopes.cpp"
#include "btg/node/trend_estimate.cpp"
