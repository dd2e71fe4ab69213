// The default rule. It finds the modes, puts a split t on each, adds a share of the prior, and
// weights scrambled Sobol draws from that mixture by importance. If the weights show a lack of
// mass, it searches for modes again, adds products of a split t for the kernel and a fitted mixture
// for the transform, and refits scales.
#pragma once

#include <string>

#include "btg/quadrature/rule.hpp"
#include "btg/quadrature/rule_options.hpp"

namespace btg {

class AdaptiveRule final : public Rule {
 public:
  std::string name() const override { return "adaptive"; }

  // AdaptiveBudget fills in `nodes`, `effective`, `most` and `keep` if they are 0. `share` is the
  // model's share of an average; `seed` is for the scrambling.
  RuleOptions default_options() const override {
    return {{"nodes", 0.0}, {"effective", 0.0}, {"most", 0.0},
            {"keep", 0.0},  {"share", 1.0},     {"seed", 0.0}};
  }

  WeightedPoints integrate(const Target& target, const RuleOptions& options) const override;
};

}  // namespace btg
