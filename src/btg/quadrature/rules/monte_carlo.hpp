// Plain Monte Carlo over the prior, for comparison: independent draws with equal weights. The C++
// standard fixes the draws of the 64-bit Mersenne Twister to the bit.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <random>

#include "btg/quadrature/grids/grid.hpp"
#include "btg/quadrature/rule.hpp"
#include "btg/quadrature/rule_options.hpp"

namespace btg {

class MonteCarloRule final : public Rule {
 public:
  std::string name() const override { return "monte_carlo"; }
  RuleOptions default_options() const override { return {{"nodes", 2048.0}, {"seed", 1.0}}; }

  WeightedPoints integrate(const Target& target, const RuleOptions& options) const override {
    const int nodes = target.dimension == 0 ? 1 : options.whole("nodes", 1);
    std::mt19937_64 engine(options.seed());
    Grid draws{Eigen::MatrixXd(target.dimension, nodes),
               Eigen::VectorXd::Constant(nodes, 1.0 / nodes)};
    for (Eigen::Index i = 0; i < draws.points.size(); ++i) {
      // The upper 52 bits, centred so that the value is never 0 or 1.
      draws.points.data()[i] = std::ldexp(static_cast<double>(engine() >> 12) + 0.5, -52);
    }
    return integrate_over_prior(target, draws);
  }
};

}  // namespace btg
