// Importance sampling with proposals that change along the way. Every point is weighted against the
// mixture of all proposals so far, in proportion to their draws ("deterministic mixture" weights),
// whichever proposal it was drawn from.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "btg/numerics/log_sum_exp.hpp"
#include "btg/quadrature/rule.hpp"
#include "btg/quadrature/sampling/proposal.hpp"

namespace btg {

class MixtureSample {
 public:
  MixtureSample(const Target& target, std::uint64_t seed) : target_(target), seed_(seed) {}

  int size() const { return static_cast<int>(points_.cols()); }
  const Eigen::MatrixXd& points() const { return points_; }
  const Eigen::VectorXd& log_likelihood() const { return log_likelihood_; }
  const Eigen::VectorXd& log_weights() const { return log_weights_; }  // smoothed; sum: evidence
  double k_hat() const { return k_hat_; }
  double effective_size() const { return 1.0 / weights().squaredNorm(); }

  // Weights normalised to sum to 1.
  Eigen::VectorXd weights() const {
    return (log_weights_.array() - log_sum_exp(log_weights_)).exp();
  }

  void extend(const Proposal& proposal, int count);

 private:
  struct Batch {
    Proposal proposal;
    int draws;
  };

  void evaluate_new();

  // Evaluates the last proposal at all points and the earlier ones at the last `fresh` points; the
  // other densities are already known.
  void evaluate_proposals(int fresh);

  void reweight();

  const Target& target_;
  std::uint64_t seed_;
  Eigen::MatrixXd points_;
  Eigen::VectorXd log_likelihood_, log_weights_;
  Eigen::MatrixXd log_proposals_;  // log(draws * density), batches x points
  std::vector<Batch> batches_;
  double k_hat_ = INFINITY;
};

// Refits the proposal to the weighted sample: the shares, and the scales of the first leading
// component of each of the first `moving` parts.
Proposal refit(const MixtureSample& sample, const Proposal& before, std::size_t moving,
               double inflation);

}  // namespace btg
