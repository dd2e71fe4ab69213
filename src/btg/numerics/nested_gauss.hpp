// Nested rules in one variable. Each rule keeps the nodes of the previous one and adds the nodes
// that raise its degree most. Given n old nodes, the m new ones are the zeros of the polynomial E
// of degree m with
//
//     integral of E(x) * prod_old (x - x_i) * x^k = 0   for k = 0, ..., m - 1.
//
// The rule is then exact for degree n + 2m. For the uniform density m = n + 1 always works
// (Patterson 1968); for the normal density m = 2, 6, 10, 16 work (Genz and Keister 1996). The nodes
// were computed from this definition with 80 digits.
#pragma once

#include <vector>

#include "btg/numerics/one_dimensional.hpp"

namespace btg {

// One rule of the nested sequence; `degree` is its degree of exactness.
struct NestedStage {
  int degree;
  std::vector<double> new_nodes;  // the positive ones; 0 is always a node
};

const std::vector<NestedStage>& patterson_stages();

const std::vector<NestedStage>& genz_keister_stages();

// On [0, 1], exact for at least `degree`.
OneDimensionalRule patterson(int degree);

// For the standard normal density, exact for at least `degree`.
OneDimensionalRule genz_keister(int degree);

}  // namespace btg
