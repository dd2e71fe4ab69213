// One-dimensional rules integrate polynomials up to their degree, and no further.
#include <boost/math/special_functions/hermite.hpp>
#include <boost/math/special_functions/legendre.hpp>
#include <string>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/numerics/nested_gauss.hpp"
#include "btg/numerics/one_dimensional.hpp"
#include "check.hpp"

using btg::OneDimensionalRule;

namespace {

// Orthonormal polynomials, for the uniform law on [0, 1] and the standard normal.
double legendre(int k, double p) {
  return std::sqrt(2.0 * k + 1.0) * boost::math::legendre_p(k, 2.0 * p - 1.0);
}
double hermite(int k, double x) {
  return boost::math::hermite(static_cast<unsigned>(k), x / std::sqrt(2.0)) *
         std::exp(-0.5 * (k * std::log(2.0) + std::lgamma(k + 1.0)));
}

using Polynomial = double (*)(int, double);

// The largest error of the integrals of p_j p_k, which are 1 if j = k and 0 if not, over
// j + k = degree; relative to the integral of |p_j p_k| by the rule, where that is above 1.
double error_at_degree(const OneDimensionalRule& rule, Polynomial polynomial, int degree) {
  double worst = 0.0;
  for (int j = 0; 2 * j <= degree; ++j) {
    double sum = 0.0, magnitude = 1.0;
    for (Eigen::Index i = 0; i < rule.nodes.size(); ++i) {
      const double term =
          rule.weights[i] * polynomial(j, rule.nodes[i]) * polynomial(degree - j, rule.nodes[i]);
      sum += term;
      magnitude += std::abs(term);
    }
    worst = std::fmax(worst, std::abs(sum - (2 * j == degree ? 1.0 : 0.0)) / magnitude);
  }
  return worst;
}

void check_degree(const OneDimensionalRule& rule, Polynomial polynomial, int degree) {
  for (int k = 0; k <= degree; ++k) CHECK(error_at_degree(rule, polynomial, k) < 1e-12);
  CHECK(error_at_degree(rule, polynomial, degree + 1) > 1e-5);
}

void check_shape(const OneDimensionalRule& rule, double middle) {
  CHECK_CLOSE(rule.weights.sum(), 1.0, 1e-14);
  const Eigen::Index n = rule.nodes.size();
  CHECK(rule.weights.size() == n);
  for (Eigen::Index i = 0; i < n; ++i) {
    if (i > 0) CHECK(rule.nodes[i] > rule.nodes[i - 1]);
    CHECK_CLOSE(rule.nodes[i] + rule.nodes[n - 1 - i], 2.0 * middle, 1e-15);
    CHECK_CLOSE(rule.weights[i], rule.weights[n - 1 - i], 1e-14);
  }
  // Grids are merged where they share the middle.
  if (n % 2 == 1) CHECK(rule.nodes[n / 2] == middle);
}

bool contains(const OneDimensionalRule& rule, const OneDimensionalRule& coarse) {
  for (Eigen::Index i = 0; i < coarse.nodes.size(); ++i) {
    if (!(rule.nodes.array() == coarse.nodes[i]).any()) return false;
  }
  return true;
}

}  // namespace

TEST("Gauss-Legendre with n points is exact for degree 2n - 1") {
  for (int n : {1, 2, 3, 4, 5, 7, 10, 20, 41}) {
    const OneDimensionalRule rule = btg::gauss_legendre(n);
    CHECK(rule.nodes.size() == n);
    check_shape(rule, 0.5);
    CHECK(rule.weights.minCoeff() > 0.0);
    check_degree(rule, legendre, 2 * n - 1);
  }
}

TEST("Gauss-Hermite with n points is exact for degree 2n - 1") {
  for (int n : {1, 2, 3, 4, 5, 7, 9, 13, 19, 35}) {
    const OneDimensionalRule rule = btg::gauss_hermite(n);
    CHECK(rule.nodes.size() == n);
    check_shape(rule, 0.0);
    CHECK(rule.weights.minCoeff() > 0.0);
    check_degree(rule, hermite, 2 * n - 1);
  }
}

TEST("closed forms, and relative accuracy of small weights") {
  const OneDimensionalRule legendre3 = btg::gauss_legendre(3);
  CHECK_CLOSE(legendre3.nodes[0], 0.5 - std::sqrt(0.15), 1e-15);
  CHECK_CLOSE(legendre3.weights[0], 5.0 / 18.0, 1e-15);
  const OneDimensionalRule hermite3 = btg::gauss_hermite(3);
  CHECK_CLOSE(hermite3.nodes[2], std::sqrt(3.0), 1e-15);
  CHECK_CLOSE(hermite3.weights[2], 1.0 / 6.0, 1e-15);
  const OneDimensionalRule curtis5 = btg::clenshaw_curtis(5);
  CHECK_CLOSE(curtis5.nodes[1], 0.5 - std::sqrt(0.125), 1e-15);
  CHECK_CLOSE(curtis5.weights[0], 1.0 / 30.0, 1e-15);
  CHECK_CLOSE(curtis5.weights[1], 4.0 / 15.0, 1e-15);
  // With 50 digits: the last weights of 35 points, Gauss and Genz-Keister.
  CHECK_CLOSE(btg::gauss_hermite(35).weights[34] / 1.60461919179014006e-25, 1.0, 1e-11);
  CHECK_CLOSE(btg::genz_keister(51).weights[34] / 1.0541326582333341189e-18, 1.0, 1e-10);
}

TEST("Clenshaw-Curtis with n points is exact for degree n, and nested") {
  for (int n : {1, 3, 5, 9, 17, 33}) {
    const OneDimensionalRule rule = btg::clenshaw_curtis(n);
    CHECK(rule.nodes.size() == n);
    check_shape(rule, 0.5);
    CHECK(rule.weights.minCoeff() > 0.0);
    check_degree(rule, legendre, n);
    if (n == 1) continue;
    CHECK(rule.nodes[0] == 0.0);
    CHECK(contains(btg::clenshaw_curtis(2 * n - 1), rule));
    CHECK(!contains(rule, btg::clenshaw_curtis(2 * n - 1)));
  }
}

TEST("nested Gauss rules have the degree they say, the fewest nodes for it, and are nested") {
  struct Family {
    OneDimensionalRule (*rule)(int degree);
    const std::vector<btg::NestedStage>& stages;
    Polynomial polynomial;
    double middle;
    std::vector<int> sizes;
  };
  for (const Family& family :
       {Family{btg::patterson, btg::patterson_stages(), legendre, 0.5, {1, 3, 7, 15, 31}},
        Family{btg::genz_keister, btg::genz_keister_stages(), hermite, 0.0, {1, 3, 9, 19, 35}}}) {
    CHECK(family.stages.size() == family.sizes.size());
    for (std::size_t s = 0; s < family.sizes.size(); ++s) {
      const int degree = family.stages[s].degree;
      const OneDimensionalRule rule = family.rule(degree);
      CHECK(rule.nodes.size() == family.sizes[s]);
      check_shape(rule, family.middle);
      check_degree(rule, family.polynomial, degree);
      if (s == 0) continue;
      CHECK(family.rule(family.stages[s - 1].degree + 1).nodes.size() == family.sizes[s]);
      CHECK(contains(rule, family.rule(family.stages[s - 1].degree)));
    }
    CHECK_THROWS(family.rule(family.stages.back().degree + 1), btg::Error);
  }
}
