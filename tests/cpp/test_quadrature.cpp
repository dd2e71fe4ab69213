// Sobol points are nets; every rule finds the evidence of a Gaussian likelihood.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "btg/base/constants.hpp"
#include "btg/base/error.hpp"
#include "btg/numerics/normal_points.hpp"
#include "btg/numerics/sobol_points.hpp"
#include "btg/quadrature/rules/registry.hpp"
#include "btg/quadrature/sampling/proposal.hpp"
#include "btg/quadrature/sampling/slopes.hpp"
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
        gaussian.target(), {{"nodes", nodes}, {"inner", inner}, {"seed", 0.0}});
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

namespace {

// Two kernel coordinates as Gaussian has them, times a bent ridge of two others: t_2 is near
// 1.5 (t_1^2 - 1).
struct Ridge {
  Gaussian kernel = make_gaussian(2, 0);
  double width = 0.3;

  static double bend(double t) { return 1.5 * (t * t - 1); }
  double log_likelihood(const VectorXd& u) const {
    const double off = (u[3] - bend(u[2])) / width;
    return kernel.log_likelihood(u.head(2)) - 0.5 * off * off;
  }
  Target target() const {
    Target target;
    target.dimension = 4;
    target.kernel_dimension = 2;
    target.shared_cost = 0.2;
    target.log_likelihood = [this](const MatrixXd& points) {
      VectorXd values(points.cols());
      for (int i = 0; i < points.cols(); ++i) values[i] = log_likelihood(points.col(i));
      return values;
    };
    target.log_posterior_gradient = [this](const VectorXd& u) {
      VectorXd slope(4);
      const double off = (u[3] - bend(u[2])) / (width * width);
      slope << (kernel.centre - u.head(2)).cwiseQuotient(kernel.width.cwiseAbs2()), 3 * u[2] * off,
          -off;
      return btg::ValueGradient{log_likelihood(u) + btg::log_normal_density(u), slope - u};
    };
    target.starts = {VectorXd::Zero(4)};
    target.kernel_restarts = {VectorXd::Zero(2)};
    return target;
  }
  // Over t_2 in closed form, over t_1 by the trapezoidal rule.
  double log_evidence() const {
    const double total = 1 + width * width, step = 0.001;
    double sum = 0;
    for (double t = -9; t < 9; t += step) {
      sum += step * std::exp(-0.5 * t * t - 0.5 * bend(t) * bend(t) / total);
    }
    return kernel.log_evidence() + std::log(sum * width / std::sqrt(2 * btg::pi * total));
  }
};

}  // namespace

TEST("the adaptive rule follows a bent ridge, within its budget") {
  const Ridge ridge;
  for (double seed : {0, 1, 2}) {
    btg::RuleOptions options = btg::find_rule("adaptive").default_options();
    options.set("seed", seed);
    options.set("most", 1500.0);
    const WeightedPoints all = btg::find_rule("adaptive").integrate(ridge.target(), options);
    CHECK_CLOSE(log_evidence(all), ridge.log_evidence(), 0.06);
    CHECK(all.diagnostics.at("work") <= options.number("most"));
  }
}

TEST("likelihoods that share a factor are counted at their cost") {
  const Ridge ridge;
  btg::RuleOptions options = btg::find_rule("adaptive").default_options();
  int asked = 0;
  Target target = ridge.target();
  double cost = 0;
  target.log_likelihood = [&](const MatrixXd& points) {
    for (int i = 0; i < points.cols(); ++i) {
      const bool shares = i > 0 && points.col(i).head(2) == points.col(i - 1).head(2);
      cost += shares ? 0.2 : 1;
    }
    asked += int(points.cols());
    return ridge.target().log_likelihood(points);
  };
  target.log_posterior_gradient = [&](const VectorXd& u) {
    cost += 3;
    return ridge.target().log_posterior_gradient(u);
  };
  const WeightedPoints all = btg::find_rule("adaptive").integrate(target, options);
  CHECK_CLOSE(all.diagnostics.at("work"), cost, 1e-9);
  CHECK(asked > all.points.cols() + 250);  // many at one kernel point
}

TEST("draws of a proposal have its density") {
  // The mean of h / q over draws from q is 1, whatever the density h.
  problems::Random random(5);
  const MatrixXd root = MatrixXd::Identity(3, 3) + random.matrix(3, 3, -0.3, 0.3);
  const btg::SplitT kernel(VectorXd::Constant(3, 0.3), 0.6 * root, VectorXd::Constant(3, 0.8),
                           VectorXd::Constant(3, 1.3), 10);
  const btg::SplitT part(VectorXd::Constant(2, -0.5), MatrixXd::Identity(2, 2),
                         VectorXd::Constant(2, 0.7), VectorXd::Ones(2), 20);
  btg::SplitMixture trailing{{part}, {1.0}};
  trailing.blend({{btg::SplitT::standard_normal(2)}, {1.0}});
  btg::Proposal proposal;
  proposal.add({{{kernel, kernel.with_free(1)}, {0.4, 0.6}}, trailing}, 0.7);
  proposal.add({{{btg::SplitT::standard_normal(5)}, {1.0}}, {}}, 0.3);
  const int count = 1 << 14;
  const MatrixXd uniform = sobol_points(5 + btg::Proposal::extra, count);
  double total = 0, first = 0;
  for (int i = 0; i < count; ++i) {
    const VectorXd u = proposal.draw(uniform.col(i));
    const double ratio = std::exp(btg::log_normal_density(u) - proposal.log_density(u)[0]) / count;
    total += ratio;
    first += ratio * u[1] * u[1];
  }
  CHECK_CLOSE(total, 1, 0.01);
  CHECK_CLOSE(first, 1, 0.03);
}

TEST("a free coordinate is standard normal, and the others do not depend on it") {
  const MatrixXd root = MatrixXd::Identity(3, 3) + MatrixXd::Constant(3, 3, 0.2);
  const VectorXd ones = VectorXd::Ones(3);
  const btg::SplitT free = btg::SplitT(ones, root, ones, ones, INFINITY).with_free(1);
  VectorXd u = VectorXd::Constant(3, 0.4);
  const double at = free.log_density(u)[0];
  u[1] = -1.2;
  CHECK_CLOSE(free.log_density(u)[0] - at, -0.5 * (1.2 * 1.2 - 0.4 * 0.4), 1e-12);
}

TEST("slopes of a split normal give back its scales, those of a normal its centre") {
  const VectorXd x = VectorXd::LinSpaced(2001, -4, 4);
  for (const Eigen::Vector3d& truth :
       {Eigen::Vector3d(0, 0.8, 1.5), Eigen::Vector3d(0.3, 1.2, 1.2)}) {
    VectorXd slope(x.size());
    for (int i = 0; i < x.size(); ++i) {
      const double off = x[i] - truth[0], scale = off < 0 ? truth[1] : truth[2];
      slope[i] = -off / (scale * scale);
    }
    const btg::AxisFit fit = btg::fit_axis(x, slope, 1, 1);
    CHECK_CLOSE(fit.shift, truth[0], 0.02);
    CHECK_CLOSE(fit.left, truth[1], 0.02);
    CHECK_CLOSE(fit.right, truth[2], 0.02);
  }
}
