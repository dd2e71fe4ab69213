#include "btg/quadrature/sampling/peaks.hpp"

#include <algorithm>
#include <cmath>

#include "btg/numerics/ascent.hpp"
#include "btg/numerics/decompositions.hpp"
#include "btg/numerics/normal_part.hpp"
#include "btg/numerics/value_gradient.hpp"

namespace btg {

namespace {

// The target with one component of its prior instead of the whole mixture.
Target given_part(const Target& target, const NormalPart& part) {
  Target given = target;
  given.prior_parts = {part};
  const auto change = [parts = target.prior_parts, part](const Eigen::VectorXd& u) {
    return part.log_density(u) - log_density(parts, u);
  };
  given.log_likelihood = [whole = target.log_likelihood,
                          change](const Eigen::MatrixXd& points) -> Eigen::VectorXd {
    Eigen::VectorXd value = whole(points);
    for (Eigen::Index i = 0; i < points.cols(); ++i) value[i] += change(points.col(i));
    return value;
  };
  given.log_posterior_gradients = [target, part](const Eigen::MatrixXd& points) {
    std::vector<ValueGradient> all = gradients_at(target, points);
    for (Eigen::Index i = 0; i < points.cols(); ++i) {
      const Eigen::VectorXd u = points.col(i);
      const MixtureDensity prior = density_of(target.prior_parts, u);
      all[i].value += part.log_density(u) - prior.value;
      all[i].gradient += -part.precision * u - prior.gradient;
    }
    return all;
  };
  given.log_posterior_gradient =
      [all = given.log_posterior_gradients](const Eigen::VectorXd& point) { return all(point)[0]; };
  return given;
}

// Normal approximation of the posterior given a component, from the whole posterior at a mode.
struct PartGuess {
  NormalPart part;
  Eigen::VectorXd mean;
  Eigen::MatrixXd precision;

  // Kullback-Leibler divergence of `other` from this.
  double divergence(const PartGuess& other) const {
    const CholeskyRoot own(precision), its(other.precision);
    const Eigen::VectorXd away = mean - other.mean;
    const double log_ratio = its.half_log_det() - own.half_log_det();
    return 0.5 * (its.solve(precision).trace() - static_cast<double>(mean.size()) +
                  away.dot(precision * away)) +
           log_ratio;
  }
};

}  // namespace

Eigen::MatrixXd floored(const Eigen::MatrixXd& precision, const Eigen::MatrixXd& prior) {
  const double least = 0.3;
  const CholeskyRoot root(prior);
  const SymmetricEigen eigen = symmetric_eigen(root.whiten(root.whiten(precision).transpose()));
  const Eigen::MatrixXd back = root.times(eigen.vectors);
  const Eigen::VectorXd curvatures = eigen.values.cwiseMax(least);
  return back * curvatures.asDiagonal() * back.transpose();
}

namespace {

// Assumes that the curvature of the likelihood is the same as at the mode.
PartGuess guess_given(const Mode& mode, const MixtureDensity& prior, const NormalPart& part) {
  const Eigen::MatrixXd precision =
      floored(mode.precision() + prior.hessian + part.precision, part.precision);
  const Eigen::VectorXd slope = -part.precision * mode.point - prior.gradient;
  return {part, mode.point + CholeskyRoot(precision).solve(slope), precision};
}

// Merges each component into its neighbour if the posteriors given either are nearly equal.
std::vector<PartGuess> distinct_parts(const Target& target, const Mode& mode) {
  const double alike = 0.25;  // nats, a compromise: merging more saves gradients, but loses peaks
  const MixtureDensity prior = density_of(target.prior_parts, mode.point);
  std::vector<PartGuess> kept;
  for (const NormalPart& part : target.prior_parts) {
    const PartGuess guess = guess_given(mode, prior, part);
    if (!kept.empty() && kept.back().divergence(guess) < alike) {
      kept.back().part =
          NormalPart(kept.back().part.share + part.share, kept.back().part.precision);
    } else {
      kept.push_back(guess);
    }
  }
  return kept;
}

Maximum climb_given(const Target& given, const PartGuess& guess) {
  const AscentOptions options{0.05, 30, 1.0 + 0.5 * std::sqrt(given.dimension), {}, {}};
  return maximise(given.log_posterior_gradient, guess.mean, invert(guess.precision).matrix, options,
                  [](const Eigen::VectorXd&, double) { return false; });
}

double highest_mass(const std::vector<Peak>& peaks) {
  double highest = -INFINITY;
  for (const Peak& peak : peaks) highest = std::max(highest, peak.mode.log_mass());
  return highest;
}

}  // namespace

void add_peaks(const Target& target, const Mode& mode, int family, std::vector<Peak>& peaks) {
  const double depth = 6.0;   // omits components with log mass this far below the heaviest
  const double close = 0.25;  // squared distance; a guess this good has a good curvature too
  std::vector<PartGuess> guesses;
  if (target.prior_parts.size() > 1) guesses = distinct_parts(target, mode);
  if (guesses.size() < 2) {
    peaks.push_back({mode, target, family, false});
    return;
  }
  std::vector<Peak> found;
  std::reverse(guesses.begin(), guesses.end());  // the widest is most often the heaviest
  for (const PartGuess& guess : guesses) {
    const Target given = given_part(target, guess.part);
    const Maximum top = climb_given(given, guess);
    if (!std::isfinite(top.at.value)) continue;
    Mode given_mode{top.point, top.at.value, {}, {}};
    set_curvature(guess.precision, 0.0, given_mode);
    if (!found.empty() && given_mode.log_mass() < highest_mass(found) - depth) continue;
    const Eigen::VectorXd missed = top.point - guess.mean;
    if (missed.dot(guess.precision * missed) > close) {
      add_curvature(given, top.at.gradient, 0.0, given_mode);
      set_curvature(floored(given_mode.precision(), guess.part.precision), 0.0, given_mode);
    }
    found.push_back({given_mode, given, family, true});
  }
  const double highest = highest_mass(found);
  for (const Peak& peak : found) {
    if (peak.mode.log_mass() > highest - depth) peaks.push_back(peak);
  }
  if (found.empty()) peaks.push_back({mode, target, family, false});
}

}  // namespace btg
