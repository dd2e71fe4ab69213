#include "btg/quadrature/grids/sparse_grid.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace btg {

double sparse_grid_size(int dimension, const Levels& levels) {
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

void add_products(const Levels& levels, int excess, double coefficient, std::size_t k,
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

Grid sparse_grid(int dimension, const Levels& levels) {
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

std::optional<double> level_difference(const Grid& coarse, const Grid& fine,
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

void add_grid_diagnostics(Levels levels, const Grid& grid, WeightedPoints& result) {
  result.diagnostics["absolute_weights"] = grid.weights.cwiseAbs().sum();
  const Eigen::Index finest = levels.back().nodes.size();
  while (!levels.empty() && levels.back().nodes.size() == finest) levels.pop_back();
  if (levels.empty()) return;
  const Grid coarse = sparse_grid(static_cast<int>(grid.points.rows()), levels);
  const std::optional<double> difference = level_difference(coarse, grid, result);
  if (difference) result.diagnostics["level_difference"] = *difference;
}

}  // namespace btg
