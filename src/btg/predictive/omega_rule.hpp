// A quadrature rule for the precision of the process given a node.
#pragma once

#include <Eigen/Core>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <vector>

#include "btg/numerics/normal.hpp"
#include "btg/numerics/one_dimensional.hpp"

namespace btg {

// Values of omega = chi-square / df with weights: a Gauss rule in its normal score. Errors of the t
// distribution function are below 2e-6 from 5 degrees of freedom on.
struct OmegaRule {
  std::vector<double> omega, weight;

  explicit OmegaRule(double df) {
    using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
    const bool normal = std::isinf(df);
    const OneDimensionalRule rule = gauss_hermite(normal ? 1 : df < 8.0 ? 9 : df < 60.0 ? 5 : 3);
    for (Eigen::Index k = 0; k < rule.nodes.size(); ++k) {
      const double p = normal_cdf(rule.nodes[k]);
      omega.push_back(normal ? 1.0 : boost::math::gamma_p_inv(0.5 * df, p, Policy()) / (0.5 * df));
      weight.push_back(rule.weights[k]);
    }
  }
};

}  // namespace btg
