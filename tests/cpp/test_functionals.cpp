// CRPS, mode, shortest interval and moments against closed forms.
#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <vector>

#include "btg/numerics/student_t.hpp"
#include "btg/predictive/answers.hpp"
#include "btg/predictive/law.hpp"
#include "btg/predictive/quantile.hpp"
#include "btg/predictive/questions.hpp"
#include "btg/transforms/registry.hpp"
#include "check.hpp"
#include "problems.hpp"

using btg::Mixture;
using btg::MixtureNodes;
using btg::ModelNodes;
using btg::StudentT;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

const double infinity = std::numeric_limits<double>::infinity();
const double pi = 3.14159265358979323846;

struct Problem {
  MixtureNodes nodes;
  VectorXd location, scale, weights;
  Mixture mixture() const { return Mixture(nodes, location, scale, weights); }
};

VectorXd vector(const std::vector<double>& x) {
  return Eigen::Map<const VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

// Nodes with the same parameters of the transform.
Problem problem(double df, const std::vector<std::string>& names, const std::vector<double>& lambda,
                const std::vector<double>& location, const std::vector<double>& scale,
                const std::vector<double>& weights, double shift = 0, double unit = 1) {
  const MatrixXd all = vector(lambda).replicate(1, static_cast<Eigen::Index>(location.size()));
  return {MixtureNodes(StudentT(df), {ModelNodes(btg::compose(names), all, shift, unit)}),
          vector(location), vector(scale), vector(weights)};
}

Problem one(double df, const std::vector<std::string>& names, const std::vector<double>& lambda,
            double location, double scale) {
  return problem(df, names, lambda, {location}, {scale}, {1});
}

double ask(const Problem& problem, const std::string& question, double at = 0, int column = 0,
           double floor = -infinity) {
  btg::AnswerOptions options;
  options.floor = floor;
  const btg::Answers answers =
      btg::ask(1, [&](long) { return problem.mixture(); },
               {{&btg::find_question(question), MatrixXd::Constant(1, 1, at)}}, options, {});
  return answers.of[0].values(0, column);
}
double crps(const Problem& problem, double y) { return ask(problem, "crps", y); }
double mean(const Problem& problem) { return ask(problem, "moments"); }
double variance(const Problem& problem) { return ask(problem, "moments", 0, 1); }

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double normal_density(double x) { return std::exp(-0.5 * x * x) / std::sqrt(2 * pi); }

double normal_crps(double z) {
  return z * (2 * normal_cdf(z) - 1) + 2 * normal_density(z) - 1 / std::sqrt(pi);
}

// Jordan, Krueger and Lerch (2019), Evaluating probabilistic forecasts with scoringRules.
double t_crps(double df, double z) {
  const boost::math::students_t_distribution<double> t(df);
  return z * (2 * cdf(t, z) - 1) + 2 * pdf(t, z) * (df + z * z) / (df - 1) -
         2 * std::sqrt(df) / (df - 1) * boost::math::beta(0.5, df - 0.5) /
             std::pow(boost::math::beta(0.5, df / 2), 2);
}

// E|X - y| of a normal, for the CRPS of mixtures: sum w E|X_i - y| - 1/2 sum sum w w E|X_i - X_j|.
double mean_distance(double location, double scale) {
  return location * (2 * normal_cdf(location / scale) - 1) +
         2 * scale * normal_density(location / scale);
}

}  // namespace

TEST("CRPS of a normal and of Student's t") {
  for (double z : {-40.0, -3.0, -0.7, 0.0, 0.1, 2.0, 12.0}) {
    CHECK_CLOSE(crps(one(infinity, {}, {}, 3, 2), 3 + 2 * z) / 2, normal_crps(z), 1e-8);
    for (double df : {2.0, 4.0, 30.0}) {
      CHECK_CLOSE(crps(one(df, {}, {}, -1, 0.01), -1 + 0.01 * z) / 0.01, t_crps(df, z), 1e-7);
    }
  }
}

TEST("CRPS of a log-normal") {
  // Baran and Lerch (2015).
  for (double y : {0.01, 0.7, 2.0, 30.0}) {
    const double m = 0.3, s = 0.8, z = (std::log(y) - m) / s;
    const double expected =
        y * (2 * normal_cdf(z) - 1) -
        2 * std::exp(m + s * s / 2) * (normal_cdf(z - s) + normal_cdf(s / std::sqrt(2.0)) - 1);
    CHECK_CLOSE(crps(one(infinity, {"boxcox"}, {0}, m, s), y), expected, 1e-7);
  }
}

TEST("CRPS of mixtures, of narrow and far components too") {
  for (double far : {0.5, 10.0, 1e4}) {
    for (double narrow : {1.0, 1e-3}) {
      const std::vector<double> m{0, far, -1}, s{1, narrow, 0.5}, w{0.5, 0.3, 0.2};
      for (double y : {-2.0, 0.3, far, 3 * far}) {
        double expected = 0;
        for (int i = 0; i < 3; ++i) {
          expected += w[i] * mean_distance(m[i] - y, s[i]);
          for (int j = 0; j < 3; ++j) {
            expected -= 0.5 * w[i] * w[j] * mean_distance(m[i] - m[j], std::hypot(s[i], s[j]));
          }
        }
        CHECK_CLOSE(crps(problem(infinity, {}, {}, m, s, w), y), expected, 1e-7);
      }
    }
  }
}

TEST("mean and variance of Student's t, and where they do not exist") {
  CHECK_CLOSE(mean(one(5, {}, {}, 3, 2)), 3, 1e-9);
  CHECK_CLOSE(variance(one(5, {}, {}, 3, 2)), 4 * 5.0 / 3, 1e-8);
  CHECK_CLOSE(variance(one(2.5, {}, {}, 3, 2)), 4 * 5.0, 1e-6);
  CHECK_CLOSE(mean(one(1.5, {}, {}, 3, 2)), 3, 1e-6);
  CHECK(std::isnan(variance(one(2, {}, {}, 3, 2))));
  CHECK(std::isnan(mean(one(1, {}, {}, 3, 2))));
}

TEST("mean and variance through transforms") {
  const double m = 0.3, s = 0.8;
  const Problem log_normal = one(infinity, {"boxcox"}, {0}, m, s);
  CHECK_CLOSE(mean(log_normal), std::exp(m + s * s / 2), 1e-9);
  CHECK_CLOSE(variance(log_normal), std::exp(2 * m + s * s) * std::expm1(s * s), 1e-8);
  // sinh of a normal
  const Problem sinh_normal = one(infinity, {"arcsinh"}, {0, 1}, m, s);
  const double expected = std::exp(s * s / 2) * std::sinh(m);
  CHECK_CLOSE(mean(sinh_normal), expected, 1e-9);
  CHECK_CLOSE(variance(sinh_normal),
              0.5 * (std::exp(2 * s * s) * std::cosh(2 * m) - 1) - expected * expected, 1e-8);
  // The log of a t has no mean; Box-Cox with lambda = 1/4 has four moments fewer.
  CHECK(std::isnan(mean(one(20, {"boxcox"}, {0}, m, s))));
  CHECK(std::isnan(mean(one(20, {"arcsinh"}, {0, 1}, m, s))));
  CHECK(std::isnan(mean(one(4, {"boxcox"}, {0.25}, m, s))));
  CHECK(!std::isnan(mean(one(5, {"boxcox"}, {0.25}, m, s))));
  CHECK(std::isnan(variance(one(8, {"boxcox"}, {0.25}, m, s))));
  CHECK(!std::isnan(variance(one(9, {"boxcox"}, {0.25}, m, s))));
  CHECK(std::isnan(mean(one(4, {"sinharcsinh"}, {0, 0.25}, m, s))));
  CHECK(!std::isnan(mean(one(5, {"sinharcsinh"}, {0, 0.25}, m, s))));
}

TEST("a truncated image: Box-Cox with lambda = 1 is a truncated t") {
  // y = 1 + z for z > -1; with normal z the mean and variance of a truncated normal.
  const double m = -0.5, s = 0.7, a = (-1 - m) / s, ratio = normal_density(a) / normal_cdf(-a);
  const Problem truncated = one(infinity, {"boxcox"}, {1}, m, s);
  CHECK_CLOSE(mean(truncated), 1 + m + s * ratio, 1e-8);
  CHECK_CLOSE(variance(truncated), s * s * (1 + a * ratio - ratio * ratio), 1e-7);
}

TEST("a floor keeps what is below it there") {
  // max(Y, 0) of a normal.
  const double m = 0.4, s = 0.9, z = m / s;
  const Problem normal = one(infinity, {}, {}, m, s);
  const auto floored = [&](const std::string& question, double at = 0, int column = 0) {
    return ask(normal, question, at, column, 0.0);
  };
  const double expected = m * normal_cdf(z) + s * normal_density(z);
  const double second = (m * m + s * s) * normal_cdf(z) + m * s * normal_density(z);
  CHECK_CLOSE(floored("moments"), expected, 1e-8);
  CHECK_CLOSE(floored("moments", 0, 1), second - expected * expected, 1e-7);
  CHECK(floored("quantile", 0.1) == 0);
  CHECK(floored("cdf", -1e-9) == 0);
  CHECK_CLOSE(floored("cdf", 0), normal_cdf(-z), 1e-12);
  CHECK(floored("density", -1) == 0);
  CHECK(floored("log_density", -1) == -infinity);
  CHECK_CLOSE(floored("exceedance", 0), normal_cdf(z), 1e-12);
  // CRPS of a normal left-censored at 0, by the trapezoidal rule.
  for (double y : {0.0, 0.2, 1.5}) {
    const int count = 400000;
    const double h = 10.0 / count;
    double sum = 0;
    for (int k = 0; k <= count; ++k) {
      const double x = k * h, f = normal_cdf((x - m) / s) - (x > y ? 1 : 0);
      sum += (k == 0 || k == count ? 0.5 : 1) * f * f * h;
    }
    CHECK_CLOSE(floored("crps", y), sum, 3e-5);
  }
}

// E max(Y, floor)^k of one node by Simpson's rule in x = (g(y) - location) / scale, with points
// that crowd where the image or the floor cuts it off.
double moment_by_simpson(const Problem& problem, int k, double floor) {
  const ModelNodes& block = problem.nodes.models[0];
  const double m = problem.location[0], s = problem.scale[0];
  const StudentT& t = problem.nodes.t;
  const double least = std::max((block.images[0].lower - m) / s, -60.0);
  const double most = std::min((block.images[0].upper - m) / s, 60.0);
  const double kink = floor > block.domains[0].lower
                          ? std::clamp((block.forward(0, floor) - m) / s, least, most)
                          : least;
  const auto integrate = [&](auto h, double from, double to) {
    const int count = 4000;
    double sum = 0;
    for (int i = 0; i <= count; ++i) {
      const double u = static_cast<double>(i) / count,
                   weight = i % count == 0 ? 1 : 2 + 2 * (i % 2);
      const double x = from + (to - from) * u * u * u * u;
      const double slope = 4 * std::abs(to - from) * u * u * u;
      if (slope > 0) sum += weight * slope * h(x) * std::exp(t.log_density(x));
    }
    return sum / 3 / count;
  };
  const auto power = [&](double x) {
    return std::pow(std::max(block.inverse(0, m + s * x), floor), k);
  };
  const auto unit = [](double) { return 1.0; };
  const double middle = 0.5 * (kink + most);
  double mass = integrate(unit, kink, middle) + integrate(unit, most, middle);
  double sum = integrate(power, kink, middle) + integrate(power, most, middle);
  if (kink > least) {
    const double below = integrate(unit, kink, least);
    mass += below;
    sum += below * std::pow(floor, k);
  }
  return sum / mass;
}

TEST("moments of all transforms, cut or not, agree with Simpson's rule") {
  for (const std::string& name : problems::unbounded_transforms()) {
    const btg::Transform* g = &btg::find_transform(name);
    const std::vector<btg::Parameter> parameters = g->parameters();
    for (const double value : {0.6, 1.6}) {
      if (g->name() == "arcsinh") continue;  // its moments do not exist
      for (const double centre : {0.4, 5.0}) {
        for (const double s : {0.05, 1.0}) {
          const std::vector<double> lambda(parameters.size(), value);
          const double m = g->forward(centre, lambda.data());
          const Problem problem = one(40, {g->name()}, lambda, m, s);
          for (const double floor : {-infinity, 0.3}) {
            const double first = moment_by_simpson(problem, 1, floor);
            const double spread = moment_by_simpson(problem, 2, floor) - first * first;
            const double scale = std::sqrt(std::abs(spread)) + 1e-3;
            CHECK(std::abs(ask(problem, "moments", 0, 0, floor) - first) < 1e-6 * scale);
            CHECK(std::abs(ask(problem, "moments", 0, 1, floor) - spread) <
                  2e-6 * scale * scale + 1e-9 * first * first);
          }
        }
      }
    }
  }
}

TEST("the mode, and the shortest interval") {
  CHECK_CLOSE(ask(one(6, {}, {}, 3, 2), "mode"), 3, 1e-4);
  const double m = 0.3, s = 0.5;
  const Problem log_normal = one(infinity, {"boxcox"}, {0}, m, s);
  CHECK_CLOSE(ask(log_normal, "mode"), std::exp(m - s * s), 1e-4);
  for (double level : {0.5, 0.8, 0.95}) {
    const double lower = ask(log_normal, "shortest", level, 0);
    const double upper = ask(log_normal, "shortest", level, 1);
    const Mixture mixture = log_normal.mixture();
    CHECK_CLOSE(mixture.evaluate(upper).cdf - mixture.evaluate(lower).cdf, level, 1e-9);
    // The density is the same at both ends.
    CHECK_CLOSE(mixture.evaluate(upper).density / mixture.evaluate(lower).density, 1, 2e-3);
    // Symmetric: the equal-tailed interval.
    const boost::math::students_t_distribution<double> t(6);
    CHECK_CLOSE(ask(one(6, {}, {}, 3, 2), "shortest", level, 1),
                3 + 2 * quantile(t, 0.5 + level / 2), 2e-4);
  }
  // Two modes: the higher one.
  const Problem two = problem(infinity, {}, {}, {0, 8}, {1, 0.2}, {0.6, 0.4});
  CHECK_CLOSE(ask(two, "mode"), 8, 1e-4);
}

TEST("exceedance and log density keep their digits far out") {
  const Problem normal = one(infinity, {}, {}, 0, 1);
  CHECK_CLOSE(ask(normal, "exceedance", 12) / (0.5 * std::erfc(12 / std::sqrt(2.0))), 1, 1e-9);
  CHECK_CLOSE(ask(normal, "log_density", 60), -0.5 * std::log(2 * pi) - 1800, 1e-12);
  const Problem mixed = problem(infinity, {}, {}, {0, 1}, {1, 1}, {0.25, 0.75});
  CHECK_CLOSE(ask(mixed, "log_density", 70),
              std::log(0.75) - 0.5 * std::log(2 * pi) - 0.5 * 69 * 69, 1e-12);
}

TEST("models with scales of their own in one mixture") {
  // The same distribution of y, once by itself, once through a shift and a unit.
  const VectorXd half = VectorXd::Constant(2, 0.5);
  const MatrixXd lambda = VectorXd::Constant(1, 0.4);
  const ModelNodes plain(btg::Composition(), MatrixXd(0, 1));
  const ModelNodes scaled(btg::compose({"identity"}), MatrixXd(0, 1), 3, 2);
  const ModelNodes positive(btg::compose({"boxcox"}), lambda, -1, 10);
  const MixtureNodes same(StudentT(7), {plain, scaled});
  const Mixture mixture(same, vector({3, 0}), vector({2, 1}), half);
  const Problem alone = one(7, {}, {}, 3, 2);
  for (double y : {-5.0, 2.0, 3.0, 9.0}) {
    CHECK_CLOSE(mixture.evaluate(y).cdf, alone.mixture().evaluate(y).cdf, 1e-14);
    CHECK_CLOSE(mixture.evaluate(y).density, alone.mixture().evaluate(y).density, 1e-14);
    CHECK_CLOSE(mixture.log_density(y), alone.mixture().log_density(y), 1e-13);
  }
  for (double p : {0.01, 0.5, 0.9}) {
    CHECK_CLOSE(btg::quantile(mixture, p, 1e-12), btg::quantile(alone.mixture(), p, 1e-12), 1e-9);
  }
  // With a positive model the support is the union: above -1 both, below only the first.
  const MixtureNodes both(StudentT(7), {plain, positive});
  CHECK(both.support.lower == -infinity && positive.common.lower == -1);
  const Mixture mixed(both, vector({0, 1}), vector({1, 0.5}), half);
  CHECK_CLOSE(mixed.evaluate(-2).cdf, 0.5 * StudentT(7).cdf(-2), 1e-14);
  for (double p : {0.01, 0.3, 0.5, 0.9, 0.999}) {
    CHECK_CLOSE(mixed.evaluate(btg::quantile(mixed, p, 1e-10)).cdf, p, 1e-9);
  }
}
