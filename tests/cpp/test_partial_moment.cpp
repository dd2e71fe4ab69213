// Partial moments against closed forms and a plain sum over draws' quantiles, and derivatives of
// answers in the nodes' locations and scales against differences.
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "btg/base/constants.hpp"
#include "btg/base/error.hpp"
#include "btg/predictive/law.hpp"
#include "btg/predictive/law_slopes.hpp"
#include "btg/predictive/partial_moment.hpp"
#include "btg/predictive/questions.hpp"
#include "btg/transforms/registry.hpp"
#include "check.hpp"
#include "random_mixture.hpp"

using btg::Mixture;
using btg::NodeSlopes;
using btg::PredictiveLaw;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;
using problems::Random;
using problems::RandomMixture;

namespace {

double partial_moment(const Mixture& mixture, double a, bool upper, double floor = -INFINITY) {
  btg::AnswerOptions options;
  options.floor = floor;
  PredictiveLaw law(mixture, options);
  return btg::partial_moment(law, a, upper);
}

// A mixture whose scales differ by much less than those of random_mixture, so that sums on a fine
// grid are an oracle.
RandomMixture tame_mixture(Random& random, const std::vector<std::string>& names, double df) {
  RandomMixture problem = problems::random_mixture(random, names, df, 8);
  for (Eigen::Index i = 0; i < problem.scale.size(); ++i) {
    const btg::ModelNodes& block = problem.nodes.models[0];
    problem.location[i] = block.g.forward(random.uniform(1, 3), block.parameters(int(i)));
    problem.scale[i] = random.uniform(0.05, 0.2);
    problem.weights[i] = random.uniform(0.2, 1);
  }
  problem.weights /= problem.weights.sum();
  return problem;
}

// Many equally likely quantiles.
VectorXd quantiles_of(const Mixture& mixture) {
  PredictiveLaw law(mixture, btg::AnswerOptions());
  const int count = 20000;
  VectorXd quantiles(count);
  for (int k = 0; k < count; ++k) quantiles[k] = law.quantile((k + 0.5) / count);
  return quantiles;
}

// The mean of (a - Y)+, or of (Y - a)+.
double by_quantiles(const VectorXd& quantiles, double a, bool upper) {
  const double sign = upper ? 1.0 : -1.0;
  return (sign * (quantiles.array() - a)).max(0.0).mean();
}

struct Answered {
  RowVectorXd values;
  std::vector<NodeSlopes> slopes;
};

Answered answer(const std::string& name, const RandomMixture& problem, const RowVectorXd& at,
                double floor) {
  btg::AnswerOptions options;
  options.floor = floor;
  options.tolerance = 1e-13;
  const Mixture mixture = problem.mixture();
  PredictiveLaw law(mixture, options);
  const btg::QuestionType& question = btg::find_question(name);
  Answered result{RowVectorXd(question.columns(at.size())), {}};
  result.slopes.assign(result.values.size(), NodeSlopes(mixture.size()));
  question.answer(law, at, result.values);
  question.slopes(law, at, result.values, result.slopes);
  return result;
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / btg::sqrt_two); }

// E(a - Y)+ of a normal, and of the exponential of one.
double below_normal(double a, double mean, double sd) {
  const double x = (a - mean) / sd;
  return sd * (x * normal_cdf(x) + std::exp(-0.5 * x * x) / std::sqrt(2 * btg::pi));
}

double below_lognormal(double a, double mean, double sd) {
  const double x = (std::log(a) - mean) / sd;
  return a * normal_cdf(x) - std::exp(mean + 0.5 * sd * sd) * normal_cdf(x - sd);
}

btg::ModelNodes log_block() {
  return btg::ModelNodes(btg::compose({"boxcox"}), MatrixXd::Zero(1, 1));
}

}  // namespace

TEST("partial moments of a normal are expected improvements in closed form") {
  const btg::MixtureNodes nodes(problems::student_t(INFINITY),
                                {btg::ModelNodes(btg::Composition(), MatrixXd(0, 1))});
  for (const double scale : {1e-6, 0.3, 50.0}) {
    const Mixture mixture(nodes, VectorXd::Constant(1, 2.0), VectorXd::Constant(1, scale),
                          VectorXd::Ones(1));
    for (const double x : {-7.0, -2.0, 0.0, 0.4, 3.0, 30.0}) {
      const double density = std::exp(-0.5 * x * x) / std::sqrt(2 * btg::pi);
      const double expected = scale * (x * 0.5 * std::erfc(-x / btg::sqrt_two) + density);
      const double below = partial_moment(mixture, 2.0 + scale * x, false);
      const double above = partial_moment(mixture, 2.0 - scale * x, true);
      // The closed form cancels far out, and y rounds beside a tiny scale.
      const double tolerance = x < -5 ? 1e-4 : 1e-8;
      CHECK_CLOSE(below / expected, 1.0, tolerance);
      CHECK_CLOSE(above / expected, 1.0, tolerance);
    }
  }
}

TEST("towards the end of a domain a tail takes few points") {
  const btg::MixtureNodes nodes(problems::student_t(INFINITY), {log_block()});
  for (const double sd : {0.1, 1.0, 4.0}) {
    const Mixture mixture(nodes, VectorXd::Constant(1, 0.5), VectorXd::Constant(1, sd),
                          VectorXd::Ones(1));
    for (const double x : {-3.0, -1.0, 0.0, 2.0}) {
      const double a = std::exp(0.5 + sd * x);
      CHECK_CLOSE(partial_moment(mixture, a, false) / below_lognormal(a, 0.5, sd), 1.0, 1e-6);
    }
    CHECK(mixture.evaluations() < 4 * 400);
  }
}

TEST("a tail of which less is asked takes fewer points, and is as exact as was asked") {
  Random random(7);
  btg::AnswerOptions options;
  options.tolerance = 1e-4;
  for (const auto& names : problems::mixture_transforms()) {
    const RandomMixture problem = problems::random_mixture(random, names, 30.0);
    const Mixture mixture = problem.mixture();
    PredictiveLaw rough(mixture, options);
    const double a = rough.quantile(random.uniform(0.05, 0.95));
    const auto before = mixture.evaluations();
    const double value = btg::partial_moment(rough, a, false);
    const auto between = mixture.evaluations();
    const double exact = partial_moment(mixture, a, false);
    if (!std::isfinite(exact)) continue;
    CHECK_CLOSE(value / exact, 1.0, 1e-4);
    CHECK(between - before <= mixture.evaluations() - between);
  }
}

TEST("a tail goes on beyond the end of some nodes' domain, and beyond a floor that is open") {
  const btg::MixtureNodes nodes(problems::student_t(INFINITY),
                                {log_block(), btg::ModelNodes(btg::Composition(), MatrixXd(0, 1))});
  VectorXd location(2), scale(2), weights(2);
  location << -0.5, 0.4;
  scale << 1.5, 0.6;
  weights << 0.7, 0.3;
  const Mixture mixture(nodes, location, scale, weights);
  const auto normal = [&](double a) { return 0.3 * below_normal(a, 0.4, 0.6); };
  for (const double a : {0.01, 0.5, 2.0}) {
    const double positive = 0.7 * below_lognormal(a, -0.5, 1.5);
    CHECK_CLOSE(partial_moment(mixture, a, false), positive + normal(a), 1e-7);
    btg::AnswerOptions options;
    options.floor = 0.0;
    options.open = 0.1;
    const PredictiveLaw law(mixture, options);
    // The integral of F from 0 to a, and a tenth of that below 0.
    CHECK_CLOSE(btg::partial_moment(law, a, false), positive + normal(a) - 0.9 * normal(0), 1e-7);
  }
  CHECK(mixture.evaluations() < 6 * 500);
}

TEST("partial moments are means over the distribution, for every transform") {
  Random random(5);
  for (const auto& names : problems::mixture_transforms()) {
    const RandomMixture problem = tame_mixture(random, names, 12);
    const Mixture mixture = problem.mixture();
    const VectorXd quantiles = quantiles_of(mixture);
    for (const double a : {1.2, 2.0, 2.9}) {
      for (const bool upper : {false, true}) {
        const double value = partial_moment(mixture, a, upper);
        if (std::isnan(value)) continue;  // does not exist
        CHECK_CLOSE(value, by_quantiles(quantiles, a, upper), 2e-4);
      }
    }
  }
}

TEST("a floor ends the lower tail, and a response below it has no partial moment") {
  Random random(6);
  const RandomMixture problem = tame_mixture(random, {}, 8);
  const Mixture mixture = problem.mixture();
  const double whole = partial_moment(mixture, 2.0, false);
  const double below = partial_moment(mixture, 1.5, false);
  CHECK(partial_moment(mixture, 1.4, false, 1.5) == 0.0);
  // The integral of F from the floor to a.
  CHECK_CLOSE(partial_moment(mixture, 2.0, false, 1.5), whole - below, 1e-9);
  // All of max(Y, floor) is above a response below the floor.
  CHECK_CLOSE(partial_moment(mixture, 1.2, true, 1.5), 0.3 + partial_moment(mixture, 1.5, true),
              1e-9);
}

TEST("a tail too heavy to integrate has no partial moment") {
  Random random(7);
  const RandomMixture problem = tame_mixture(random, {"arcsinh"}, 5);
  const Mixture mixture = problem.mixture();
  CHECK(std::isnan(partial_moment(mixture, 1.0, false)));
  CHECK(std::isfinite(partial_moment(mixture, 1.0, false, 0.0)));
}

TEST("slopes in locations and scales are those of differences") {
  Random random(8);
  RowVectorXd probabilities(3), responses(3);
  probabilities << 0.05, 0.5, 0.9;
  responses << 1.3, 2.0, 2.7;
  const double none = -INFINITY;
  for (const auto& names : problems::mixture_transforms()) {
    for (const double df : {4.0, 25.0}) {
      RandomMixture problem = tame_mixture(random, names, df);
      for (const std::string name : {"quantile", "cdf", "exceedance", "moments",
                                     "lower_partial_moment", "upper_partial_moment"}) {
        const RowVectorXd at = name == "quantile" ? probabilities : responses;
        for (const double floor : {none, 1.6}) {
          const Answered all = answer(name, problem, at, floor);
          for (int i = 0; i < problem.nodes.size; ++i) {
            for (const bool of_scale : {false, true}) {
              const double h = 1e-3 * problem.scale[i];
              const auto moved = [&](double step) {
                RandomMixture other = problem;
                (of_scale ? other.scale : other.location)[i] += step;
                return answer(name, other, at, floor).values;
              };
              const RowVectorXd wide = (moved(2 * h) - moved(-2 * h)) / (4 * h);
              const RowVectorXd expected = (4 * (moved(h) - moved(-h)) / (2 * h) - wide) / 3;
              const Eigen::Index columns = name == "moments" ? 1 : expected.size();
              for (Eigen::Index k = 0; k < columns; ++k) {
                const NodeSlopes& slopes = all.slopes[k];
                const double slope = (of_scale ? slopes.scale : slopes.location)[i];
                if (std::isnan(all.values[k])) continue;
                // Moments are by a rule whose error, of some 1e-9, a difference magnifies.
                CHECK_CLOSE(slope, expected[k], name == "moments" ? 1e-5 : 2e-6);
              }
            }
          }
        }
      }
    }
  }
}

TEST("other questions have no slopes") {
  for (const btg::QuestionType& question : btg::question_types()) {
    const bool has_slopes = std::set<std::string>{"quantile",
                                                  "cdf",
                                                  "exceedance",
                                                  "moments",
                                                  "lower_partial_moment",
                                                  "upper_partial_moment"}
                                .count(question.name) > 0;
    CHECK((question.slopes != nullptr) == has_slopes);
  }
}
