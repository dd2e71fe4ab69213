// Points with signed weights, made of products of one-dimensional rules.
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

// visit(point, weight) for every point of the product of the rules, one a coordinate; the
// last coordinate changes fastest. A product of no rules has one point, of weight 1.
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

// A sum of weights that knows when all of it was cancelled.
struct CancellingSum {
  double sum = 0.0, magnitude = 0.0;
  void add(double term);
  bool is_zero() const { return std::abs(sum) <= 1e-12 * magnitude; }
};

// Sums products of rules. Points that occur in several products are merged; they are kept
// in lexicographic order, so that those equal in the leading coordinates are neighbours.
class ProductSum {
 public:
  void add(const std::vector<const OneDimensionalRule*>& factors, double coefficient);

  Grid grid(int dimension) const;

 private:
  std::map<std::vector<double>, CancellingSum> weights_;
};

// Fills the weights of `result`: log|weight| + log_values, and the signs if there are two.
void set_weights(WeightedPoints& result, const Eigen::VectorXd& weights,
                 const Eigen::VectorXd& log_values);

// Evaluates a grid over the unit cube, whose uniform law is the prior's: u = Phi^-1(p). The
// ends of [0, 1] stand for the points just within, at u = -8.1 and 8.1.
WeightedPoints integrate_over_prior(const Target& target, const Grid& cube);

// What there is to integrate when no hyperparameter is free.
inline WeightedPoints integrate_nothing(const Target& target) {
  return integrate_over_prior(target, {Eigen::MatrixXd(0, 1), Eigen::VectorXd::Ones(1)});
}

}  // namespace btg
