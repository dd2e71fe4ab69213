// A term of the covariance: its form and its columns of the model's inputs. Hyperparameters give
// the rest; see covariance.hpp.
#pragma once

#include <string>
#include <vector>

#include "btg/compute/compute.hpp"

namespace btg {

struct Term {
  std::string name;
  const btg_compute::Kernel* kernel;  // null for the forms that have none
  Form form;
  int first = 0, columns = 0;  // adjacent columns of the model's inputs
  bool grouped = false;        // the last of them holds codes of groups
  std::vector<int> input_ends =
      {};  // as in btg_compute::Correlation; empty if each column is an input

  std::vector<int> mapped = {};  // the first of two columns each of its input maps

  int parameter_count() const { return kernel ? kernel->n_parameters : 0; }
};

// The only term of a process with one kernel.
inline Term main_term(const btg_compute::Kernel& kernel, Form form, int columns) {
  return {"main", &kernel, form, 0, columns};
}

}  // namespace btg
