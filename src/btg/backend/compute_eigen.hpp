// The table of dense functions by Eigen, for the instruction set its source is compiled for.
#pragma once

#include "btg/compute/compute.hpp"

namespace btg {

const btg_compute::Compute& eigen_compute();

}  // namespace btg
