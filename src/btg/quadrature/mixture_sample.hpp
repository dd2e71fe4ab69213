// Importance sampling from proposals that change as it goes on. Every point is weighted
// against the mixture of all the components drawn from so far, in proportion to their
// draws ("deterministic mixture" weights), wherever it came from itself.
#pragma once

#include <Eigen/Core>
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
  MixtureSample(const Target& target, int seed) : target_(target), seed_(seed) {}

  int size() const { return static_cast<int>(points_.cols()); }
  const Eigen::MatrixXd& points() const { return points_; }
  const Eigen::VectorXd& log_likelihood() const { return log_likelihood_; }
  const Eigen::VectorXd& log_weights() const { return log_weights_; }  // smoothed; sum: evidence
  double k_hat() const { return k_hat_; }
  double effective_size() const {
    const Eigen::VectorXd w = (log_weights_.array() - log_sum_exp(log_weights_)).exp();
    return 1.0 / w.squaredNorm();
  }

  // `count` draws: of each quasi-random point one coordinate chooses the component.
  void extend(const Proposal& proposal, int count) {
    const int d = target_.dimension;
    const Eigen::MatrixXd uniform =
        sobol_points(d + 2, count, 0, 100 * seed_ + 1 + batches_.size());
    Eigen::MatrixXd fresh(d, count);
    for (int i = 0; i < count; ++i) {
      fresh.col(i) =
          proposal.components[proposal.choose(uniform(0, i))].draw(uniform.col(i).tail(d + 1));
    }
    points_.conservativeResize(d, points_.cols() + count);
    points_.rightCols(count) = fresh;
    batches_.push_back({proposal, count});
    evaluate_new();
    reweight();
  }

 private:
  struct Batch {
    Proposal proposal;
    int draws;
  };

  void evaluate_new() {
    const Eigen::Index old = log_likelihood_.size(), fresh = points_.cols() - old;
    if (fresh == 0) return;
    log_likelihood_.conservativeResize(old + fresh);
    log_likelihood_.tail(fresh) = target_.log_likelihood(points_.rightCols(fresh));
  }

  void reweight() {
    const double total = static_cast<double>(size());
    Eigen::VectorXd log_terms(batches_.size());
    log_weights_.resize(size());
    for (int i = 0; i < size(); ++i) {
      const Eigen::VectorXd u = points_.col(i);
      for (std::size_t b = 0; b < batches_.size(); ++b) {
        log_terms[b] = std::log(batches_[b].draws) + batches_[b].proposal.log_density(u);
      }
      log_weights_[i] = log_likelihood_[i] + log_normal_density(u) - log_sum_exp(log_terms);
    }
    k_hat_ = total > 25 ? smooth_weights(log_weights_) : INFINITY;
  }

  const Target& target_;
  int seed_;
  Eigen::MatrixXd points_;
  Eigen::VectorXd log_likelihood_, log_weights_;
  std::vector<Batch> batches_;
  double k_hat_ = INFINITY;
};

// The proposal with the scales of its first `moving` components fitted to the weighted
// sample: along either side of an axis, a scale is the root mean square of the points that
// belong to the component, inflated, and drawn to the scale before as if that had been
// seen ten times. Only scales move: covariances and centres of a few effective points in
// many dimensions are worse than the curvature at the mode.
inline Proposal refit_scales(const MixtureSample& sample, const Proposal& before,
                             std::size_t moving, double inflation) {
  const Eigen::Index d = sample.points().rows(), n = sample.points().cols();
  const double prior = 10.0, smallest_share = 0.05;
  const Eigen::VectorXd weights =
      (sample.log_weights().array() - log_sum_exp(sample.log_weights())).exp();
  Proposal now = before;
  double movable = 0.0, total = 0.0;
  for (std::size_t k = 0; k < moving; ++k) {
    const SplitT& component = before.components[k];
    Eigen::VectorXd belongs(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      belongs[i] = weights[i] * before.responsibility(k, moving, sample.points().col(i));
    }
    const double mass = belongs.sum();
    const double per_mass = mass > 0.0 ? mass / belongs.squaredNorm() : 0.0;  // effective points
    Eigen::ArrayXd left_count = Eigen::ArrayXd::Constant(d, prior), right_count = left_count;
    Eigen::ArrayXd left_sum = prior * component.left().array().square();
    Eigen::ArrayXd right_sum = prior * component.right().array().square();
    for (Eigen::Index i = 0; i < n; ++i) {
      const double points = belongs[i] * per_mass;
      const Eigen::VectorXd x = component.along_axes(sample.points().col(i));
      for (Eigen::Index j = 0; j < d; ++j) {
        (x[j] < 0.0 ? left_count : right_count)[j] += points;
        (x[j] < 0.0 ? left_sum : right_sum)[j] += points * inflation * inflation * x[j] * x[j];
      }
    }
    now.components[k] = component.with_scales((left_sum / left_count).sqrt().matrix(),
                                              (right_sum / right_count).sqrt().matrix());
    now.shares[k] = std::max(mass, smallest_share);
    movable += before.shares[k];
    total += now.shares[k];
  }
  for (std::size_t k = 0; k < moving; ++k) now.shares[k] *= movable / total;
  return now;
}

}  // namespace btg
