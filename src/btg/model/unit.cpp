// Compiles this folder as one unit, because its sources share most Eigen instantiations.
#include "btg/model/folds.cpp"
#include "btg/model/hyperparameters.cpp"
#include "btg/model/model.cpp"
#include "btg/model/noise.cpp"
#include "btg/model/sites.cpp"
#include "btg/model/subset.cpp"
#include "btg/model/trend.cpp"
