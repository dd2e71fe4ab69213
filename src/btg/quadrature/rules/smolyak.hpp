// Smolyak's sparse grid over the unit cube of the prior, as in the paper. Its weights are signed,
// so a narrow posterior can give a negative evidence.
#pragma once

#include <cmath>

#include "btg/numerics/nested_gauss.hpp"
#include "btg/numerics/one_dimensional.hpp"
#include "btg/quadrature/grids/grid.hpp"
#include "btg/quadrature/grids/sparse_grid.hpp"
#include "btg/quadrature/rule.hpp"
#include "btg/quadrature/rule_options.hpp"

namespace btg {

class SmolyakRule final : public Rule {
 public:
  std::string name() const override { return "smolyak"; }

  // `order`: exact for total degree 2 order - 1, with any `family` of one-dimensional rules.
  // "gauss_legendre": l points at level l (Heiss and Winschel 2008, as in the paper).
  // "clenshaw_curtis": nested, 1, 3, 5, 9, 17, ... points, the fewest for degree 2l - 1.
  // "patterson": nested, 1, 3, 7, 15, 31 points, the fewest for degree 2l - 1; level 24 at most.
  RuleOptions default_options() const override {
    return {{"order", 3.0}, {"family", "gauss_legendre"}, {"most", 20000.0}};
  }

  WeightedPoints integrate(const Target& target, const RuleOptions& options) const override {
    const int order = options.whole("order", 1, 100);
    const std::string family =
        options.choice("family", {"gauss_legendre", "clenshaw_curtis", "patterson"});
    if (target.dimension == 0) return integrate_nothing(target);
    const Levels levels = make_levels(order, [&](int l) {
      if (family == "gauss_legendre") return gauss_legendre(l);
      if (family == "patterson") return patterson(2 * l - 1);
      return clenshaw_curtis(clenshaw_curtis_size(2 * l - 1));
    });
    check_node_count(name(), sparse_grid_size(target.dimension, levels), options);
    const Grid grid = sparse_grid(target.dimension, levels);
    WeightedPoints result = integrate_over_prior(target, grid);
    add_grid_diagnostics(levels, grid, result);
    return result;
  }

 private:
  static int clenshaw_curtis_size(int degree) {
    if (degree == 1) return 1;
    int m = 2;
    while (m + 1 < degree) m *= 2;
    return m + 1;
  }
};

}  // namespace btg
