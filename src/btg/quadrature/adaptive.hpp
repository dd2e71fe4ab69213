// The default rule: find the modes, put a split t on each, keep a slice of the prior,
// and weight scrambled Sobol draws from that mixture by importance. Where the weights
// show that it is short of mass, modes are looked for again and its scales are fitted.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "mixture_sample.hpp"
#include "modes.hpp"
#include "rule.hpp"

namespace btg {

class AdaptiveRule final : public Rule {
 public:
  std::string name() const override { return "adaptive"; }

  // `nodes`: the first aim, 0 for max(256, 64 d) but at most 1000; `effective`: more are
  // drawn until they are worth so many; `most`: what may be spent in likelihoods, where a
  // gradient counts as three; `seed`: of the scrambling.
  RuleOptions default_options() const override {
    return {{"nodes", 0}, {"effective", 300}, {"most", 1500}, {"seed", 0}};
  }

  WeightedPoints integrate(const Target& target, const RuleOptions& options) const override {
    if (target.dimension == 0) return only_point(target);
    int spent = 0;
    const Target counting = count_work(target, spent);
    const Settings settings(target.dimension);
    ModeSearch search;
    search.screened_starts = settings.screened_starts;
    ModeFinder finder(counting, search);
    finder.search();
    Proposal proposal = laplace_mixture(counting, finder.best(), settings);

    const int most = static_cast<int>(options.at("most"));
    const int aim = options.at("nodes") > 0 ? static_cast<int>(options.at("nodes"))
                                            : std::min(std::max(256, 64 * target.dimension), 1000);
    MixtureSample sample(counting, static_cast<int>(options.at("seed")));
    sample.extend(proposal, static_cast<int>(0.4 * aim));
    if (climb_from_heaviest(sample, finder)) {
      proposal = laplace_mixture(counting, finder.best(), settings);
      sample.extend(proposal, static_cast<int>(0.2 * aim));
    }
    // More than two refits flatter their own diagnostics.
    int refits = 0;
    const auto refit = [&] {
      if (refits++ < 2) proposal = refit_scales(sample, proposal, finder.best().size(), inflation);
    };
    if (sample.k_hat() > 0.5 || sample.effective_size() < 0.35 * sample.size()) refit();
    sample.extend(proposal, aim - sample.size());
    while ((sample.k_hat() > 0.7 || sample.effective_size() < options.at("effective")) &&
           most - spent >= 64) {
      refit();
      sample.extend(proposal, std::min(sample.size(), most - spent));
    }
    return summarise(sample, finder.best());
  }

 private:
  static constexpr double inflation = 1.2;

  // What worked best in few and in many dimensions.
  struct Settings {
    explicit Settings(int d)
        : principal_axes(d <= 8),
          prior_share(d <= 8 ? 0.25 : 0.05),
          degrees_of_freedom(d <= 8 ? 10.0 : 30.0),
          screened_starts(d <= 8 ? 2 : 1) {}
    bool principal_axes;  // else the symmetric root
    double prior_share;
    double degrees_of_freedom;
    int screened_starts;
  };

  static WeightedPoints only_point(const Target& target) {
    WeightedPoints result;
    result.points.resize(0, 1);
    result.log_likelihood = target.log_likelihood(result.points);
    result.log_weights = result.log_likelihood;
    return result;
  }

  static Target count_work(const Target& target, int& spent) {
    Target counting = target;
    counting.log_likelihood = [&target, &spent](const Eigen::MatrixXd& points) {
      spent += static_cast<int>(points.cols());
      return target.log_likelihood(points);
    };
    counting.log_posterior_gradient = [&target, &spent](const Eigen::VectorXd& point) {
      spent += 3;
      return target.log_posterior_gradient(point);
    };
    return counting;
  }

  // The heaviest points are where the proposal is shortest of mass: often below a mode that
  // no start led to.
  static bool climb_from_heaviest(const MixtureSample& sample, ModeFinder& finder) {
    Eigen::VectorXd log_weights = sample.log_weights();
    bool found = false;
    for (int k = 0; k < 2; ++k) {
      Eigen::Index heaviest;
      log_weights.maxCoeff(&heaviest);
      log_weights[heaviest] = -INFINITY;
      found = finder.climb(sample.points().col(heaviest)) || found;
    }
    return found;
  }

  // sum_k share_k split-t(mode k) + prior_share * prior; the prior comes last.
  static Proposal laplace_mixture(const Target& target, const std::vector<Mode>& modes,
                                  const Settings& settings) {
    Proposal proposal;
    const Eigen::VectorXd shares = mode_masses(modes).cwiseMax(0.2);
    for (std::size_t k = 0; k < modes.size(); ++k) {
      proposal.components.push_back(split_t_at(target, modes[k], settings));
      proposal.shares.push_back((1.0 - settings.prior_share) * shares[k] / shares.sum());
    }
    proposal.components.push_back(SplitT::standard_normal(target.dimension));
    proposal.shares.push_back(settings.prior_share);
    return proposal;
  }

  // The scale of either side of an axis is where the log posterior has dropped as a
  // Gaussian's would.
  static SplitT split_t_at(const Target& target, const Mode& mode, const Settings& settings) {
    const Eigen::Index d = mode.point.size();
    Eigen::MatrixXd axes = mode.axes * mode.curvatures.array().rsqrt().matrix().asDiagonal();
    if (!settings.principal_axes) axes = axes * mode.axes.transpose();
    const double reach = std::sqrt(2.0);
    Eigen::MatrixXd probes(d, 2 * d);
    probes << (-reach * axes).colwise() + mode.point, (reach * axes).colwise() + mode.point;
    const Eigen::VectorXd log_likelihood = target.log_likelihood(probes);
    Eigen::VectorXd scales(2 * d);
    for (Eigen::Index i = 0; i < 2 * d; ++i) {
      const double drop =
          mode.log_posterior - log_likelihood[i] - log_normal_density(probes.col(i));
      scales[i] = std::min(std::max(1.0 / std::sqrt(std::max(drop, 1e-3)), 0.4), 2.5);
    }
    return SplitT(mode.point, inflation * axes, scales.head(d), scales.tail(d),
                  settings.degrees_of_freedom);
  }

  static WeightedPoints summarise(const MixtureSample& sample, const std::vector<Mode>& modes) {
    WeightedPoints result;
    result.points = sample.points();
    result.log_likelihood = sample.log_likelihood();
    result.log_weights = sample.log_weights();
    const Eigen::VectorXd masses = mode_masses(modes);
    for (std::size_t k = 0; k < modes.size(); ++k) {
      result.modes.push_back({modes[k].point, modes[k].log_posterior, masses[k]});
    }
    const double n = static_cast<double>(sample.size());
    result.diagnostics = {
        {"k_hat", sample.k_hat()},
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
