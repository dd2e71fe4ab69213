// A sparse grid for the standard normal, in coordinates in which the posterior around its mode is
// nearly standard normal. It is exact if their ratio is a polynomial.
#pragma once

#include "btg/numerics/nested_gauss.hpp"
#include "btg/numerics/one_dimensional.hpp"
#include "btg/quadrature/grids/laplace_frame.hpp"
#include "btg/quadrature/grids/sparse_grid.hpp"
#include "btg/quadrature/modes.hpp"
#include "btg/quadrature/rule.hpp"
#include "btg/quadrature/rule_options.hpp"

namespace btg {

class GaussHermiteRule final : public Rule {
 public:
  std::string name() const override { return "gauss_hermite"; }

  // `order`: exact for total degree 2 order - 1, with either `family`.
  // "gauss_hermite": 2l - 1 points at level l, so that all levels share the mode.
  // "genz_keister": nested, 1, 3, 9, 19, 35 points, the fewest for degree 2l - 1; level 26 at most.
  RuleOptions default_options() const override {
    return {{"order", 3.0}, {"family", "gauss_hermite"}, {"most", 20000.0}};
  }

  WeightedPoints integrate(const Target& target, const RuleOptions& options) const override {
    const int order = options.whole("order", 1, 100);
    const std::string family = options.choice("family", {"gauss_hermite", "genz_keister"});
    if (target.dimension == 0) return integrate_nothing(target);
    const Levels levels = make_levels(order, [&](int l) {
      return family == "gauss_hermite" ? gauss_hermite(2 * l - 1) : genz_keister(2 * l - 1);
    });
    check_node_count(name(), sparse_grid_size(target.dimension, levels), options);
    const Grid grid = sparse_grid(target.dimension, levels);
    WeightedPoints result = integrate_around_mode(target, find_modes(target, ModeSearch{}), grid);
    add_grid_diagnostics(levels, grid, result);
    return result;
  }
};

}  // namespace btg
