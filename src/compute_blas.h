#pragma once

#include <string>
#include <vector>

#include "btg/compute/compute.hpp"

// The available tables of dense functions: "blas" (R's BLAS and LAPACK, with our code for the
// rest), "builtin" (our code for this machine) and "portable" (our code for any machine).
const std::vector<std::string>& compute_names();
const btg_compute::Compute& find_compute(const std::string& name);
