// The default rule: find the modes, put a split t on each, keep a slice of the prior,
// and weight scrambled Sobol draws from that mixture by importance. Where the weights
// show that it is short of mass, modes are looked for again, products of a split t for the
// kernel and a fitted mixture for the transform are added, and scales are fitted.
#pragma once

#include <string>

#include "btg/quadrature/rule.hpp"
#include "btg/quadrature/rule_options.hpp"

namespace btg {

class AdaptiveRule final : public Rule {
 public:
  std::string name() const override { return "adaptive"; }

  // `nodes`, `effective`, `most` and `keep`: see AdaptiveBudget, which fills in those that are 0;
  // `share`: that of the model in an average; `seed`: of the scrambling.
  RuleOptions default_options() const override {
    return {{"nodes", 0.0}, {"effective", 0.0}, {"most", 0.0},
            {"keep", 0.0},  {"share", 1.0},     {"seed", 0.0}};
  }

  WeightedPoints integrate(const Target& target, const RuleOptions& options) const override;
};

}  // namespace btg
