// The sources of this folder, compiled together: they share most of what Eigen expands to.
#include "btg/model/folds.cpp"
#include "btg/model/hyperparameters.cpp"
#include "btg/model/model.cpp"
#include "btg/model/noise.cpp"
#include "btg/model/sites.cpp"
#include "btg/model/subset.cpp"
#include "btg/model/trend.cpp"
