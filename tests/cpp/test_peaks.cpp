// Priors that are mixtures of normals: derivatives against differences, and with a normal
// likelihood the posterior given each part and the evidence in closed form.
#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "btg/numerics/normal_part.hpp"
#include "btg/quadrature/rules/registry.hpp"
#include "btg/quadrature/sampling/peaks.hpp"
#include "check.hpp"
#include "long_algebra.hpp"
#include "rule_targets.hpp"

using btg::NormalPart;
using btg::Target;
using btg::ValueGradient;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// Of the coordinates but the last two the scale is unknown, from 0.2 to 1.6.
std::vector<NormalPart> scale_mixture(int d) {
  std::vector<NormalPart> parts;
  for (const double sd : {0.2, 0.4, 0.8, 1.6}) {
    MatrixXd precision = MatrixXd::Identity(d, d);
    precision.diagonal().head(d - 2).setConstant(1.0 / (sd * sd));
    precision(0, 1) = precision(1, 0) = 0.3 / (sd * sd);
    parts.emplace_back(0.25, precision);
  }
  return parts;
}

// The likelihood exp(-(u - a)' P (u - a) / 2), which says much of three coordinates and little of
// the others.
struct Problem {
  explicit Problem(int d) : parts(scale_mixture(d)), a(d), precision(MatrixXd::Zero(d, d)) {
    for (int j = 0; j < d; ++j) {
      a[j] = 1.2 * std::cos(1.0 + 2.0 * j);
      precision(j, j) = j % 4 == 0 ? 20.0 : 0.1;
    }
  }

  // The prior is a part of the likelihood, as far as it is not N(0, I).
  Target target() const {
    Target made = rule_targets::smooth_target(VectorXd::Zero(a.size()), [*this](const VectorXd& u) {
      const btg::MixtureDensity prior = btg::density_of(parts, u);
      return ValueGradient{
          -0.5 * (u - a).dot(precision * (u - a)) + prior.value - btg::log_normal_density(u),
          precision * (a - u) + prior.gradient + u};
    });
    made.prior_parts = parts;
    return made;
  }

  MatrixXd posterior_precision(const NormalPart& part) const { return part.precision + precision; }
  VectorXd mean_given(const NormalPart& part) const {
    return problems::solve(posterior_precision(part), precision * a);
  }
  double log_evidence_given(const NormalPart& part) const {
    const VectorXd mean = mean_given(part);
    return std::log(part.share) + 0.5 * problems::log_abs_determinant(part.precision) -
           0.5 * problems::log_abs_determinant(posterior_precision(part)) -
           0.5 * a.dot(precision * a) + 0.5 * mean.dot(posterior_precision(part) * mean);
  }
  double log_evidence() const {
    double sum = 0.0;
    for (const NormalPart& part : parts) sum += std::exp(log_evidence_given(part));
    return std::log(sum);
  }

  std::vector<NormalPart> parts;
  VectorXd a;
  MatrixXd precision;
};

btg::WeightedPoints integrate(const Target& target, int seed) {
  const btg::Rule& rule = btg::find_rule("adaptive");
  return rule.integrate(
      target, rule_targets::with(rule, {{"most", 4000}, {"effective", 4000}, {"seed", seed}}));
}

double effective(const btg::WeightedPoints& all) {
  const VectorXd weights = (all.log_weights.array() - all.log_weights.maxCoeff()).exp();
  return std::pow(weights.sum(), 2) / weights.squaredNorm();
}

}  // namespace

TEST("derivatives of the density of a mixture are those of differences") {
  const std::vector<NormalPart> parts = scale_mixture(5);
  const VectorXd u = VectorXd::LinSpaced(5, -0.6, 0.9);
  const btg::MixtureDensity at = btg::density_of(parts, u);
  CHECK_CLOSE(at.value, btg::log_density(parts, u), 1e-14);
  const double h = 1e-5;
  for (int j = 0; j < 5; ++j) {
    const VectorXd step = h * VectorXd::Unit(5, j);
    const btg::MixtureDensity up = btg::density_of(parts, u + step),
                              down = btg::density_of(parts, u - step);
    CHECK_CLOSE(at.gradient[j], (up.value - down.value) / (2 * h), 1e-7);
    for (int k = 0; k < 5; ++k) {
      CHECK_CLOSE(at.hessian(k, j), (up.gradient[k] - down.gradient[k]) / (2 * h), 1e-6);
    }
  }
}

TEST("given a part, the peak is the normal posterior in closed form") {
  const Problem problem(8);
  const Target target = problem.target();
  btg::ModeSearch search;
  const std::vector<btg::Mode> modes = btg::find_modes(target, search);
  std::vector<btg::Peak> peaks;
  btg::add_peaks(target, modes[0], 0, peaks);
  CHECK(peaks.size() >= 2);
  for (const btg::Peak& peak : peaks) {
    const NormalPart& part = peak.target.prior_parts[0];
    CHECK(peak.target.prior_parts.size() == 1);
    const VectorXd away = peak.mode.point - problem.mean_given(part);
    CHECK(away.dot(problem.posterior_precision(part) * away) < 0.2);
    const double gap = (peak.mode.precision() - problem.posterior_precision(part)).norm();
    CHECK(gap < 1e-2 * problem.posterior_precision(part).norm());
    CHECK(std::abs(peak.mode.log_mass() - problem.log_evidence_given(part)) < 0.1);
  }
}

TEST("the adaptive rule has the evidence of a prior whose scale is unknown") {
  for (const int d : {6, 10, 16}) {
    const Problem problem(d);
    Target blind = problem.target();
    blind.prior_parts.clear();
    for (const int seed : {1, 2}) {
      const btg::WeightedPoints all = integrate(problem.target(), seed);
      CHECK(std::abs(std::log(rule_targets::evidence(all)) - problem.log_evidence()) < 0.1);
      // What it is for: a rule that takes the prior for one normal does worse.
      CHECK(effective(all) > 1.5 * effective(integrate(blind, seed)));
    }
  }
}
