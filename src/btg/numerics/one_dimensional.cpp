#include "btg/numerics/one_dimensional.hpp"

#include "btg/base/constants.hpp"
#include "btg/numerics/decompositions.hpp"

namespace btg {

OneDimensionalRule gauss_rule(int n, const std::function<double(int k)>& b) {
  Eigen::VectorXd beside(n - 1);
  for (int k = 1; k < n; ++k) beside[k - 1] = b(k);
  const Eigen::VectorXd values = tridiagonal_eigenvalues(beside);
  OneDimensionalRule rule{0.5 * (values - values.reverse()), Eigen::VectorXd(n)};
  for (int i = 0; i < n; ++i) {
    double before = 0.0, current = 1.0, sum = 1.0;
    for (int k = 1; k < n; ++k) {
      const double next = (rule.nodes[i] * current - (k > 1 ? b(k - 1) : 0.0) * before) / b(k);
      before = current;
      current = next;
      sum += current * current;
    }
    rule.weights[i] = 1.0 / sum;
  }
  return rule;
}

OneDimensionalRule on_unit_interval(OneDimensionalRule rule) {
  rule.nodes = 0.5 * (rule.nodes.array() + 1.0);
  return rule;
}

OneDimensionalRule clenshaw_curtis(int n) {
  if (n == 1) return {Eigen::VectorXd::Constant(1, 0.5), Eigen::VectorXd::Ones(1)};
  const int m = n - 1;
  OneDimensionalRule rule{Eigen::VectorXd::Constant(n, 0.5), Eigen::VectorXd(n)};
  for (int k = 0; k < n; ++k) {
    if (2 * k < m) {
      const double root = std::sin(k * pi / (2 * m));
      rule.nodes[k] = root * root;
      rule.nodes[m - k] = 1.0 - root * root;
    }
    double sum = 0.5;
    for (int j = 1; j <= m / 2; ++j) {
      const double e = j == m / 2 ? 0.5 : 1.0;
      sum -= e * std::cos(2.0 * j * k * pi / m) / (4.0 * j * j - 1.0);
    }
    rule.weights[k] = (k == 0 || k == m ? 1.0 : 2.0) * sum / m;
  }
  return rule;
}

}  // namespace btg
