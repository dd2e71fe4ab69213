#pragma once

#include "btg/compute/compute.hpp"

// The dense functions for AVX2, or null if the processor or compiler lacks it.
const btg_compute::Compute* avx2_compute();
