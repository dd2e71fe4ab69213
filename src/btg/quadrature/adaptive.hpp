// The default rule: find the modes, put a split t on each, keep a slice of the prior,
// and weight scrambled Sobol draws from that mixture by importance. When the weights are
// poor, the mixture is moved to where they are large and more points are drawn.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "mixture_sample.hpp"
#include "modes.hpp"
#include "rule.hpp"

namespace btg {

class AdaptiveRule final : public Rule {
 public:
  std::string name() const override { return "adaptive"; }

  // `nodes`: the first aim, 0 for max(256, 64 d), at most 1000; `most`: likelihoods spent in
  // all, where a gradient counts as three; `effective`: draws go on until there are so many.
  RuleOptions default_options() const override {
    return {{"nodes", 0}, {"most", 1500}, {"effective", 150}};
  }

  WeightedPoints integrate(const Target& target, const RuleOptions& options) const override {
    WeightedPoints result;
    if (target.dimension == 0) return only_point(target);
    int spent = 0;
    const Target counting = count_work(target, spent);
    const int d = target.dimension;
    const bool low = d <= 8;

    ModeSearch search;
    search.screened_starts = low ? 2 : 1;
    const std::vector<Mode> modes = find_modes(counting, search);
    const Proposal first = laplace_mixture(counting, modes, low);

    const int aim = options.at("nodes") > 0 ? static_cast<int>(options.at("nodes"))
                                            : std::min(std::max(256, 64 * d), 1000);
    const int most = static_cast<int>(options.at("most"));
    MixtureSample sample(counting);
    sample.extend(first, static_cast<int>(0.4 * aim));
    Proposal proposal = first;
    int refits = 0;
    const auto move = [&] {
      proposal = refit(sample, proposal, 1, inflation, low ? 10.0 : 30.0);
      ++refits;
    };
    if (sample.k_hat() > 0.5 || sample.effective_size() < 0.35 * sample.size()) move();
    sample.extend(proposal, aim - sample.size());
    while ((sample.k_hat() > 0.7 || sample.effective_size() < options.at("effective")) &&
           most - spent >= 64) {
      // More than two refits flatter their own diagnostics.
      if (refits < 2) move();
      sample.extend(proposal, std::min(sample.size(), most - spent));
    }

    result.points = sample.points();
    result.log_likelihood = sample.log_likelihood();
    result.log_weights = sample.log_weights();
    result.modes = summarise(modes);
    result.diagnostics = {{"k_hat", sample.k_hat()}, {"refits", refits}};
    return result;
  }

 private:
  static constexpr double inflation = 1.1;

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

  static std::vector<ModeSummary> summarise(const std::vector<Mode>& modes) {
    const Eigen::VectorXd masses = mode_masses(modes);
    std::vector<ModeSummary> summaries;
    for (std::size_t k = 0; k < modes.size(); ++k) {
      summaries.push_back({modes[k].point, modes[k].log_posterior, masses[k]});
    }
    return summaries;
  }

  static Eigen::VectorXd mode_masses(const std::vector<Mode>& modes) {
    Eigen::VectorXd log_mass(modes.size());
    for (std::size_t k = 0; k < modes.size(); ++k) log_mass[k] = modes[k].log_mass();
    return (log_mass.array() - log_sum_exp(log_mass)).exp();
  }

  // (1 - delta) sum_k pi_k split-t(mode k) + delta prior; the prior comes last.
  static Proposal laplace_mixture(const Target& target, const std::vector<Mode>& modes, bool low) {
    const double delta = low ? 0.25 : 0.05, nu = low ? 10.0 : 30.0;
    Proposal proposal;
    const Eigen::VectorXd shares = mode_masses(modes).cwiseMax(0.2);
    for (std::size_t k = 0; k < modes.size(); ++k) {
      proposal.components.push_back(split_t_at(target, modes[k], nu, low));
      proposal.shares.push_back((1.0 - delta) * shares[k] / shares.sum());
    }
    proposal.components.push_back(SplitT::standard_normal(target.dimension));
    proposal.shares.push_back(delta);
    return proposal;
  }

  // Along the principal axes in few dimensions, by the symmetric root in many; the scale of
  // either side of an axis is where the log posterior has dropped as a Gaussian's would.
  static SplitT split_t_at(const Target& target, const Mode& mode, double nu, bool low) {
    const Eigen::Index d = mode.point.size();
    Eigen::MatrixXd axes = mode.axes * mode.curvatures.array().rsqrt().matrix().asDiagonal();
    if (!low) axes = axes * mode.axes.transpose();
    const double reach = std::sqrt(2.0);
    Eigen::MatrixXd probes(d, 2 * d);
    for (Eigen::Index k = 0; k < d; ++k) {
      probes.col(2 * k) = mode.point - reach * axes.col(k);
      probes.col(2 * k + 1) = mode.point + reach * axes.col(k);
    }
    const Eigen::VectorXd log_likelihood = target.log_likelihood(probes);
    Eigen::VectorXd sides(2 * d);
    for (Eigen::Index i = 0; i < 2 * d; ++i) {
      const double drop =
          mode.log_posterior - log_likelihood[i] - log_normal_density(probes.col(i));
      sides[i] = std::min(std::max(1.0 / std::sqrt(std::max(drop, 1e-3)), 0.4), 2.5);
    }
    const Eigen::Map<const Eigen::VectorXd, 0, Eigen::InnerStride<2>> left(sides.data(), d);
    const Eigen::Map<const Eigen::VectorXd, 0, Eigen::InnerStride<2>> right(sides.data() + 1, d);
    return SplitT(mode.point, inflation * axes, left, right, nu);
  }
};

}  // namespace btg
