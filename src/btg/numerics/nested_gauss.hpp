// Nested rules of one variable: each keeps the nodes of the one before and adds those that
// raise the degree most. With the n old nodes, the m new ones are the zeros of the
// polynomial E of degree m that has
//
//     integral of E(x) * prod_old (x - x_i) * x^k = 0   for k = 0, ..., m - 1,
//
// which makes the rule exact for degree n + 2m. For the uniform law m = n + 1 always works
// (Patterson 1968); for the normal law m = 2, 6, 10, 16 does (Genz and Keister 1996). The
// nodes were computed from that definition with 80 digits.
#pragma once

#include <vector>

#include "btg/numerics/one_dimensional.hpp"

namespace btg {

// One of the rules, by what it is exact for.
struct NestedStage {
  int degree;
  std::vector<double> new_nodes;  // the positive ones; 0 is always a node
};

const std::vector<NestedStage>& patterson_stages();

const std::vector<NestedStage>& genz_keister_stages();

// On [0, 1], exact for at least `degree`.
OneDimensionalRule patterson(int degree);

// For the standard normal, exact for at least `degree`.
OneDimensionalRule genz_keister(int degree);

}  // namespace btg
