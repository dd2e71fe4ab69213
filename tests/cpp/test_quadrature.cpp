// Sobol points are nets; every rule finds the evidence of a Gaussian likelihood.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "btg/quadrature/normal_points.hpp"
#include "btg/quadrature/registry.hpp"
#include "btg/quadrature/sobol_points.hpp"
#include "check.hpp"
#include "problems.hpp"

using btg::Rule;
using btg::rule_registry;
using btg::sobol_points;
using btg::Target;
using btg::WeightedPoints;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// One point of `row` in each of equal intervals of (0, 1).
bool is_stratified(const VectorXd& row) {
  std::set<int> intervals;
  for (Eigen::Index i = 0; i < row.size(); ++i) intervals.insert(int(row[i] * double(row.size())));
  return intervals.size() == std::size_t(row.size());
}

double correlation(const VectorXd& a, const VectorXd& b) {
  const VectorXd x = a.array() - 0.5, y = b.array() - 0.5;
  return x.dot(y) / (x.norm() * y.norm());
}

// exp(-1/2 sum_j ((u_j - centre_j) / width_j)^2), whose evidence under N(0, I) is
// prod_j width_j / sqrt(1 + width_j^2) exp(-1/2 centre_j^2 / (1 + width_j^2)).
struct Gaussian {
  int kernel_dimension;
  VectorXd centre, width;

  double log_likelihood(const VectorXd& u) const {
    return -0.5 * ((u - centre).array() / width.array()).square().sum();
  }
  Target target() const {
    Target target;
    target.dimension = int(centre.size());
    target.kernel_dimension = kernel_dimension;
    target.log_likelihood = [this](const MatrixXd& points) {
      VectorXd values(points.cols());
      for (int i = 0; i < points.cols(); ++i) values[i] = log_likelihood(points.col(i));
      return values;
    };
    target.log_posterior_gradient = [this](const VectorXd& u) {
      const VectorXd slope = -(u - centre).array() / width.array().square();
      return btg::ValueGradient{log_likelihood(u) + btg::log_normal_density(u), slope - u};
    };
    target.starts = {VectorXd::Zero(centre.size())};
    target.kernel_restarts = {VectorXd::Zero(kernel_dimension)};
    return target;
  }
  double log_evidence() const {
    const Eigen::ArrayXd total = 1 + width.array().square();
    return 0.5 * (width.array().square() / total).log().sum() -
           0.5 * (centre.array().square() / total).sum();
  }
};

Gaussian make_gaussian(int kernel_dimension, int transform_dimension) {
  problems::Random random(unsigned(10 * kernel_dimension + transform_dimension));
  const int d = kernel_dimension + transform_dimension;
  return {kernel_dimension, random.matrix(d, 1, -1, 1), random.matrix(d, 1, 0.5, 1.5)};
}

double log_evidence(const WeightedPoints& all) {
  Eigen::ArrayXd terms = all.log_weights.array().exp();
  if (all.signs.size() > 0) terms *= all.signs.array();
  return std::log(terms.sum());
}

}  // namespace

TEST("Sobol points are in the open unit cube, one in each interval of every axis") {
  for (int dimension : {1, 2, 3, 10, 50, 200}) {
    for (int m : {0, 1, 5, 9}) {
      const MatrixXd points = sobol_points(dimension, 1 << m);
      CHECK(points.rows() == dimension && points.cols() == 1 << m);
      CHECK(points.minCoeff() > 0 && points.maxCoeff() < 1);
      for (int k = 0; k < dimension; ++k) CHECK(is_stratified(points.row(k)));
    }
  }
}

TEST("the first two axes form a net: one point in each elementary interval") {
  for (std::uint64_t seed : {0, 1, 7}) {
    for (int m : {2, 6, 10}) {
      const MatrixXd points = sobol_points(2, 1 << m, 0, seed);
      for (int a = 0; a <= m; ++a) {
        std::set<std::pair<int, int>> boxes;
        for (int i = 0; i < points.cols(); ++i) {
          boxes.insert({int(points(0, i) * (1 << a)), int(points(1, i) * (1 << (m - a)))});
        }
        CHECK(boxes.size() == std::size_t(1) << m);
      }
    }
  }
}

TEST("axes and seeds differ, and axes are nearly uncorrelated") {
  const MatrixXd points = sobol_points(200, 2048).transpose();
  double largest = 0;
  for (int j = 0; j < 200; ++j) {
    for (int k = 0; k < j; ++k) {
      largest = std::max(largest, std::abs(correlation(points.col(j), points.col(k))));
    }
  }
  CHECK(largest < 0.2);
  CHECK((sobol_points(3, 64, 0, 1).array() != sobol_points(3, 64).array()).all());
}

TEST("points are the same on every call and machine, and `first` skips") {
  const MatrixXd points = sobol_points(3, 40);
  CHECK(points == sobol_points(3, 40));
  CHECK(points.topRows(2) == sobol_points(2, 40));
  for (int first : {0, 1, 2, 17, 39}) {
    CHECK(points.rightCols(40 - first) == sobol_points(3, 40 - first, first));
  }
  const double expected[] = {0.766189783229, 0.196210174705, 0.305427502026,
                             0.200171902427, 0.962980486802, 0.81257637532};
  for (int i = 0; i < 6; ++i) CHECK_CLOSE(points.data()[i], expected[i], 1e-9);
}

TEST("no axes, and more than there are") {
  CHECK(sobol_points(0, 5).rows() == 0 && sobol_points(0, 5).cols() == 5);
  CHECK_THROWS(sobol_points(1000000, 1), btg::Error);
}

TEST("normal points are the normal quantiles") {
  for (double p : {1e-10, 1e-5, 0.01, 0.3, 0.5, 0.9, 1 - 1e-10}) {
    const double u = btg::normal_points(MatrixXd::Constant(1, 1, p))(0, 0);
    CHECK_CLOSE(0.5 * std::erfc(-u / std::sqrt(2.0)) / p, 1, 1e-12);
  }
  CHECK(btg::normal_points(MatrixXd(0, 4)).cols() == 4);
}

TEST("rules are found by name") {
  for (const Rule* rule : rule_registry()) CHECK(&btg::find_rule(rule->name()) == rule);
  CHECK_THROWS(btg::find_rule("no such rule"), btg::Error);
}

TEST("every rule finds the evidence of a Gaussian likelihood") {
  for (const Rule* rule : rule_registry()) {
    for (int kernel_dimension : {0, 1, 3}) {
      for (int transform_dimension : {0, 1, 2}) {
        const Gaussian gaussian = make_gaussian(kernel_dimension, transform_dimension);
        WeightedPoints all;
        try {
          all = rule->integrate(gaussian.target(), rule->default_options());
        } catch (const btg::Error& error) {  // a grid may refuse many dimensions
          CHECK(error.kind == "quadrature" && gaussian.centre.size() > 3);
          continue;
        }
        CHECK(all.points.rows() == kernel_dimension + transform_dimension);
        CHECK(all.points.cols() == all.log_weights.size());
        CHECK(all.log_likelihood == gaussian.target().log_likelihood(all.points));
        const double error = log_evidence(all) - gaussian.log_evidence();
        check::report(std::abs(error) < (rule->name() == "sobol" ? 0.02 : 0.2), __FILE__, __LINE__,
                      rule->name() + ": error of the log evidence " + std::to_string(error));
      }
    }
  }
}

TEST("without dimensions there is one point of weight one") {
  for (const Rule* rule : rule_registry()) {
    const auto all = rule->integrate(make_gaussian(0, 0).target(), rule->default_options());
    CHECK(all.points.cols() == 1 && all.points.rows() == 0 && all.log_weights[0] == 0);
  }
}

TEST("the Sobol rule converges, and shares kernel points") {
  const Gaussian gaussian = make_gaussian(2, 1);
  const auto error = [&](double nodes, double inner) {
    const WeightedPoints all = btg::find_rule("sobol").integrate(
        gaussian.target(), {{"nodes", nodes}, {"inner", inner}, {"seed", 0}});
    CHECK(all.points.cols() == int(nodes));
    for (int i = 0; i < all.points.cols(); ++i) {
      CHECK(all.points.col(i).head(2) == all.points.col(i - i % int(inner)).head(2));
    }
    return std::abs(log_evidence(all) - gaussian.log_evidence());
  };
  for (double inner : {1.0, 4.0}) {
    CHECK(error(256, inner) < 0.05);
    CHECK(error(16384, inner) < 0.002);
  }
}

int main() { return check::run(); }
