// Points with signed weights, from products of one-dimensional rules.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <map>
#include <vector>

#include "btg/numerics/one_dimensional.hpp"
#include "btg/quadrature/rule.hpp"

namespace btg {

struct Grid {
  Eigen::MatrixXd points;  // columns
  Eigen::VectorXd weights;
};

// Calls visit(point, weight) for every point of a product of rules, one rule per coordinate. The
// last coordinate changes fastest. A product of no rules has one point of weight 1.
template <class Visit>
void for_each_product(const std::vector<const OneDimensionalRule*>& factors, Visit visit) {
  const std::size_t d = factors.size();
  std::vector<Eigen::Index> at(d, 0);
  std::vector<double> point(d);
  while (true) {
    double weight = 1.0;
    for (std::size_t k = 0; k < d; ++k) {
      point[k] = factors[k]->nodes[at[k]];
      weight *= factors[k]->weights[at[k]];
    }
    visit(point, weight);
    std::size_t k = d;
    while (k > 0 && ++at[k - 1] == factors[k - 1]->nodes.size()) at[--k] = 0;
    if (k == 0) return;
  }
}

// A sum of weights that detects complete cancellation.
struct CancellingSum {
  double sum = 0.0, magnitude = 0.0;
  void add(double term);
  bool is_zero() const { return std::abs(sum) <= 1e-12 * magnitude; }
};

// Sums products of rules and merges equal points. Points are in lexicographic order, so that those
// with equal leading coordinates are adjacent.
class ProductSum {
 public:
  void add(const std::vector<const OneDimensionalRule*>& factors, double coefficient);

  Grid grid(int dimension) const;

 private:
  std::map<std::vector<double>, CancellingSum> weights_;
};

// Sets log|weight| + log_values, and the signs if some weights are negative.
void set_weights(WeightedPoints& result, const Eigen::VectorXd& weights,
                 const Eigen::VectorXd& log_values);

// Evaluates a grid over the unit cube, mapped to the prior by u = Phi^-1(p). The ends of [0, 1] are
// replaced by the nearest points inside, at u = -8.1 and 8.1.
WeightedPoints integrate_over_prior(const Target& target, const Grid& cube);

// The result when no hyperparameter is free.
inline WeightedPoints integrate_nothing(const Target& target) {
  return integrate_over_prior(target, {Eigen::MatrixXd(0, 1), Eigen::VectorXd::Ones(1)});
}

}  // namespace btg
