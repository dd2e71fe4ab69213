// Importance sampling from proposals that change as it goes on. Every point is weighted
// against the mixture of all the components drawn from so far, in proportion to their
// draws ("deterministic mixture" weights), wherever it came from itself.
#pragma once

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

#include "../log_sum_exp.hpp"
#include "pareto.hpp"
#include "proposal.hpp"
#include "rule.hpp"
#include "sobol_points.hpp"

namespace btg {

class MixtureSample {
 public:
  explicit MixtureSample(const Target& target) : target_(target) {}

  int size() const { return static_cast<int>(points_.cols()); }
  const Eigen::MatrixXd& points() const { return points_; }
  const Eigen::VectorXd& log_likelihood() const { return log_likelihood_; }
  const Eigen::VectorXd& log_weights() const { return log_weights_; }  // smoothed; sum: evidence
  double k_hat() const { return k_hat_; }
  double effective_size() const {
    const Eigen::VectorXd w = (log_weights_.array() - log_sum_exp(log_weights_)).exp();
    return 1.0 / w.squaredNorm();
  }

  // About `count` draws, shared out between the components.
  void extend(const Proposal& proposal, int count) {
    const int d = target_.dimension;
    for (std::size_t k = 0; k < proposal.components.size(); ++k) {
      const int draws = static_cast<int>(std::lround(proposal.shares[k] * count));
      if (draws == 0) continue;
      const Eigen::MatrixXd uniform = sobol_points(d + 1, draws, 0, 1 + batches_.size());
      Eigen::MatrixXd fresh(d, draws);
      for (int i = 0; i < draws; ++i) fresh.col(i) = proposal.components[k].draw(uniform.col(i));
      append(fresh);
      batches_.push_back({proposal.components[k], draws});
    }
    evaluate_new();
    reweight();
  }

 private:
  struct Batch {
    SplitT component;
    int draws;
  };

  void append(const Eigen::MatrixXd& fresh) {
    Eigen::MatrixXd all(target_.dimension, points_.cols() + fresh.cols());
    all << points_, fresh;
    points_ = all;
  }

  void evaluate_new() {
    const Eigen::Index old = log_likelihood_.size(), fresh = points_.cols() - old;
    if (fresh == 0) return;
    Eigen::VectorXd all(points_.cols());
    all << log_likelihood_, target_.log_likelihood(points_.rightCols(fresh));
    log_likelihood_ = all;
  }

  void reweight() {
    const double total = static_cast<double>(size());
    Eigen::VectorXd log_terms(batches_.size());
    log_weights_.resize(size());
    for (int i = 0; i < size(); ++i) {
      const Eigen::VectorXd u = points_.col(i);
      for (std::size_t b = 0; b < batches_.size(); ++b) {
        log_terms[b] = std::log(batches_[b].draws) + batches_[b].component.log_density(u);
      }
      log_weights_[i] = log_likelihood_[i] + log_normal_density(u) - log_sum_exp(log_terms);
    }
    k_hat_ = total > 25 ? smooth_weights(log_weights_) : INFINITY;
  }

  const Target& target_;
  Eigen::MatrixXd points_;
  Eigen::VectorXd log_likelihood_, log_weights_;
  std::vector<Batch> batches_;
  double k_hat_ = INFINITY;
};

// The proposal moved to where the weighted sample is, by a few steps of EM. Covariances
// are shrunk to those before, as if these had been seen `d + 2` times.
inline Proposal refit(const MixtureSample& sample, const Proposal& before, int n_fixed,
                      double inflation, double degrees_of_freedom) {
  const int d = static_cast<int>(sample.points().rows());
  const int n = sample.size();
  const std::size_t moving = before.components.size() - n_fixed;
  const Eigen::VectorXd weights =
      (sample.log_weights().array() - log_sum_exp(sample.log_weights())).exp();
  Proposal now = before;
  for (int step = 0; step < 2; ++step) {
    Eigen::MatrixXd responsibility(n, static_cast<Eigen::Index>(moving));
    for (int i = 0; i < n; ++i) {
      Eigen::VectorXd log_terms(responsibility.cols());
      for (std::size_t k = 0; k < moving; ++k) {
        log_terms[k] =
            std::log(now.shares[k]) + now.components[k].log_density(sample.points().col(i));
      }
      responsibility.row(i) =
          weights[i] * (log_terms.array() - log_sum_exp(log_terms)).exp().transpose();
    }
    const double movable = 1.0 - [&] {
      double fixed = 0.0;
      for (std::size_t k = moving; k < now.shares.size(); ++k) fixed += now.shares[k];
      return fixed;
    }();
    for (std::size_t k = 0; k < moving; ++k) {
      const Eigen::VectorXd r = responsibility.col(k);
      const double mass = r.sum();
      if (!(mass > 1e-6)) continue;
      const double seen = mass * mass / r.squaredNorm(), prior = d + 2.0;
      const Eigen::VectorXd mean = sample.points() * r / mass;
      const Eigen::MatrixXd deviation = sample.points().colwise() - mean;
      const Eigen::MatrixXd scatter = deviation * r.asDiagonal() * deviation.transpose() / mass;
      const Eigen::MatrixXd old =
          now.components[k].axes() * now.components[k].axes().transpose() / (inflation * inflation);
      const Eigen::MatrixXd covariance = (seen * scatter + prior * old) / (seen + prior);
      const Eigen::VectorXd centre =
          (seen * mean + prior * now.components[k].centre()) / (seen + prior);
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(covariance);
      const Eigen::VectorXd ones = Eigen::VectorXd::Ones(d);
      now.components[k] =
          SplitT(centre, inflation * eigen.operatorSqrt(), ones, ones, degrees_of_freedom);
      now.shares[k] = movable * std::max(mass, 0.05);
    }
    double sum = 0.0;
    for (std::size_t k = 0; k < moving; ++k) sum += now.shares[k];
    for (std::size_t k = 0; k < moving; ++k) now.shares[k] *= movable / sum;
  }
  return now;
}

}  // namespace btg
