// Smolyak's sparse grids. With rules U_1, U_2, ... of one variable, of which U_l is exact
// for degree 2l - 1, the grid of level L over d variables is the combination
//
//     sum over l with L - d <= |l| - d < L of
//       (-1)^j C(d - 1, j) * U_l1 x ... x U_ld,     j = L - 1 - (|l| - d),
//
// and exact for total degree 2L - 1 (Novak and Ritter 1999; Heiss and Winschel 2008).
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
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

// A bound on the number of points, reached when each U_l contains those before: the sum of
// prod_k new(l_k) over |l| - d < L, where new(l) counts the nodes that first occur in U_l.
inline double sparse_grid_size(int dimension, const Levels& levels) {
  std::set<double> known;
  std::vector<double> added;
  for (const OneDimensionalRule& rule : levels) {
    const std::size_t before = known.size();
    known.insert(rule.nodes.data(), rule.nodes.data() + rule.nodes.size());
    added.push_back(static_cast<double>(known.size() - before));
  }
  // Coefficients of (sum_l new(l) t^(l-1))^k for k = 0, ..., dimension.
  std::vector<double> counts(levels.size(), 0.0);
  counts[0] = 1.0;
  for (int k = 0; k < dimension; ++k) {
    std::vector<double> next(levels.size(), 0.0);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      for (std::size_t l = 0; i + l < counts.size(); ++l) next[i + l] += counts[i] * added[l];
    }
    counts = next;
  }
  double total = 0.0;
  for (const double count : counts) total += count;
  return total;
}

// Adds the products of all l with |l| - d = excess, where coordinates before k are chosen.
inline void add_products(const Levels& levels, int excess, double coefficient, std::size_t k,
                         std::vector<const OneDimensionalRule*>& factors, ProductSum& sum) {
  if (k + 1 == factors.size()) {
    factors[k] = &levels[excess];
    sum.add(factors, coefficient);
    return;
  }
  for (int l = 0; l <= excess; ++l) {
    factors[k] = &levels[l];
    add_products(levels, excess - l, coefficient, k + 1, factors, sum);
  }
}

// The grid of level levels.size(), for dimension >= 1.
inline Grid sparse_grid(int dimension, const Levels& levels) {
  const int level = static_cast<int>(levels.size());
  ProductSum sum;
  std::vector<const OneDimensionalRule*> factors(dimension);
  double coefficient = 1.0;  // (-1)^j C(d - 1, j)
  for (int j = 0; j < std::min(level, dimension); ++j) {
    add_products(levels, level - 1 - j, coefficient, 0, factors, sum);
    coefficient *= -double(dimension - 1 - j) / (j + 1);
  }
  return sum.grid(dimension);
}

// The change of the log evidence from `coarse` to `fine`, the grid that was evaluated: Inf
// if one of the two is not positive, nothing if the coarse grid has points of its own.
inline std::optional<double> level_difference(const Grid& coarse, const Grid& fine,
                                              const WeightedPoints& evaluated) {
  const Eigen::ArrayXd log_values =
      evaluated.log_weights.array() - fine.weights.array().abs().log();
  const Eigen::ArrayXd values = (log_values - log_values.maxCoeff()).exp();
  double evidence = 0.0;
  Eigen::Index i = 0;
  for (Eigen::Index j = 0; j < coarse.points.cols(); ++j) {
    while (i < fine.points.cols() && fine.points.col(i) != coarse.points.col(j)) ++i;
    if (i == fine.points.cols()) return std::nullopt;
    evidence += coarse.weights[j] * values[i];
  }
  const double ratio = (fine.weights.array() * values).sum() / evidence;
  if (!(evidence > 0.0) || !(ratio > 0.0)) return std::numeric_limits<double>::infinity();
  return std::log(ratio);
}

// Notes how far the grid can be trusted: the sum of |weights|, by which errors of the
// values are amplified, and the change from the last level with a smaller rule of one
// variable, where known. (Nested rules stay the same for several levels, which then differ
// little however far they are from the truth.)
inline void add_grid_diagnostics(Levels levels, const Grid& grid, WeightedPoints& result) {
  result.diagnostics["absolute_weights"] = grid.weights.cwiseAbs().sum();
  const Eigen::Index finest = levels.back().nodes.size();
  while (!levels.empty() && levels.back().nodes.size() == finest) levels.pop_back();
  if (levels.empty()) return;
  const Grid coarse = sparse_grid(static_cast<int>(grid.points.rows()), levels);
  const std::optional<double> difference = level_difference(coarse, grid, result);
  if (difference) result.diagnostics["level_difference"] = *difference;
}

}  // namespace btg
