// The posterior of the conditional mean against closed forms for the log, and against plain sums
// over omega, the process and the noise for other transforms, bounds and truncated images.
#include <algorithm>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "btg/numerics/student_t.hpp"
#include "btg/predictive/conditional_mean.hpp"
#include "btg/predictive/law.hpp"
#include "btg/transforms/registry.hpp"
#include "check.hpp"

using btg::Censoring;
using btg::Mixture;
using btg::MixtureNodes;
using btg::ModelNodes;
using btg::StudentT;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

const double infinity = std::numeric_limits<double>::infinity();

// One node.
struct Problem {
  MixtureNodes nodes;
  double location, process, noise;
  Censoring censoring;

  Problem(double df, const std::string& name, const std::vector<double>& lambda, double m,
          double s_f, double s_v, const Censoring& its_censoring = {})
      : nodes(StudentT(df),
              {ModelNodes(btg::compose({name}),
                          MatrixXd(Eigen::Map<const VectorXd>(
                              lambda.data(), static_cast<Eigen::Index>(lambda.size()))))}),
        location(m),
        process(s_f),
        noise(s_v),
        censoring(its_censoring) {}

  Mixture mixture() const {
    return Mixture(nodes, VectorXd::Constant(1, location),
                   VectorXd::Constant(1, std::hypot(process, noise)), VectorXd::Ones(1),
                   VectorXd::Constant(1, noise));
  }

  double response(double z) const {
    const double y = nodes.models[0].inverse(0, z);
    if (y < censoring.floor) return censoring.floor + censoring.open * (y - censoring.floor);
    return std::min(y, censoring.ceiling);
  }
};

double normal_quantile(double p) { return quantile(boost::math::normal(), p); }

struct Draw {
  double mu, weight;
};

// mu at equal probabilities of omega and x, each a sum over equal probabilities of the noise.
std::vector<Draw> plain_draws(const Problem& problem, int omegas, int processes, int noises) {
  const double df = problem.nodes.t.degrees_of_freedom();
  const btg::Interval image = problem.nodes.models[0].images[0];
  std::vector<Draw> draws;
  for (int k = 0; k < omegas; ++k) {
    const double omega =
        std::isinf(df)
            ? 1
            : quantile(boost::math::gamma_distribution<>(df / 2, 2 / df), (k + 0.5) / omegas);
    for (int j = 0; j < processes; ++j) {
      const double x = normal_quantile((j + 0.5) / processes);
      const double f = problem.location + problem.process * x / std::sqrt(omega);
      double sum = 0;
      int inside = 0;
      for (int l = 0; l < noises; ++l) {
        const double e = normal_quantile((l + 0.5) / noises);
        const double z = f + problem.noise * e / std::sqrt(omega);
        if (!(z >= image.lower && z <= image.upper)) continue;
        sum += problem.response(z);
        ++inside;
      }
      if (inside > 0) draws.push_back({sum / inside, static_cast<double>(inside)});
    }
  }
  double total = 0;
  for (const Draw& draw : draws) total += draw.weight;
  for (Draw& draw : draws) draw.weight /= total;
  std::sort(draws.begin(), draws.end(), [](const Draw& a, const Draw& b) { return a.mu < b.mu; });
  return draws;
}

double plain_cdf(const std::vector<Draw>& draws, double y) {
  double sum = 0;
  for (const Draw& draw : draws) {
    if (draw.mu <= y) sum += draw.weight;
  }
  return sum;
}

}  // namespace

TEST("with a log and a known scale, the conditional mean is lognormal") {
  for (const double noise : {0.0, 0.02, 0.8, 2.0}) {
    const Problem problem(infinity, "boxcox", {0.0}, 0.3, 0.4, noise);
    const Mixture mixture = problem.mixture();
    const btg::ConditionalMean mean(mixture, problem.censoring);
    const double shift = 0.3 + 0.5 * noise * noise;
    for (const double p : {0.001, 0.025, 0.3, 0.5, 0.9, 0.975, 0.999}) {
      const double q = std::exp(shift + 0.4 * normal_quantile(p));
      CHECK_CLOSE(mean.quantile(p), q, 1e-7);
      CHECK(std::abs(mean.cdf(q) - p) < 1e-7);
    }
    const double variance = std::exp(2 * shift + 0.16) * (std::exp(0.16) - 1);
    CHECK_CLOSE(mean.variance(), variance, 1e-6);
  }
}

TEST("without noise, the conditional mean is the response itself") {
  for (const double df : {4.0, 12.0, 80.0}) {
    const Problem problem(df, "sinharcsinh", {0.2, 0.7}, 0.5, 0.6, 0.0);
    const Mixture mixture = problem.mixture();
    const btg::ConditionalMean mean(mixture, problem.censoring);
    for (const double p : {0.01, 0.1, 0.5, 0.8, 0.99}) {
      CHECK(std::abs(mixture.evaluate(mean.quantile(p)).cdf - p) < (df < 5 ? 1e-3 : 1e-4));
    }
  }
}

TEST("quantiles and the variance are those of plain sums over omega, process and noise") {
  const std::vector<Problem> problems{
      {40.0, "boxcox", {0.5}, 1.0, 0.5, 0.9},
      {30.0, "softplus", {0.5}, 0.4, 0.8, 0.5},
      {100.0, "sinharcsinh", {-0.3, 0.8}, 0.2, 0.3, 1.1},
      {30.0, "identity", {}, 0.2, 0.7, 1.0, {0.0, infinity, 0.0}},         // floor
      {30.0, "identity", {}, 0.2, 0.7, 1.0, {0.0, infinity, 0.3}},         // partly open
      {30.0, "sinharcsinh", {0.0, 0.9}, 0.1, 0.5, 0.8, {-0.5, 1.0, 0.0}},  // both ends
      {30.0, "boxcox", {2.0}, 0.2, 0.6, 0.5},                              // truncated
  };
  for (const Problem& problem : problems) {
    const Mixture mixture = problem.mixture();
    btg::PredictiveLaw law(mixture, {1e-10,
                                     btg::Bound::automatic,
                                     problem.censoring.floor,
                                     problem.censoring.ceiling,
                                     problem.censoring.open,
                                     {}});
    const std::vector<Draw> draws = plain_draws(problem, 24, 300, 600);
    double first = 0, second = 0;
    for (const Draw& draw : draws) {
      first += draw.weight * draw.mu;
      second += draw.weight * draw.mu * draw.mu;
    }
    const double deviation = std::sqrt(second - first * first);
    CHECK(std::abs(law.moments().mean - first) < 0.01 * deviation);
    CHECK_CLOSE(std::sqrt(law.conditional_mean().variance()), deviation, 0.01);
    for (const double p : {0.025, 0.2, 0.5, 0.8, 0.975}) {
      CHECK_CLOSE(1.0 + plain_cdf(draws, law.conditional_mean().quantile(p)), 1.0 + p, 0.003);
    }
  }
}

TEST("the slope of a lognormal mean is the mean times a normal slope") {
  // Given f, mu = exp(f + v / 2) has the slope mu (f' + v' / 2).
  const Problem problem(infinity, "boxcox", {0.0}, 0.3, 0.4, 0.5);
  const Mixture mixture = problem.mixture();
  const double covariance = 0.1, variance = 0.25, slope = 0.7, noise_slope = 0.2;
  const double scale = std::hypot(0.4, 0.5);
  const auto one = [](double x) { return VectorXd::Constant(1, x); };
  const btg::ConditionalMeanSlope posterior(
      mixture, problem.censoring,
      {one(slope), one((covariance + 0.5 * noise_slope) / scale), one(covariance), one(variance)});
  const int points = 4000;
  const double by_x = covariance / 0.4, rest = std::sqrt(variance - by_x * by_x);
  for (const double y : {-1.0, 0.3, 1.2, 3.0}) {
    double sum = 0;
    for (int j = 0; j < points; ++j) {
      const double x = normal_quantile((j + 0.5) / points);
      const double mu = std::exp(0.3 + 0.4 * x + 0.125);
      sum += cdf(boost::math::normal(), (y / mu - slope - by_x * x - 0.5 * noise_slope) / rest);
    }
    CHECK(std::abs(posterior.cdf(y) - sum / points) < 2e-5);
    CHECK_CLOSE(posterior.quantile(posterior.cdf(y)), y, 1e-6);
  }
}
