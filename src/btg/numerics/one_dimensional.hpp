// Quadrature rules of one variable. Weights sum to 1: rules on [0, 1] integrate against
// the uniform law, those on the line against the standard normal.
#pragma once

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <functional>

namespace btg {

struct OneDimensionalRule {
  Eigen::VectorXd nodes;  // increasing, symmetric about the middle
  Eigen::VectorXd weights;
};

// The orthonormal polynomials of a symmetric law obey
//
//     b_(k+1) p_(k+1)(x) = x p_k(x) - b_k p_(k-1)(x),   p_0 = 1.
//
// Nodes of its n-point Gauss rule are the eigenvalues of the matrix with b_1, ..., b_(n-1)
// beside a zero diagonal (Golub and Welsch 1969). Weights are 1 / sum_(k<n) p_k(x)^2, which
// keeps all digits of the small weights in the tails; eigenvectors would not. Exact for
// degree 2n - 1.
inline OneDimensionalRule gauss_rule(int n, const std::function<double(int k)>& b) {
  Eigen::VectorXd beside(n - 1);
  for (int k = 1; k < n; ++k) beside[k - 1] = b(k);
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen;
  eigen.computeFromTridiagonal(Eigen::VectorXd::Zero(n), beside, Eigen::EigenvaluesOnly);
  const Eigen::VectorXd values = eigen.eigenvalues();
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

// From [-1, 1] to [0, 1].
inline OneDimensionalRule on_unit_interval(OneDimensionalRule rule) {
  rule.nodes = 0.5 * (rule.nodes.array() + 1.0);
  return rule;
}

inline OneDimensionalRule gauss_legendre(int n) {
  return on_unit_interval(gauss_rule(n, [](int k) { return k / std::sqrt(4.0 * k * k - 1.0); }));
}

inline OneDimensionalRule gauss_hermite(int n) {
  return gauss_rule(n, [](int k) { return std::sqrt(double(k)); });
}

// Nodes (1 - cos(k pi / m)) / 2 for k = 0, ..., m = n - 1, the ends among them; the rule of
// m is nested in that of 2m, to the bit when m is a power of 2. Integrating the cosine
// series of the interpolant gives, for even m,
//
//     w_k = c_k / m * (1/2 - sum_(j=1)^(m/2) e_j cos(2 j k pi / m) / (4 j^2 - 1))
//
// with c_k = 1 at the ends and 2 within, e_j = 1/2 for j = m/2 and 1 before. Exact for
// degree n. `n` is odd; one node is the middle.
inline OneDimensionalRule clenshaw_curtis(int n) {
  if (n == 1) return {Eigen::VectorXd::Constant(1, 0.5), Eigen::VectorXd::Ones(1)};
  const int m = n - 1;
  OneDimensionalRule rule{Eigen::VectorXd::Constant(n, 0.5), Eigen::VectorXd(n)};
  for (int k = 0; k < n; ++k) {
    if (2 * k < m) {
      const double root = std::sin(k * M_PI / (2 * m));
      rule.nodes[k] = root * root;
      rule.nodes[m - k] = 1.0 - root * root;
    }
    double sum = 0.5;
    for (int j = 1; j <= m / 2; ++j) {
      const double e = j == m / 2 ? 0.5 : 1.0;
      sum -= e * std::cos(2.0 * j * k * M_PI / m) / (4.0 * j * j - 1.0);
    }
    rule.weights[k] = (k == 0 || k == m ? 1.0 : 2.0) * sum / m;
  }
  return rule;
}

}  // namespace btg
