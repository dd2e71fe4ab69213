// The product of Gauss-Legendre rules over the unit cube of the prior. It is the rule of choice for
// one to three hyperparameters.
#pragma once

#include <cmath>
#include <vector>

#include "btg/numerics/one_dimensional.hpp"
#include "btg/quadrature/grids/grid.hpp"
#include "btg/quadrature/rule.hpp"
#include "btg/quadrature/rule_options.hpp"

namespace btg {

class TensorRule final : public Rule {
 public:
  std::string name() const override { return "tensor"; }

  // `points` per dimension: exact for polynomials of degree 2 points - 1 in each.
  RuleOptions default_options() const override { return {{"points", 7.0}, {"most", 20000.0}}; }

  WeightedPoints integrate(const Target& target, const RuleOptions& options) const override {
    const int points = options.whole("points", 1, 1000);
    check_node_count(name(), std::pow(points, target.dimension), options);
    const OneDimensionalRule rule = gauss_legendre(points);
    ProductSum product;
    product.add(std::vector<const OneDimensionalRule*>(target.dimension, &rule), 1.0);
    return integrate_over_prior(target, product.grid(target.dimension));
  }
};

}  // namespace btg
