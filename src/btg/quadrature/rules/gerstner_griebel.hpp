// A sparse grid around the mode, refined in the directions in which the posterior departs most from
// a normal. It is best for smooth posteriors with one mode.
#pragma once

#include <vector>

#include "btg/numerics/nested_gauss.hpp"
#include "btg/numerics/one_dimensional.hpp"
#include "btg/quadrature/grids/dimension_adaptive.hpp"
#include "btg/quadrature/grids/laplace_frame.hpp"
#include "btg/quadrature/modes.hpp"
#include "btg/quadrature/rule.hpp"
#include "btg/quadrature/rule_options.hpp"

namespace btg {

class GerstnerGriebelRule final : public Rule {
 public:
  std::string name() const override { return "gerstner_griebel"; }

  // `nodes`: maximum number of likelihoods. `tolerance`: relative error of the evidence and the
  // first two moments. `family`: "gauss_hermite" with 1, 3, 5, ..., 19 points, or the nested
  // "genz_keister" with 1, 3, 9, 19, 35.
  RuleOptions default_options() const override {
    return {{"nodes", 400.0}, {"tolerance", 1e-3}, {"family", "genz_keister"}};
  }

  WeightedPoints integrate(const Target& target, const RuleOptions& options) const override {
    const std::string family = options.choice("family", {"genz_keister", "gauss_hermite"});
    const int nodes = options.whole("nodes", 1);
    if (target.dimension == 0) return integrate_nothing(target);
    const std::vector<Mode> modes = find_modes(target, ModeSearch{});
    DimensionAdaptiveGrid grid(target, frame_of(modes), levels_of(family), nodes);
    do {
      grid.refine();
    } while (grid.can_refine() && grid.remaining() > options.number("tolerance"));
    WeightedPoints result = grid.result();
    result.modes = summarise_modes(modes);
    result.diagnostics["remaining"] = grid.remaining();
    return result;
  }

 private:
  static Levels levels_of(const std::string& family) {
    if (family == "gauss_hermite") {
      return make_levels(10, [](int l) { return gauss_hermite(2 * l - 1); });
    }
    Levels levels;
    for (const NestedStage& stage : genz_keister_stages()) {
      levels.push_back(genz_keister(stage.degree));
    }
    return levels;
  }
};

}  // namespace btg
