// Predictive distributions with a floor, a ceiling, and a share of what is below the floor that
// stays there: against those of a normal, and against sums over many of its quantiles.
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <vector>

#include "btg/numerics/student_t.hpp"
#include "btg/predictive/answers.hpp"
#include "btg/predictive/law.hpp"
#include "btg/predictive/law_slopes.hpp"
#include "btg/predictive/moments.hpp"
#include "btg/predictive/questions.hpp"
#include "btg/transforms/registry.hpp"
#include "check.hpp"

using btg::Mixture;
using btg::MixtureNodes;
using btg::ModelNodes;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

namespace {

const double infinity = std::numeric_limits<double>::infinity();

struct Case {
  double location, scale, floor, ceiling, open;
};

// Most of the mass between the ends, at the floor, at the ceiling; one end only.
const std::vector<Case> cases{{0.6, 0.7, 0.0, 1.5, 0.05},  {-1.0, 0.5, 0.0, 2.0, 0.2},
                              {3.0, 1.0, 0.0, 2.0, 0.01},  {0.5, 1.0, 0.0, infinity, 0.3},
                              {0.5, 1.0, -infinity, 1, 0}, {0.5, 1.0, -0.2, 1.1, 0}};

struct Answered {
  RowVectorXd values;
  std::vector<btg::NodeSlopes> slopes;
};

Answered answer(const Case& c, const std::string& name, double at, bool slopes = false) {
  btg::AnswerOptions options;
  options.tolerance = 1e-13;
  options.floor = c.floor, options.ceiling = c.ceiling, options.open = c.open;
  const MixtureNodes nodes(btg::StudentT(infinity),
                           {ModelNodes(btg::Composition(), MatrixXd(0, 1))});
  const Mixture mixture(nodes, VectorXd::Constant(1, c.location), VectorXd::Constant(1, c.scale),
                        VectorXd::Ones(1));
  btg::PredictiveLaw law(mixture, options);
  const btg::QuestionType& question = btg::find_question(name);
  const RowVectorXd values = RowVectorXd::Constant(1, at);
  Answered result{RowVectorXd(question.columns(1)), {}};
  question.answer(law, values, result.values);
  if (slopes) {
    result.slopes.assign(result.values.size(), btg::NodeSlopes(1));
    question.slopes(law, values, result.values, result.slopes);
  }
  return result;
}

double ask(const Case& c, const std::string& name, double at = 0, int column = 0) {
  return answer(c, name, at).values[column];
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

double cdf(const Case& c, double y) {
  if (y >= c.ceiling) return 1;
  return (y < c.floor ? c.open : 1) * normal_cdf((y - c.location) / c.scale);
}

// The mean of h(Y) over many equally likely values.
template <class H>
double mean_of(const Case& c, H h) {
  const int count = 200000;
  const boost::math::normal_distribution<double> normal(c.location, c.scale);
  double sum = 0;
  for (int k = 0; k < count; ++k) {
    const double y = quantile(normal, (k + 0.5) / count), top = std::fmin(y, c.ceiling);
    sum += (1 - c.open) * h(std::fmax(top, c.floor)) + c.open * h(top);
  }
  return sum / count;
}

}  // namespace

TEST("probabilities are those of a normal within the ends, and all mass is somewhere") {
  for (const Case& c : cases) {
    for (const double y : {-3.0, -0.5, -0.2, 0.0, 0.3, 1.0, 1.2, 2.0, 4.0}) {
      CHECK_CLOSE(ask(c, "cdf", y), cdf(c, y), 1e-12);
      CHECK_CLOSE(ask(c, "exceedance", y), 1 - cdf(c, y), 1e-12);
      const bool at_end = y == c.floor || y == c.ceiling;
      if (!at_end) {
        const double h = 1e-5;
        CHECK_CLOSE(ask(c, "density", y), (cdf(c, y + h) - cdf(c, y - h)) / (2 * h), 1e-6);
        CHECK_CLOSE(std::exp(ask(c, "log_density", y)), ask(c, "density", y), 1e-12);
        CHECK(ask(c, "mass", y) == 0);
      } else {
        CHECK_CLOSE(ask(c, "mass", y), cdf(c, y) - cdf(c, y - 1e-13), 1e-9);
      }
    }
    // The density between the steps, by the trapezoidal rule, and the masses at them.
    double total = 0;
    std::vector<double> knots{-12};
    for (const double end : {c.floor, c.ceiling}) {
      if (std::isfinite(end)) total += ask(c, "mass", end), knots.push_back(end);
    }
    knots.push_back(12);
    for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
      const int count = 4000;
      const double h = (knots[k + 1] - knots[k]) / count;
      for (int i = 0; i < count; ++i) {
        total += h * ask(c, "density", knots[k] + (i + 0.5) * h);  // the midpoint rule
      }
    }
    CHECK_CLOSE(total, 1, 1e-5);
  }
}

TEST("quantiles and draws invert the distribution function") {
  for (const Case& c : cases) {
    for (const std::string name : {"quantile", "draw"}) {
      for (const double p : {1e-4, 0.004, 0.02, 0.1, 0.3, 0.5, 0.8, 0.99, 0.9999}) {
        const double y = ask(c, name, p);
        CHECK(cdf(c, y) >= p - 1e-9);
        CHECK(cdf(c, y - 1e-9) <= p + 1e-9);
      }
    }
    CHECK(ask(c, "quantile", 1) == c.ceiling);
    if (c.open == 0) CHECK(ask(c, "quantile", 0) == c.floor);
  }
}

TEST("no interval of the same probability is shorter than the shortest") {
  for (const Case& c : cases) {
    for (const double level : {0.3, 0.5, 0.8, 0.95}) {
      const double lower = ask(c, "shortest", level), upper = ask(c, "shortest", level, 1);
      CHECK(cdf(c, upper) - cdf(c, lower - 1e-9) >= level - 1e-8);
      double least = infinity;
      for (int k = 0; k <= 500; ++k) {
        const double p = (1 - level) * k / 500;
        least = std::fmin(least, ask(c, "quantile", std::fmin(p + level, 1)) -
                                     (k == 0 && c.open == 0 ? c.floor : ask(c, "quantile", p)));
      }
      CHECK(upper - lower <= least + 1e-6);
    }
  }
}

TEST("moments, partial moments and CRPS are means over the distribution") {
  for (const Case& c : cases) {
    const double mean = mean_of(c, [](double y) { return y; });
    CHECK_CLOSE(ask(c, "moments"), mean, 1e-5);
    CHECK_CLOSE(ask(c, "moments", 0, 1),
                mean_of(c, [&](double y) { return (y - mean) * (y - mean); }), 1e-4);
    for (const double a : {-1.0, 0.0, 0.7, 1.8}) {
      CHECK_CLOSE(ask(c, "lower_partial_moment", a),
                  mean_of(c, [&](double y) { return std::fmax(a - y, 0.0); }), 2e-5);
      CHECK_CLOSE(ask(c, "upper_partial_moment", a),
                  mean_of(c, [&](double y) { return std::fmax(y - a, 0.0); }), 2e-5);
      // The integral of (F - 1(x >= a))^2.
      const int count = 400000;
      const double h = 20.0 / count;
      double sum = 0;
      for (int k = 0; k < count; ++k) {
        const double x = -10 + (k + 0.5) * h, f = cdf(c, x) - (x >= a ? 1 : 0);
        sum += h * f * f;
      }
      CHECK_CLOSE(ask(c, "crps", a), sum, 1e-4);
    }
  }
}

// E(Y - y0) and E(Y - y0)^2 from the probabilities of the same law: integrals of F below y0 and of
// 1 - F above, by the midpoint rule in v with y = y0 + sinh v.
std::pair<double, double> moments_of_cdf(const btg::PredictiveLaw& law, double y0, double lower,
                                         double upper) {
  const int count = 40000;
  double first = 0, second = 0;
  for (const int side : {-1, 1}) {
    const double far = std::fmin(std::abs((side < 0 ? lower : upper) - y0), 1e12);
    const double h = std::asinh(far) / count;
    for (int k = 0; k < count; ++k) {
      const double v = (k + 0.5) * h, apart = std::sinh(v);
      const btg::MixtureValue value = law.evaluate(y0 + side * apart);
      const double tail = (side < 0 ? value.cdf : value.survival) * std::cosh(v) * h;
      first += side * tail;
      second += 2 * apart * tail;
    }
  }
  return {first, second};
}

TEST("moments are right however far the bounds are") {
  const std::vector<std::pair<std::string, std::vector<double>>> transforms{
      {"affine", {0, 1}}, {"boxcox", {0}}, {"sinharcsinh", {0.4, 0.8}}, {"softplus", {1}}};
  for (const auto& [name, lambda] : transforms) {
    for (const double df : {3.0, 5.0, 40.0}) {
      for (const double s : {0.1, 0.6}) {
        const MixtureNodes nodes(
            btg::StudentT(df),
            {ModelNodes(btg::compose({name}),
                        Eigen::Map<const VectorXd>(lambda.data(), lambda.size()))});
        const double y0 = 2, m = btg::compose({name}).forward(y0, lambda.data());
        const Mixture mixture(nodes, VectorXd::Constant(1, m), VectorXd::Constant(1, s),
                              VectorXd::Ones(1));
        for (const double lower : {-infinity, 0.0, 1.9}) {
          for (const double upper : {2.05, 5.0, 100.0, 1e4, 1e6}) {
            btg::AnswerOptions options;
            options.floor = lower, options.ceiling = upper, options.open = 0;
            btg::PredictiveLaw law(mixture, options);
            const btg::MeanVariance found = law.moments();
            const auto [first, second] = moments_of_cdf(law, y0, lower, upper);
            if (std::isnan(found.mean)) continue;  // the lower tail has no mean
            const double sd = std::sqrt(second);
            CHECK(std::abs(found.mean - y0 - first) < 1e-4 * sd);
            if (std::isnan(found.variance)) continue;
            CHECK(std::abs(found.variance + first * first - second) < 1e-4 * second);
          }
        }
      }
    }
  }
}

TEST("slopes are those of differences") {
  const double h = 1e-5;
  const std::vector<std::pair<std::string, double>> questions{{"quantile", 0.01},
                                                              {"quantile", 0.4},
                                                              {"quantile", 0.9},
                                                              {"cdf", -0.5},
                                                              {"cdf", 0.4},
                                                              {"exceedance", 2.5},
                                                              {"moments", 0},
                                                              {"lower_partial_moment", 1},
                                                              {"upper_partial_moment", 0.3}};
  for (const Case& c : cases) {
    for (const auto& [name, at] : questions) {
      const btg::NodeSlopes slopes = answer(c, name, at, true).slopes[0];
      Case right = c, left = c;
      right.location += h, left.location -= h;
      CHECK_CLOSE(slopes.location[0], (ask(right, name, at) - ask(left, name, at)) / (2 * h), 2e-5);
      right = left = c;
      right.scale += h, left.scale -= h;
      CHECK_CLOSE(slopes.scale[0], (ask(right, name, at) - ask(left, name, at)) / (2 * h), 2e-5);
    }
  }
}