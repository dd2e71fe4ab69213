// Quadrature rules in one variable. Weights sum to 1: rules on [0, 1] integrate against the uniform
// density, rules on the line against the standard normal.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <functional>

namespace btg {

struct OneDimensionalRule {
  Eigen::VectorXd nodes;  // increasing, symmetric about the middle
  Eigen::VectorXd weights;
};

// Gauss rule of a symmetric density. Its orthonormal polynomials satisfy
//
//     b_(k+1) p_(k+1)(x) = x p_k(x) - b_k p_(k-1)(x),   p_0 = 1.
//
// The nodes are the eigenvalues of the tridiagonal matrix with zero diagonal and off-diagonal b_1,
// ..., b_(n-1) (Golub and Welsch 1969). The weights are 1 / sum_(k<n) p_k(x)^2; unlike
// eigenvectors, this keeps all digits of small weights in the tails. Exact for degree 2n - 1.
OneDimensionalRule gauss_rule(int n, const std::function<double(int k)>& b);

// Maps a rule on [-1, 1] to [0, 1].
OneDimensionalRule on_unit_interval(OneDimensionalRule rule);

inline OneDimensionalRule gauss_legendre(int n) {
  return on_unit_interval(gauss_rule(n, [](int k) { return k / std::sqrt(4.0 * k * k - 1.0); }));
}

inline OneDimensionalRule gauss_hermite(int n) {
  return gauss_rule(n, [](int k) { return std::sqrt(double(k)); });
}

// Nodes (1 - cos(k pi / m)) / 2 for k = 0, ..., m = n - 1, including both ends. The rule for m is
// nested in the rule for 2m, to the bit if m is a power of 2. Integrating the cosine series of the
// interpolant gives, for even m,
//
//     w_k = c_k / m * (1/2 - sum_(j=1)^(m/2) e_j cos(2 j k pi / m) / (4 j^2 - 1))
//
// with c_k = 1 at the ends and 2 inside, e_j = 1/2 for j = m/2 and 1 otherwise. Exact for degree n.
// `n` must be odd; n = 1 gives the midpoint.
OneDimensionalRule clenshaw_curtis(int n);

}  // namespace btg
