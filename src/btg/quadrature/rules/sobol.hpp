// Quasi-Monte Carlo over the prior: scrambled Sobol points with equal weights. Each kernel point is
// combined with `inner` points of the transform parameters, which cost O(n^2) instead of O(n^3).
#pragma once

#include <algorithm>
#include <cmath>

#include "btg/numerics/normal_points.hpp"
#include "btg/numerics/sobol_points.hpp"
#include "btg/quadrature/rule.hpp"

namespace btg {

class SobolRule final : public Rule {
 public:
  std::string name() const override { return "sobol"; }
  RuleOptions default_options() const override {
    return {{"nodes", 2048.0}, {"inner", 4.0}, {"seed", 0.0}};
  }

  WeightedPoints integrate(const Target& target, const RuleOptions& options) const override {
    const int transform_dimension = target.dimension - target.kernel_dimension;
    const int total = target.dimension == 0 ? 1 : options.whole("nodes", 1);
    int inner = std::min(options.whole("inner", 1), total);
    if (transform_dimension == 0) inner = 1;
    const int outer = (total + inner - 1) / inner;

    // Kernel and transform use different dimensions of the sequence; two scrambled copies of the
    // same dimensions would be functions of each other.
    const Eigen::MatrixXd points =
        normal_points(sobol_points(target.dimension, outer * inner, 0, options.seed()));
    WeightedPoints result;
    result.points = points;
    for (int i = 0; i < outer * inner; ++i) {
      result.points.col(i).head(target.kernel_dimension) =
          points.col(i / inner).head(target.kernel_dimension);
    }
    result.log_likelihood = target.log_likelihood(result.points);
    result.log_weights = result.log_likelihood.array() - std::log(double(outer * inner));
    return result;
  }
};

}  // namespace btg
