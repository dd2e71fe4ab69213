#include "btg/quadrature/rules/adaptive.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "btg/numerics/decompositions.hpp"
#include "btg/numerics/normal_part.hpp"
#include "btg/quadrature/modes.hpp"
#include "btg/quadrature/rules/adaptive_tuning.hpp"
#include "btg/quadrature/sampling/mixture_sample.hpp"
#include "btg/quadrature/sampling/peaks.hpp"
#include "btg/quadrature/sampling/proposal.hpp"
#include "btg/quadrature/sampling/slopes.hpp"
#include "btg/quadrature/sampling/transform_mixture.hpp"

namespace btg {

namespace {

double positive_or(double value, double otherwise) { return value > 0.0 ? value : otherwise; }

WeightedPoints only_point(const Target& target) {
  WeightedPoints result;
  result.points.resize(0, 1);
  result.log_likelihood = target.log_likelihood(result.points);
  result.log_weights = result.log_likelihood;
  return result;
}

Target count_work(const Target& target, const AdaptiveTuning& tuning, double& spent) {
  Target counting = target;
  counting.log_likelihood = [&target, &spent](const Eigen::MatrixXd& points) {
    const Eigen::Index k = target.kernel_dimension;
    for (Eigen::Index i = 0; i < points.cols(); ++i) {
      const bool shares = i > 0 && points.col(i).head(k) == points.col(i - 1).head(k);
      spent += shares ? target.shared_cost : 1.0;
    }
    return target.log_likelihood(points);
  };
  const double gradient_cost = tuning.gradient_cost;
  counting.log_posterior_gradient = [&target, &spent, gradient_cost](const Eigen::VectorXd& point) {
    spent += gradient_cost;
    return target.log_posterior_gradient(point);
  };
  counting.log_posterior_gradients = [&target, &spent,
                                      gradient_cost](const Eigen::MatrixXd& points) {
    spent += gradient_cost * static_cast<double>(points.cols());
    return gradients_at(target, points);
  };
  return counting;
}

bool are_known(const std::vector<Mode>& modes, const AdaptiveTuning& tuning) {
  return std::all_of(modes.begin(), modes.end(),
                     [&](const Mode& mode) { return tuning.is_known(mode.curvatures); });
}

// A split t for the leading `size` coordinates, given the others at the mode. The scale on each
// side of an axis is chosen to match the drop of the log posterior to that of a normal.
SplitT split_t_at(const Target& target, const Mode& mode, Eigen::Index size,
                  const AdaptiveTuning& tuning) {
  const Eigen::MatrixXd curvature =
      (mode.axes * mode.curvatures.asDiagonal() * mode.axes.transpose()).topLeftCorner(size, size);
  const SymmetricEigen eigen = symmetric_eigen(curvature);
  Eigen::MatrixXd axes = eigen.vectors * eigen.values.array().rsqrt().matrix().asDiagonal();
  if (!tuning.principal_axes()) axes = axes * eigen.vectors.transpose();
  if (tuning.is_known(mode.curvatures)) {
    const Eigen::VectorXd even = Eigen::VectorXd::Ones(size);
    return SplitT(mode.point.head(size), tuning.inflation * axes, even, even,
                  tuning.degrees_of_freedom());
  }
  Eigen::MatrixXd probes = mode.point.replicate(1, 2 * size);
  probes.topLeftCorner(size, size) -= tuning.reach * axes;
  probes.topRightCorner(size, size) += tuning.reach * axes;
  const Eigen::VectorXd log_likelihood = target.log_likelihood(probes);
  Eigen::VectorXd scales(2 * size);
  for (Eigen::Index i = 0; i < 2 * size; ++i) {
    const double drop = mode.log_posterior - log_likelihood[i] - log_normal_density(probes.col(i));
    scales[i] = std::min(std::max(1.0 / std::sqrt(std::max(drop, 1e-3)), tuning.least_scale),
                         tuning.largest_scale);
  }
  return SplitT(mode.point.head(size), tuning.inflation * axes, scales.head(size),
                scales.tail(size), tuning.degrees_of_freedom());
}

// The prior as a proposal; a mixture prior contributes all its components.
ProposalPart prior_part(const Target& target) {
  ProposalPart prior;
  for (const NormalPart& part : target.prior_parts) {
    prior.leading.components.push_back(SplitT::normal(part.precision));
    prior.leading.shares.push_back(part.share);
  }
  if (prior.leading.empty()) {
    prior.leading = {{SplitT::standard_normal(target.dimension)}, {1.0}};
  }
  return prior;
}

// An input that seems to matter may not. Where a coordinate is much narrower than its prior, the
// posterior often has a long tail, or another mode, in which it is free.
SplitMixture with_free_copies(const SplitT& split_t, const AdaptiveTuning& tuning) {
  SplitMixture mixture{{split_t}, {1.0}};
  for (Eigen::Index j = 0; j < split_t.size(); ++j) {
    if (split_t.spread_of(j) < tuning.narrow) mixture.components.push_back(split_t.with_free(j));
  }
  const std::size_t copies = mixture.components.size() - 1;
  if (copies > 0) {
    mixture.shares.assign(copies + 1, tuning.free_share / static_cast<double>(copies));
    mixture.shares[0] = 1.0 - tuning.free_share;
  }
  return mixture;
}

// The heaviest points show where the proposal lacks mass, often near a mode that no start reached.
bool climb_from_heaviest(const MixtureSample& sample, ModeFinder& finder, int climbs) {
  Eigen::VectorXd log_weights = sample.log_weights();
  bool found = false;
  for (int k = 0; k < climbs; ++k) {
    Eigen::Index heaviest;
    log_weights.maxCoeff(&heaviest);
    log_weights[heaviest] = -INFINITY;
    found = finder.climb(sample.points().col(heaviest)) || found;
  }
  return found;
}

// Modes of little mass are not split by components of the prior.
std::vector<Peak> peaks_of(const Target& target, const std::vector<Mode>& modes,
                           const AdaptiveTuning& tuning) {
  std::vector<Peak> peaks;
  const Eigen::VectorXd masses = mode_masses(modes);
  for (std::size_t k = 0; k < modes.size(); ++k) {
    const int family = static_cast<int>(k);
    if (masses[k] < tuning.least_mode_share || are_known(modes, tuning)) {
      peaks.push_back({modes[k], target, family, false});
    } else {
      add_peaks(target, modes[k], family, peaks);
    }
  }
  return peaks;
}

// sum_k share_k split-t(peak k) + prior_share * prior; the prior comes last.
Proposal laplace_mixture(const Target& target, const std::vector<Peak>& peaks,
                         const AdaptiveTuning& tuning) {
  Proposal proposal;
  std::vector<Mode> modes;
  for (const Peak& peak : peaks) modes.push_back(peak.mode);
  Eigen::VectorXd shares = mode_masses(modes);
  for (std::size_t k = 0; k < peaks.size(); ++k) {
    shares[k] = std::max(shares[k], tuning.least_share(peaks[k].of_part));
  }
  const double prior_share = tuning.prior_share(are_known(modes, tuning));
  for (std::size_t k = 0; k < peaks.size(); ++k) {
    proposal.add(
        {{{split_t_at(peaks[k].target, peaks[k].mode, target.dimension, tuning)}, {1.0}}, {}},
        (1.0 - prior_share) * shares[k] / shares.sum());
  }
  proposal.add(prior_part(target), prior_share);
  return proposal;
}

// Replaces most of the Laplace mixture by products: at each peak, a split t for the kernel
// coordinates, with free copies, times a mixture fitted to the transform coordinates.
Proposal with_products(const Target& target, const std::vector<Peak>& peaks,
                       const Proposal& laplace, const AdaptiveTuning& tuning, std::uint64_t seed) {
  Proposal proposal;
  SplitMixture trailing;
  for (std::size_t k = 0; k < peaks.size(); ++k) {
    const Peak& peak = peaks[k];
    const double share = laplace.shares[k];
    const bool served = std::any_of(peaks.begin(), peaks.begin() + k, [&](const Peak& before) {
      return before.family != peak.family &&
             alike(before.mode, peak.mode.point, target.kernel_dimension);
    });
    proposal.add(laplace.parts[k], served ? share : (1.0 - tuning.product_share) * share);
    if (served) continue;  // by the product of an earlier mode
    ProposalPart product;
    SplitT kernel = split_t_at(peak.target, peak.mode, target.kernel_dimension, tuning);
    if (tuning.has_parts) {
      // The transform's mixture depends little on the kernel coordinates and not on their prior.
      if (k == 0 || peaks[k - 1].family != peak.family) {
        trailing = transform_mixture(peak.target, peak.mode, seed);
      }
      product.trailing = trailing;
    }
    if (tuning.by_slopes) {
      product.leading = {{kernel}, {1.0}};
      kernel = fit_slopes(peak.target, product, peak.mode.point, seed);
    }
    product.leading = with_free_copies(kernel, tuning);
    proposal.add(product, tuning.product_share * share);
  }
  proposal.add(laplace.parts.back(), laplace.shares.back());
  return proposal;
}

Proposal refit_all(const MixtureSample& sample, const Proposal& before, int kernel,
                   const AdaptiveTuning& tuning) {
  Proposal now = refit(sample, before, before.parts.size() - 1, tuning.inflation);
  const bool products =
      std::any_of(now.parts.begin(), now.parts.end(),
                  [](const ProposalPart& part) { return !part.trailing.empty(); });
  if (!products) return now;
  const SplitMixture fitted =
      fit_normals(sample.points().bottomRows(sample.points().rows() - kernel), sample.weights());
  for (ProposalPart& part : now.parts) {
    if (!part.trailing.empty()) part.trailing.blend(fitted);
  }
  return now;
}

WeightedPoints summarise(const MixtureSample& sample, const std::vector<Mode>& modes,
                         double spent) {
  WeightedPoints result;
  result.points = sample.points();
  result.log_likelihood = sample.log_likelihood();
  result.log_weights = sample.log_weights();
  result.modes = summarise_modes(modes);
  const double n = static_cast<double>(sample.size());
  result.diagnostics = {
      {"k_hat", sample.k_hat()},
      {"work", spent},
      {"log_evidence_error", std::sqrt(std::max(1.0 / sample.effective_size() - 1.0 / n, 0.0))}};
  return result;
}

}  // namespace

WeightedPoints AdaptiveRule::integrate(const Target& target, const RuleOptions& options) const {
  if (target.dimension == 0) return only_point(target);
  const AdaptiveTuning tuning(target);
  double spent = 0.0;
  const Target counting = count_work(target, tuning, spent);
  ModeSearch search;
  search.screened_starts = tuning.screened_starts();
  search.by_kernel = tuning.has_parts;
  ModeFinder finder(counting, search);
  finder.search();
  std::vector<Peak> peaks = peaks_of(counting, finder.best(), tuning);
  Proposal proposal = laplace_mixture(counting, peaks, tuning);

  const AdaptiveBudget open(target.rows, target.dimension, options.number("share"));
  const double most = positive_or(options.number("most"), open.most);
  const double effective = positive_or(options.number("effective"), open.effective);
  const int wanted = options.whole("nodes", 0);
  const int aim = wanted > 0 ? wanted : open.nodes;
  MixtureSample sample(counting, options.seed());
  // Errors of the likelihood make searches long. They must not leave too few draws: with 150
  // censored rows of 400, one model of an average had 19 draws, worth 3.
  const auto remaining = [&] {
    return most - (target.estimated ? static_cast<double>(sample.size()) : spent);
  };
  const auto extend = [&](double count) {
    sample.extend(proposal, static_cast<int>(std::max(0.0, std::min(count, remaining()))));
  };
  // Draws something, however small the remaining budget.
  const bool known = are_known(finder.best(), tuning);
  const double first = known ? aim : std::min(tuning.first_draw * aim, tuning.most_first_draw);
  sample.extend(proposal, static_cast<int>(std::max(first, 1.0)));
  if (climb_from_heaviest(sample, finder, tuning.climbs_from_heaviest())) {
    peaks = peaks_of(counting, finder.best(), tuning);
    proposal = laplace_mixture(counting, peaks, tuning);
    extend(tuning.draw_after_climb * aim);
  }
  int refits = 0;
  const auto refit_proposal = [&] {
    if (refits++ < tuning.most_refits) {
      proposal = refit_all(sample, proposal, target.kernel_dimension, tuning);
    }
  };
  const auto few_effective = [&] {
    return sample.effective_size() < tuning.few_effective * sample.size();
  };
  const bool poor = (!known && sample.k_hat() > tuning.poor_k_hat) || few_effective();
  if (target.kernel_dimension > 0 && (poor || (!known && finder.transforms_differ()))) {
    proposal = with_products(counting, peaks, proposal, tuning, options.seed());
    extend(std::min(tuning.draw_from_products * remaining(), 1.0 * aim));
    refit_proposal();
  } else if (poor) {
    refit_proposal();
  }
  extend(aim - sample.size());
  const auto heavy_tailed = [&] { return sample.k_hat() > tuning.heavy_k_hat && few_effective(); };
  while ((heavy_tailed() || sample.effective_size() < effective) &&
         remaining() >= tuning.least_draw) {
    refit_proposal();
    extend(sample.size());
  }
  WeightedPoints result = summarise(sample, finder.best(), spent);
  const double keep = positive_or(options.number("keep"), open.keep);
  if (keep < static_cast<double>(sample.size())) result.keep = static_cast<int>(keep);
  return result;
}

}  // namespace btg
