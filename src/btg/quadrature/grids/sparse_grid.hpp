// Smolyak's sparse grids. With one-dimensional rules U_1, U_2, ..., where U_l is exact for degree
// 2l - 1, the grid of level L over d variables is
//
//     sum over l with L - d <= |l| - d < L of
//       (-1)^j C(d - 1, j) * U_l1 x ... x U_ld,     j = L - 1 - (|l| - d),
//
// exact for total degree 2L - 1 (Novak and Ritter 1999; Heiss and Winschel 2008).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "btg/numerics/one_dimensional.hpp"
#include "btg/quadrature/grids/grid.hpp"
#include "btg/quadrature/rule.hpp"

namespace btg {

using Levels = std::vector<OneDimensionalRule>;  // U_1, U_2, ..., U_L

template <class MakeRule>
Levels make_levels(int level, MakeRule rule_of_level) {
  Levels levels;
  for (int l = 1; l <= level; ++l) levels.push_back(rule_of_level(l));
  return levels;
}

// An upper bound on the number of points, attained if the U_l are nested: the sum of prod_k
// new(l_k) over |l| - d < L, where new(l) counts the nodes that first occur in U_l.
double sparse_grid_size(int dimension, const Levels& levels);

// Adds the products of all l with |l| - d = excess, given the choices before coordinate k.
void add_products(const Levels& levels, int excess, double coefficient, std::size_t k,
                  std::vector<const OneDimensionalRule*>& factors, ProductSum& sum);

// The grid of level levels.size(), for dimension >= 1.
Grid sparse_grid(int dimension, const Levels& levels);

// The change of the log evidence from `coarse` to `fine`, the evaluated grid. It is Inf if either
// evidence is not positive, and missing if the coarse grid has points that `fine` lacks.
std::optional<double> level_difference(const Grid& coarse, const Grid& fine,
                                       const WeightedPoints& evaluated);

// Records diagnostics: the sum of |weights|, which amplifies errors of the values, and, if known,
// the change from the last level with a smaller one-dimensional rule. (Nested rules stay the same
// for several levels, which then differ little even if both are wrong.)
void add_grid_diagnostics(Levels levels, const Grid& grid, WeightedPoints& result);

}  // namespace btg
