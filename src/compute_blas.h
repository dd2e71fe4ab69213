#pragma once

#include <string>
#include <vector>

#include "btg/compute/compute.hpp"

// The tables of dense work that can be chosen, by name: R's BLAS and LAPACK with our own code for
// the rest, our own code for the instructions of this machine, and that for any machine.
const std::vector<std::string>& compute_names();
const btg_compute::Compute& find_compute(const std::string& name);
