#pragma once

#include "btg/compute/compute.hpp"

// The dense functions for AVX2, or null where processor or compiler have none.
const btg_compute::Compute* avx2_compute();
