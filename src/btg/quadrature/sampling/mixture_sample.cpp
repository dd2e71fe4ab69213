#include "btg/quadrature/sampling/mixture_sample.hpp"

#include <algorithm>

#include "btg/numerics/pareto.hpp"
#include "btg/numerics/sobol_points.hpp"

namespace btg {

void MixtureSample::extend(const Proposal& proposal, int count) {
  const int d = target_.dimension;
  const Eigen::MatrixXd uniform =
      sobol_points(d + Proposal::extra, count, 0, 100 * seed_ + 1 + batches_.size());
  Eigen::MatrixXd fresh(d, count);
  for (int i = 0; i < count; ++i) fresh.col(i) = proposal.draw(uniform.col(i));
  points_.conservativeResize(d, points_.cols() + count);
  points_.rightCols(count) = fresh;
  batches_.push_back({proposal, count});
  evaluate_new();
  evaluate_proposals(count);
  reweight();
}

void MixtureSample::evaluate_new() {
  const Eigen::Index old = log_likelihood_.size(), fresh = points_.cols() - old;
  if (fresh == 0) return;
  log_likelihood_.conservativeResize(old + fresh);
  log_likelihood_.tail(fresh) = target_.log_likelihood(points_.rightCols(fresh));
}

void MixtureSample::evaluate_proposals(int fresh) {
  const Eigen::Index batches = static_cast<Eigen::Index>(batches_.size());
  log_proposals_.conservativeResize(batches, points_.cols());
  for (Eigen::Index b = 0; b < batches; ++b) {
    const Eigen::Index count = b + 1 == batches ? points_.cols() : fresh;
    log_proposals_.row(b).tail(count) =
        batches_[b].proposal.log_density(points_.rightCols(count)).array() +
        std::log(batches_[b].draws);
  }
}

void MixtureSample::reweight() {
  const double total = static_cast<double>(size());
  const Eigen::VectorXd log_proposal = log_sum_exp_columns(log_proposals_);
  log_weights_.resize(size());
  for (int i = 0; i < size(); ++i) {
    log_weights_[i] = log_likelihood_[i] + log_normal_density(points_.col(i)) - log_proposal[i];
  }
  k_hat_ = total > 25 ? smooth_weights(log_weights_) : INFINITY;
}

namespace {

// Divides each weight among the leading components of the first `moving` parts. Each part has one
// matrix, points x components.
std::vector<Eigen::MatrixXd> responsibilities(const MixtureSample& sample, const Proposal& proposal,
                                              std::size_t moving) {
  const Eigen::VectorXd weights = sample.weights();
  std::vector<Eigen::MatrixXd> belongs(moving);
  for (std::size_t b = 0; b < moving; ++b) {
    belongs[b] = proposal.parts[b].log_terms(sample.points()).transpose().array() +
                 std::log(proposal.shares[b]);
  }
  for (Eigen::Index i = 0; i < weights.size(); ++i) {
    double largest = -INFINITY, total = 0.0;
    for (const Eigen::MatrixXd& part : belongs) largest = std::max(largest, part.row(i).maxCoeff());
    for (Eigen::MatrixXd& part : belongs) {
      part.row(i) = (part.row(i).array() - largest).exp();
      total += part.row(i).sum();
    }
    for (Eigen::MatrixXd& part : belongs) part.row(i) *= weights[i] / total;
  }
  return belongs;
}

// Refits the scales of a component to its weighted points. On each side of an axis, the scale is
// the inflated root mean square of the points, shrunk towards the previous scale with the weight of
// ten points. Only scales move: in many dimensions, covariances and centres of a few effective
// points are worse than the curvature at the mode.
SplitT refit_scales(const MixtureSample& sample, const SplitT& component,
                    const Eigen::VectorXd& belongs, double inflation) {
  const double prior = 10.0, mass = belongs.sum();
  const double per_mass = mass > 0.0 ? mass / belongs.squaredNorm() : 0.0;  // effective points
  const Eigen::Index d = component.size();
  Eigen::ArrayXd left_count = Eigen::ArrayXd::Constant(d, prior), right_count = left_count;
  Eigen::ArrayXd left_sum = prior * component.left().array().square();
  Eigen::ArrayXd right_sum = prior * component.right().array().square();
  for (Eigen::Index i = 0; i < belongs.size(); ++i) {
    const double points = belongs[i] * per_mass;
    const Eigen::VectorXd x = component.along_axes(sample.points().col(i).head(d));
    for (Eigen::Index j = 0; j < d; ++j) {
      (x[j] < 0.0 ? left_count : right_count)[j] += points;
      (x[j] < 0.0 ? left_sum : right_sum)[j] += points * inflation * inflation * x[j] * x[j];
    }
  }
  return component.with_scales((left_sum / left_count).sqrt().matrix(),
                               (right_sum / right_count).sqrt().matrix());
}

}  // namespace

Proposal refit(const MixtureSample& sample, const Proposal& before, std::size_t moving,
               double inflation) {
  const double smallest_share = std::min(0.05, 0.4 / static_cast<double>(moving));
  const std::vector<Eigen::MatrixXd> belongs = responsibilities(sample, before, moving);
  Proposal now = before;
  double movable = 0.0, total = 0.0;
  for (std::size_t b = 0; b < moving; ++b) {
    SplitMixture& leading = now.parts[b].leading;
    leading.components[0] =
        refit_scales(sample, leading.components[0], belongs[b].col(0), inflation);
    const double mass = belongs[b].sum();
    for (std::size_t k = 0; k < leading.shares.size() && mass > 0.0; ++k) {
      leading.shares[k] = 0.5 * (leading.shares[k] + belongs[b].col(k).sum() / mass);
    }
    now.shares[b] = std::max(mass, smallest_share);
    movable += before.shares[b];
    total += now.shares[b];
  }
  for (std::size_t b = 0; b < moving; ++b) now.shares[b] *= movable / total;
  return now;
}

}  // namespace btg
