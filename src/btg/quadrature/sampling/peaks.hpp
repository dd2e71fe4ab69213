// What a proposal is made of: modes, and where the prior is a mixture the modes given each of its
// parts. A narrow part is a peak on top of wide ones, which the curvature at its mode says nothing
// of; given a part, the posterior is nearly normal.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

#include "btg/numerics/bfgs.hpp"
#include "btg/numerics/normal_part.hpp"
#include "btg/quadrature/modes.hpp"
#include "btg/quadrature/rule.hpp"

namespace btg {

struct Peak {
  Mode mode;
  Target target;  // whose posterior it is a mode of
  int family;     // those of one mode of the whole have the same
  bool of_part;   // given a part of the prior; else of the whole
};

// The target with one part of its prior instead of all.
inline Target given_part(const Target& target, const NormalPart& part) {
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

// The normal approximation of the posterior given a part, from that of the whole at a mode.
struct PartGuess {
  NormalPart part;
  Eigen::VectorXd mean;
  Eigen::MatrixXd precision;

  // Kullback and Leibler's divergence of `other` from this.
  double divergence(const PartGuess& other) const {
    const Eigen::LLT<Eigen::MatrixXd> own(precision), its(other.precision);
    const Eigen::VectorXd away = mean - other.mean;
    const double log_ratio =
        (its.matrixLLT().diagonal().array().log() - own.matrixLLT().diagonal().array().log()).sum();
    return 0.5 * (its.solve(precision).trace() - static_cast<double>(mean.size()) +
                  away.dot(precision * away)) +
           log_ratio;
  }
};

// The precision of a posterior with no axis much longer than that of its prior.
inline Eigen::MatrixXd floored(const Eigen::MatrixXd& precision, const Eigen::MatrixXd& prior) {
  const double least = 0.3;
  const Eigen::LLT<Eigen::MatrixXd> root(prior);
  const Eigen::MatrixXd half = root.matrixL().solve(precision);
  const Eigen::MatrixXd whitened = root.matrixL().solve(half.transpose());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(whitened);
  const Eigen::MatrixXd back = root.matrixL() * eigen.eigenvectors();
  const Eigen::VectorXd curvatures = eigen.eigenvalues().cwiseMax(least);
  return back * curvatures.asDiagonal() * back.transpose();
}

// The curvature of the likelihood is taken to be that at the mode.
inline PartGuess guess_given(const Mode& mode, const MixtureDensity& prior,
                             const NormalPart& part) {
  const Eigen::MatrixXd precision =
      floored(mode.precision() + prior.hessian + part.precision, part.precision);
  const Eigen::VectorXd slope = -part.precision * mode.point - prior.gradient;
  return {part, mode.point + precision.llt().solve(slope), precision};
}

// The parts given which the posterior differs: one much like its neighbour gives its share to it.
inline std::vector<PartGuess> distinct_parts(const Target& target, const Mode& mode) {
  const double alike = 0.25;
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

inline Maximum climb_given(const Target& given, const PartGuess& guess) {
  const double tolerance = 0.05, longest = 1.0 + 0.5 * std::sqrt(given.dimension);
  const int steps = 30;
  return maximise(given.log_posterior_gradient, guess.mean, guess.precision.inverse(), tolerance,
                  steps, longest, [](const Eigen::VectorXd&, double) { return false; });
}

inline double highest_mass(const std::vector<Peak>& peaks) {
  double highest = -INFINITY;
  for (const Peak& peak : peaks) highest = std::max(highest, peak.mode.log_mass());
  return highest;
}

// The mode given each part of the prior, or the mode itself where that makes no difference.
inline void add_peaks(const Target& target, const Mode& mode, int family,
                      std::vector<Peak>& peaks) {
  const double depth = 6.0;   // a part of less mass than the heaviest by more than this is left out
  const double close = 0.25;  // to a mode that was guessed so well, the curvature was too
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
