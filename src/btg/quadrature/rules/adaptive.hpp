// The default rule: find the modes, put a split t on each, keep a slice of the prior,
// and weight scrambled Sobol draws from that mixture by importance. Where the weights
// show that it is short of mass, modes are looked for again, products of a split t for the
// kernel and a fitted mixture for the transform are added, and scales are fitted.
#pragma once

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "btg/quadrature/modes.hpp"
#include "btg/quadrature/rule.hpp"
#include "btg/quadrature/rules/adaptive_tuning.hpp"
#include "btg/quadrature/sampling/mixture_sample.hpp"
#include "btg/quadrature/sampling/peaks.hpp"
#include "btg/quadrature/sampling/slopes.hpp"
#include "btg/quadrature/sampling/transform_mixture.hpp"

namespace btg {

class AdaptiveRule final : public Rule {
 public:
  std::string name() const override { return "adaptive"; }

  // `nodes`: the first aim, 0 for max(256, 64 d) but at most 1000; `effective`: more are
  // drawn until they are worth so many, 0 for 300; `most`: what may be spent in likelihoods, where
  // a gradient counts as three, 0 for 1500; `keep`: how many are predicted from, see
  // predictive_weights; `seed`: of the scrambling.
  RuleOptions default_options() const override {
    return {{"nodes", 0.0}, {"effective", 0.0}, {"most", 0.0}, {"keep", 0.0}, {"seed", 0.0}};
  }

  WeightedPoints integrate(const Target& target, const RuleOptions& options) const override {
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

    const double most = positive_or(options.number("most"), 1500.0);
    const double effective = positive_or(options.number("effective"), 300.0);
    const int wanted = options.whole("nodes", 0);
    const int aim = wanted > 0 ? wanted : tuning.first_aim(target.dimension);
    MixtureSample sample(counting, options.seed());
    const auto extend = [&](double count) {
      sample.extend(proposal, static_cast<int>(std::max(0.0, std::min(count, most - spent))));
    };
    // However little is left, something must be drawn.
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
      extend(std::min(tuning.draw_from_products * (most - spent), 1.0 * aim));
      refit_proposal();
    } else if (poor) {
      refit_proposal();
    }
    extend(aim - sample.size());
    const auto heavy_tailed = [&] {
      return sample.k_hat() > tuning.heavy_k_hat && few_effective();
    };
    while ((heavy_tailed() || sample.effective_size() < effective) &&
           most - spent >= tuning.least_draw) {
      refit_proposal();
      extend(sample.size());
    }
    return summarise(sample, finder.best(), spent);
  }

 private:
  static double positive_or(double value, double otherwise) {
    return value > 0.0 ? value : otherwise;
  }

  static WeightedPoints only_point(const Target& target) {
    WeightedPoints result;
    result.points.resize(0, 1);
    result.log_likelihood = target.log_likelihood(result.points);
    result.log_weights = result.log_likelihood;
    return result;
  }

  static Target count_work(const Target& target, const AdaptiveTuning& tuning, double& spent) {
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
    counting.log_posterior_gradient = [&target, &spent,
                                       gradient_cost](const Eigen::VectorXd& point) {
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

  // The heaviest points are where the proposal is shortest of mass: often below a mode that
  // no start led to.
  static bool climb_from_heaviest(const MixtureSample& sample, ModeFinder& finder, int climbs) {
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

  static bool are_known(const std::vector<Mode>& modes, const AdaptiveTuning& tuning) {
    return std::all_of(modes.begin(), modes.end(),
                       [&](const Mode& mode) { return tuning.is_known(mode.curvatures); });
  }

  // Those of the modes with little mass are not looked at part by part.
  static std::vector<Peak> peaks_of(const Target& target, const std::vector<Mode>& modes,
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

  // Where the prior is a mixture, as a block of all its parts.
  static Block prior_block(const Target& target) {
    Block block;
    for (const NormalPart& part : target.prior_parts) {
      block.leading.components.push_back(SplitT::normal(part.precision));
      block.leading.shares.push_back(part.share);
    }
    if (block.leading.empty()) {
      block.leading = {{SplitT::standard_normal(target.dimension)}, {1.0}};
    }
    return block;
  }

  // sum_k share_k split-t(peak k) + prior_share * prior; the prior comes last.
  static Proposal laplace_mixture(const Target& target, const std::vector<Peak>& peaks,
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
    proposal.add(prior_block(target), prior_share);
    return proposal;
  }

  // The Laplace mixture, most of which gives way to products: at each peak a split t for the
  // kernel's coordinates, with free copies, times a mixture fitted to the transform's.
  static Proposal with_products(const Target& target, const std::vector<Peak>& peaks,
                                const Proposal& laplace, const AdaptiveTuning& tuning,
                                std::uint64_t seed) {
    Proposal proposal;
    SplitMixture trailing;
    for (std::size_t k = 0; k < peaks.size(); ++k) {
      const Peak& peak = peaks[k];
      const double share = laplace.shares[k];
      const bool served = std::any_of(peaks.begin(), peaks.begin() + k, [&](const Peak& before) {
        return before.family != peak.family &&
               alike(before.mode, peak.mode.point, target.kernel_dimension);
      });
      proposal.add(laplace.blocks[k], served ? share : (1.0 - tuning.product_share) * share);
      if (served) continue;  // by the product of an earlier mode
      Block product;
      SplitT kernel = split_t_at(peak.target, peak.mode, target.kernel_dimension, tuning);
      if (tuning.has_parts) {
        // The transform's depends little on the kernel's coordinates, and on their prior not at
        // all.
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
    proposal.add(laplace.blocks.back(), laplace.shares.back());
    return proposal;
  }

  // An input that seems to matter may not: where a coordinate is much narrower than its prior,
  // the posterior often has a long tail or another mode in which it is free.
  static SplitMixture with_free_copies(const SplitT& split_t, const AdaptiveTuning& tuning) {
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

  static Proposal refit_all(const MixtureSample& sample, const Proposal& before, int kernel,
                            const AdaptiveTuning& tuning) {
    Proposal now = refit(sample, before, before.blocks.size() - 1, tuning.inflation);
    const bool products = std::any_of(now.blocks.begin(), now.blocks.end(),
                                      [](const Block& block) { return !block.trailing.empty(); });
    if (!products) return now;
    const SplitMixture fitted =
        fit_normals(sample.points().bottomRows(sample.points().rows() - kernel), sample.weights());
    for (Block& block : now.blocks) {
      if (!block.trailing.empty()) block.trailing.blend(fitted);
    }
    return now;
  }

  // For the leading `size` coordinates, given the others at the mode. The scale of either side
  // of an axis is where the log posterior has dropped as a Gaussian's would.
  static SplitT split_t_at(const Target& target, const Mode& mode, Eigen::Index size,
                           const AdaptiveTuning& tuning) {
    const Eigen::MatrixXd curvature =
        (mode.axes * mode.curvatures.asDiagonal() * mode.axes.transpose())
            .topLeftCorner(size, size);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(curvature);
    Eigen::MatrixXd axes =
        eigen.eigenvectors() * eigen.eigenvalues().array().rsqrt().matrix().asDiagonal();
    if (!tuning.principal_axes()) axes = axes * eigen.eigenvectors().transpose();
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
      const double drop =
          mode.log_posterior - log_likelihood[i] - log_normal_density(probes.col(i));
      scales[i] = std::min(std::max(1.0 / std::sqrt(std::max(drop, 1e-3)), tuning.least_scale),
                           tuning.largest_scale);
    }
    return SplitT(mode.point.head(size), tuning.inflation * axes, scales.head(size),
                  scales.tail(size), tuning.degrees_of_freedom());
  }

  static WeightedPoints summarise(const MixtureSample& sample, const std::vector<Mode>& modes,
                                  double spent) {
    WeightedPoints result;
    result.points = sample.points();
    result.log_likelihood = sample.log_likelihood();
    result.log_weights = sample.log_weights();
    const Eigen::VectorXd masses = mode_masses(modes);
    for (std::size_t k = 0; k < modes.size(); ++k) {
      result.modes.push_back(
          {modes[k].point, modes[k].log_posterior, masses[k], modes[k].precision()});
    }
    const double n = static_cast<double>(sample.size());
    result.diagnostics = {
        {"k_hat", sample.k_hat()},
        {"work", spent},
        {"log_evidence_error", std::sqrt(std::max(1.0 / sample.effective_size() - 1.0 / n, 0.0))}};
    return result;
  }

  static Eigen::VectorXd mode_masses(const std::vector<Mode>& modes) {
    Eigen::VectorXd log_mass(modes.size());
    for (std::size_t k = 0; k < modes.size(); ++k) log_mass[k] = modes[k].log_mass();
    return (log_mass.array() - log_sum_exp(log_mass)).exp();
  }
};

}  // namespace btg
