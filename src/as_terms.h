// Reads the terms of a model's covariance.
#pragma once

#include <vector>

#include "as.h"
#include "btg/compute/compute.hpp"
#include "btg/model/term.hpp"

// Terms with the design's column and the lengthscale of each of their columns, counted from 0. As
// in btg::Model, a column may lack a lengthscale (-1), and `column_of` is empty if the columns are
// those of the design.
struct ModelTerms {
  std::vector<btg::Term> terms;
  std::vector<int> column_of, length_scale_of_column;
};

// `spec` has terms, or is of one kernel over all columns of the design. The
// `length_scale_of_column` and the `input_of_column` of the design are those of this kernel; the
// latter may be empty.
ModelTerms as_terms(const Rcpp::List& spec, const std::vector<int>& length_scale_of_column,
                    const std::vector<int>& input_of_column, const btg::Compute& compute);
