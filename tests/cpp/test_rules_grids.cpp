// Tensor and sparse grids: exactness, evidence against brute force, sizes and order.
#include <set>
#include <string>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/numerics/one_dimensional.hpp"
#include "btg/quadrature/grids/factorial_design.hpp"
#include "btg/quadrature/rules/gauss_hermite.hpp"
#include "btg/quadrature/rules/monte_carlo.hpp"
#include "btg/quadrature/rules/smolyak.hpp"
#include "btg/quadrature/rules/tensor.hpp"
#include "check.hpp"
#include "rule_targets.hpp"

using btg::RuleOptions;
using btg::WeightedPoints;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using rule_targets::cube_target;
using rule_targets::evidence;
using rule_targets::with;

namespace {

const btg::TensorRule tensor;
const btg::SmolyakRule smolyak;
const std::vector<std::string> families{"gauss_legendre", "clenshaw_curtis", "patterson"};

// All exponents of `dimension` variables with a sum of `degree`.
std::vector<std::vector<int>> exponents(int dimension, int degree) {
  if (dimension == 1) return {{degree}};
  std::vector<std::vector<int>> all;
  for (int first = 0; first <= degree; ++first) {
    for (std::vector<int> rest : exponents(dimension - 1, degree - first)) {
      rest.insert(rest.begin(), first);
      all.push_back(rest);
    }
  }
  return all;
}

double monomial(const std::vector<int>& powers, const VectorXd& x) {
  double product = 1.0;
  for (std::size_t k = 0; k < powers.size(); ++k) product *= std::pow(x[k], powers[k]);
  return product;
}

// The error of the integral of 1 + prod_k p_k^a_k, which is 1 + prod_k 1 / (a_k + 1).
double monomial_error(const btg::Rule& rule, const RuleOptions& options,
                      const std::vector<int>& powers) {
  double exact = 1.0;
  for (const int power : powers) exact /= power + 1;
  const btg::Target target = cube_target(static_cast<int>(powers.size()), [&](const VectorXd& p) {
    return 1.0 + monomial(powers, p);
  });
  return std::abs(evidence(rule.integrate(target, options)) - 1.0 - exact);
}

// The same for a grid and the standard normal.
double normal_monomial_error(const btg::Grid& grid, const std::vector<int>& powers) {
  double sum = 0.0, magnitude = 1.0, exact = 1.0;
  for (Eigen::Index i = 0; i < grid.weights.size(); ++i) {
    const double term = grid.weights[i] * monomial(powers, grid.points.col(i));
    sum += term;
    magnitude += std::abs(term);
  }
  for (const int power : powers) {
    for (int j = power - 1; j > 1; j -= 2) exact *= j;
    if (power % 2 == 1) exact = 0.0;
  }
  return std::abs(sum - exact) / magnitude;
}

// Smooth and positive, with interactions of all variables.
double smooth(const VectorXd& p) {
  const double s = p.dot(VectorXd::LinSpaced(p.size(), 1.0, 2.0));
  return std::exp(std::sin(2.0 * s) - p.squaredNorm()) + (1.2 + std::cos(s)) / (1.0 + p.sum());
}

// Simpson's rule with `intervals` in each dimension.
double simpson(int dimension, int intervals, const std::function<double(const VectorXd& p)>& f) {
  btg::OneDimensionalRule rule{VectorXd::LinSpaced(intervals + 1, 0.0, 1.0),
                               VectorXd(intervals + 1)};
  for (int i = 0; i <= intervals; ++i) {
    const double c = i == 0 || i == intervals ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
    rule.weights[i] = c / (3.0 * intervals);
  }
  double sum = 0.0;
  btg::for_each_product(std::vector<const btg::OneDimensionalRule*>(dimension, &rule),
                        [&](const std::vector<double>& p, double weight) {
                          sum += weight * f(Eigen::Map<const VectorXd>(
                                              p.data(), static_cast<Eigen::Index>(dimension)));
                        });
  return sum;
}

// How many runs of neighbours are equal in the leading coordinates, and how many there
// would be if all that are equal were neighbours.
std::pair<std::size_t, std::size_t> runs(const MatrixXd& points, int leading) {
  std::size_t count = 0;
  std::set<std::vector<double>> distinct;
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    const VectorXd head = points.col(i).head(leading);
    if (i == 0 || head != points.col(i - 1).head(leading)) ++count;
    distinct.insert(std::vector<double>(head.data(), head.data() + leading));
  }
  return {count, distinct.size()};
}

std::string message_of(const btg::Rule& rule, int dimension, const rule_targets::Changes& changes) {
  try {
    rule.integrate(cube_target(dimension, smooth), with(rule, changes));
  } catch (const btg::Error& error) {
    CHECK(error.kind == "quadrature");
    return error.what();
  }
  return "";
}

}  // namespace

TEST("tensor rules are exact for degree 2n - 1 in each variable") {
  for (int points : {1, 2, 4}) {
    const RuleOptions options = with(tensor, {{"points", points}});
    const int degree = 2 * points - 1;
    for (int a = 0; a <= degree; ++a) {
      for (int b = 0; b <= degree; ++b) {
        CHECK(monomial_error(tensor, options, {a, b, degree}) < 1e-14);
      }
    }
    CHECK(monomial_error(tensor, options, {0, degree + 1, 0}) > 1e-5);
  }
}

TEST("Smolyak's grid is exact for total degree 2 order - 1, and no further") {
  for (const std::string& family : families) {
    for (int level : {1, 2, 3, 4, 5}) {
      const RuleOptions options = with(smolyak, {{"order", level}, {"family", family}});
      for (int degree = 0; degree < 2 * level; ++degree) {
        for (const auto& powers : exponents(3, degree)) {
          CHECK(monomial_error(smolyak, options, powers) < 1e-13);
        }
      }
      double next = 0.0;
      for (const auto& powers : exponents(3, 2 * level)) {
        next = std::fmax(next, monomial_error(smolyak, options, powers));
      }
      CHECK(next > 1e-8);
    }
  }
}

TEST("Smolyak's grid is exact in many dimensions") {
  for (const std::string& family : families) {
    const RuleOptions options = with(smolyak, {{"order", 3}, {"family", family}});
    for (std::vector<int> powers : {std::vector<int>{5}, {2, 3}, {1, 1, 1, 1, 1}, {0, 4, 1}}) {
      powers.resize(30, 0);
      CHECK(monomial_error(smolyak, options, powers) < 1e-10);
      std::reverse(powers.begin(), powers.end());
      CHECK(monomial_error(smolyak, options, powers) < 1e-10);
    }
  }
}

TEST("sparse grids for the normal law are exact for total degree 2 order - 1") {
  for (int family : {0, 1}) {
    for (int level : {1, 2, 3, 4, 5, 6}) {
      const btg::Levels levels = btg::make_levels(level, [&](int l) {
        return family == 0 ? btg::gauss_hermite(2 * l - 1) : btg::genz_keister(2 * l - 1);
      });
      const btg::Grid grid = btg::sparse_grid(4, levels);
      for (int degree = 0; degree < 2 * level; ++degree) {
        for (const auto& powers : exponents(4, degree)) {
          CHECK(normal_monomial_error(grid, powers) < 1e-12);
        }
      }
      double next = 0.0;
      for (const auto& powers : exponents(4, 2 * level)) {
        next = std::fmax(next, normal_monomial_error(grid, powers));
      }
      // Gauss rules of 2l - 1 points have degree 4l - 3: it takes `level` variables to fail.
      if (level <= 4) CHECK(next > 1e-4);
    }
  }
}

TEST("evidence of a smooth likelihood is that of brute force in 2 and 3 dimensions") {
  for (int dimension : {2, 3}) {
    const int intervals = dimension == 2 ? 400 : 100;
    const double exact = simpson(dimension, intervals, smooth);
    CHECK_CLOSE(simpson(dimension, intervals / 2, smooth), exact, 1e-7);
    const btg::Target target = cube_target(dimension, smooth);
    CHECK_CLOSE(evidence(tensor.integrate(target, with(tensor, {{"points", 12}}))), exact, 1e-7);
    for (const std::string& family : families) {
      const auto at_level = [&](int level) {
        const RuleOptions options =
            with(smolyak, {{"order", level}, {"family", family}, {"most", 60000}});
        return evidence(smolyak.integrate(target, options));
      };
      CHECK(std::abs(at_level(2) - exact) > 1e-4);
      CHECK_CLOSE(at_level(family == "gauss_legendre" && dimension == 3 ? 17 : 13), exact, 1e-6);
    }
  }
}

TEST("sizes of sparse grids are the published ones, and the bound holds") {
  const auto size = [](int dimension, int level, const std::string& family) {
    const RuleOptions options = with(smolyak, {{"order", level}, {"family", family}});
    return smolyak.integrate(cube_target(dimension, smooth), options).points.cols();
  };
  // Clenshaw-Curtis, Novak and Ritter: 1, 2d + 1, 2d^2 + 2d + 1; for d = 10 the weight of
  // the centre is 0.
  CHECK(size(11, 1, "clenshaw_curtis") == 1);
  CHECK(size(11, 2, "clenshaw_curtis") == 23);
  CHECK(size(11, 3, "clenshaw_curtis") == 265);
  CHECK(size(10, 3, "clenshaw_curtis") == 220);
  // Heiss and Winschel: in 20 dimensions at level 3, 841 points with Gauss, 801 nested.
  CHECK(size(20, 3, "gauss_legendre") == 841);
  CHECK(size(20, 3, "patterson") == 801);
  for (int family : {0, 1}) {
    for (int level : {1, 2, 3, 4, 5}) {
      const btg::Levels levels = btg::make_levels(level, [&](int l) {
        return family == 0 ? btg::gauss_legendre(l) : btg::genz_keister(2 * l - 1);
      });
      for (int dimension : {1, 2, 3, 6}) {
        const double bound = btg::sparse_grid_size(dimension, levels);
        CHECK(btg::sparse_grid(dimension, levels).weights.size() <= bound);
      }
    }
  }
}

TEST("no point occurs twice, and points equal in leading coordinates are neighbours") {
  for (int kernel_dimension : {1, 2, 3}) {
    const btg::Target target = cube_target(4, smooth);
    for (const std::string& family : families) {
      const RuleOptions options = with(smolyak, {{"order", 4}, {"family", family}});
      const MatrixXd points = smolyak.integrate(target, options).points;
      const auto [count, distinct] = runs(points, kernel_dimension);
      CHECK(count == distinct);
      CHECK(distinct < static_cast<std::size_t>(points.cols()));
      CHECK(runs(points, 4).second == static_cast<std::size_t>(points.cols()));
    }
    const MatrixXd points = tensor.integrate(target, with(tensor, {{"points", 3}})).points;
    CHECK(points.cols() == 81);
    CHECK(runs(points, kernel_dimension).first == std::pow(3.0, kernel_dimension));
  }
}

TEST("the difference between levels is reported where it costs nothing") {
  const btg::Target target = cube_target(4, smooth);
  for (const std::string family : {"gauss_legendre", "clenshaw_curtis"}) {
    const auto at_level = [&](int level) {
      return smolyak.integrate(target, with(smolyak, {{"order", level}, {"family", family}}));
    };
    const double change = std::log(evidence(at_level(4)) / evidence(at_level(3)));
    CHECK_CLOSE(at_level(4).diagnostics.at("level_difference"), change, 1e-12);
    CHECK(std::abs(change) > 1e-6);
    CHECK(at_level(4).diagnostics.at("absolute_weights") > 1.5);
  }
}

TEST("too many nodes and impossible options are errors that say so") {
  CHECK(message_of(tensor, 9, {}).find("40353607 nodes") != std::string::npos);
  CHECK(message_of(tensor, 60, {}).find("e+50 nodes") != std::string::npos);
  CHECK(message_of(tensor, 2, {{"most", 49}}).empty());
  CHECK(message_of(tensor, 2, {{"most", 48}}).find("49 nodes") != std::string::npos);
  CHECK(message_of(smolyak, 10, {{"order", 3}, {"family", "clenshaw_curtis"}, {"most", 220}})
            .find("221 nodes") != std::string::npos);
  CHECK(message_of(smolyak, 500, {{"order", 20}}).find("`most`") != std::string::npos);
  CHECK(message_of(tensor, 2, {{"points", 0}}).find("`points`") != std::string::npos);
  CHECK(message_of(smolyak, 2, {{"order", 2.5}}).find("`order`") != std::string::npos);
  CHECK(message_of(smolyak, 2, {{"family", "gauss_hermite"}}).find("`family`") !=
        std::string::npos);
  CHECK(message_of(smolyak, 2, {{"order", 25}, {"family", "patterson"}}).find("degree") !=
        std::string::npos);
}

TEST("Monte Carlo draws are the prior's, by seed") {
  const btg::MonteCarloRule monte_carlo;
  const auto points = [&](int seed) {
    return monte_carlo
        .integrate(cube_target(3, smooth), with(monte_carlo, {{"nodes", 20000}, {"seed", seed}}))
        .points;
  };
  const MatrixXd draws = points(1);
  CHECK(draws.rows() == 3 && draws.cols() == 20000);
  CHECK(draws.rowwise().mean().cwiseAbs().maxCoeff() < 0.03);
  const MatrixXd covariance = draws * draws.transpose() / 20000.0;
  CHECK((covariance - MatrixXd::Identity(3, 3)).cwiseAbs().maxCoeff() < 0.04);
  CHECK(draws != points(2));
  // The first output of std::mt19937_64 seeded with 5489, fixed by the standard.
  const double first = (14514284786278117030u >> 12) + 0.5;
  CHECK_CLOSE(rule_targets::normal_cdf(points(5489)(0, 0)), first / 4503599627370496.0, 1e-14);
}

TEST("factorial designs have resolution V with the published columns") {
  const std::vector<std::uint32_t> published{1,   2,   4,   8,   15,  16,  32,  51,  64,  85,
                                             106, 128, 150, 171, 219, 237, 247, 256, 279, 297,
                                             455, 512, 537, 557, 594, 643, 803, 863, 998, 1024};
  CHECK(btg::walsh_columns(30) == published);
  for (int factors : {1, 2, 4, 5, 6, 9, 13}) {
    const MatrixXd signs = btg::factorial_design(btg::walsh_columns(factors));
    CHECK((signs.cwiseAbs().array() == 1.0).all());
    // Products of at most four different columns are balanced.
    for (int a = 0; a < factors; ++a) {
      const VectorXd one = signs.row(a);
      CHECK(one.sum() == 0.0);
      for (int b = 0; b < a; ++b) {
        const VectorXd two = one.cwiseProduct(signs.row(b).transpose());
        CHECK(two.sum() == 0.0);
        for (int c = 0; c < b; ++c) {
          const VectorXd three = two.cwiseProduct(signs.row(c).transpose());
          CHECK(three.sum() == 0.0);
          for (int e = 0; e < c; ++e) {
            CHECK(three.cwiseProduct(signs.row(e).transpose()).sum() == 0.0);
          }
        }
      }
    }
  }
  CHECK(btg::factorial_runs(btg::walsh_columns(5)) == 16);
  CHECK(btg::factorial_runs(btg::walsh_columns(38)) <= 4096);
}
