#include "btg/factor/block_factor.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "btg/base/error.hpp"
#include "btg/factor/block_cross.hpp"
#include "btg/factor/block_gradient.hpp"
#include "btg/factor/block_making.hpp"
#include "btg/factor/block_projection.hpp"
#include "btg/factor/block_slopes.hpp"
#include "btg/factor/block_state.hpp"
#include "btg/factor/block_whitening.hpp"
#include "btg/factor/local_sites.hpp"

namespace btg {

namespace {

std::unique_ptr<const CrossTerms> cross_of(const std::shared_ptr<const BlockState>& state,
                                           const Eigen::MatrixXd& points, const KeptTerms& kept,
                                           const SiteGroups& groups) {
  LocalSites sites(state, groups.empty() ? state->structure->groups_of(points) : groups);
  return std::make_unique<BlockCrossTerms>(std::move(sites), points, kept);
}

class BlockFactor final : public Factor {
 public:
  explicit BlockFactor(std::shared_ptr<const BlockState> state) : state_(std::move(state)) {}

  double half_log_det() const override {
    double sum = state_->h_root.diagonal().array().log().sum();
    for (std::size_t k = 0; k < state_->structure->blocks().size(); ++k) {
      const BlockState::Rows rows = state_->rows_of(static_cast<int>(k));
      sum -= rows.bottomRows(rows.cols()).diagonal().array().log().sum();
    }
    return sum;
  }
  Eigen::MatrixXd whiten(const Eigen::MatrixXd& b) const override {
    return block_whiten(*state_, b);
  }
  Eigen::MatrixXd whiten_transposed(const Eigen::MatrixXd& b) const override {
    return block_whiten_transposed(*state_, b);
  }
  CovarianceGradient gradient(const Eigen::MatrixXd& whitened) const override {
    return block_gradient(*state_, whitened);
  }
  std::unique_ptr<const CrossTerms> cross(const Eigen::MatrixXd& points, const KeptTerms& kept,
                                          const SiteGroups& groups) const override {
    return cross_of(state_, points, kept, groups);
  }
  CrossSlopes cross_slopes(const Eigen::MatrixXd& points, const KeptTerms& kept,
                           const Eigen::MatrixXd& prepared) const override {
    return block_cross_slopes(state_, points, kept, prepared);
  }
  WhitenedSlopes whitened_slopes(const Eigen::MatrixXd& points,
                                 const KeptTerms& kept) const override {
    return block_whitened_slopes(state_, points, kept);
  }
  // Replaces e by W_c^-1 e = b - V'u at the sites, and keeps u.
  Eigen::MatrixXd prepare(const Eigen::MatrixXd& whitened) const override {
    Eigen::MatrixXd prepared = whitened;
    prepared.topRows(state_->size()) = residual_unwhiten(*state_, whitened.topRows(state_->size()));
    return prepared;
  }
  std::unique_ptr<const ProjectedRoot> project(const Eigen::MatrixXd& u) const override {
    return std::make_unique<BlockProjectedRoot>(state_, u);
  }

  std::shared_ptr<const Factor> packed() const override;

  void run_by(const Execution& execution) const override {
    state_->execution = execution.without_progress();
  }

  const std::shared_ptr<const BlockState>& state() const { return state_; }

 private:
  std::shared_ptr<const BlockState> state_;
};

// Holds what predictions need, without V and the W_b. Other operations make the factor again.
class PackedBlockFactor final : public Factor {
 public:
  explicit PackedBlockFactor(const BlockState& all) : state_(without_columns(all)) {}

  double half_log_det() const override { return made_again().half_log_det(); }
  Eigen::MatrixXd whiten(const Eigen::MatrixXd& b) const override { return made_again().whiten(b); }
  Eigen::MatrixXd whiten_transposed(const Eigen::MatrixXd& b) const override {
    return made_again().whiten_transposed(b);
  }
  CovarianceGradient gradient(const Eigen::MatrixXd& whitened) const override {
    return made_again().gradient(whitened);
  }
  std::unique_ptr<const CrossTerms> cross(const Eigen::MatrixXd& points, const KeptTerms& kept,
                                          const SiteGroups& groups) const override {
    return cross_of(state_, points, kept, groups);
  }
  CrossSlopes cross_slopes(const Eigen::MatrixXd& points, const KeptTerms& kept,
                           const Eigen::MatrixXd& prepared) const override {
    return block_cross_slopes(state_, points, kept, prepared);
  }
  WhitenedSlopes whitened_slopes(const Eigen::MatrixXd& points,
                                 const KeptTerms& kept) const override {
    return block_whitened_slopes(state_, points, kept);
  }
  Eigen::MatrixXd prepare(const Eigen::MatrixXd& whitened) const override {
    return made_again().prepare(whitened);
  }
  std::unique_ptr<const ProjectedRoot> project(const Eigen::MatrixXd& u) const override {
    return made_again().project(u);
  }

  std::shared_ptr<const Factor> unpacked() const override {
    return std::make_shared<const BlockFactor>(made_again());
  }
  std::shared_ptr<const Factor> for_slopes() const override { return nullptr; }

  void run_by(const Execution& execution) const override {
    state_->execution = execution.without_progress();
  }

 private:
  static std::shared_ptr<const BlockState> without_columns(const BlockState& all) {
    const auto state = std::make_shared<BlockState>();
    state->structure = all.structure;
    state->covariance = all.covariance;
    state->execution = all.execution;
    state->points = all.points;
    state->noise = all.noise;
    state->inducing_points = all.inducing_points;
    state->inducing_root = all.inducing_root;
    state->low_rank = all.low_rank;
    state->h_root = all.h_root;
    return state;
  }

  // Has the same bits as the factor that was packed.
  BlockFactor made_again() const {
    const auto state = std::make_shared<BlockState>(*state_);
    if (!make_inducing(*state) || !make_rows(*state)) {
      throw Error("numerical", "The kernel matrix of a kept node could not be factored.");
    }
    return BlockFactor(state);
  }

  std::shared_ptr<const BlockState> state_;
};

std::shared_ptr<const Factor> BlockFactor::packed() const {
  return std::make_shared<const PackedBlockFactor>(*state_);
}

}  // namespace

std::unique_ptr<const CrossTerms> block_cross(const Factor& factor, const Eigen::MatrixXd& points,
                                              SiteGroups groups) {
  const auto& blocks = dynamic_cast<const BlockFactor&>(factor);
  return std::make_unique<BlockCrossTerms>(LocalSites(blocks.state(), std::move(groups)), points,
                                           KeptTerms());
}

std::unique_ptr<const CrossTerms> local_cross(const Factor& factor, const Eigen::MatrixXd& points,
                                              SiteGroups groups) {
  const BlockState& all = *dynamic_cast<const BlockFactor&>(factor).state();
  const auto local = std::make_shared<BlockState>();
  local->structure = all.structure;
  local->covariance = all.covariance;
  local->execution = all.execution;
  local->points = all.points;
  local->noise = all.noise;
  local->inducing_points.resize(0, all.columns());
  local->v.resize(0, all.size());
  return std::make_unique<BlockCrossTerms>(LocalSites(local, std::move(groups)), points,
                                           KeptTerms());
}

Eigen::VectorXd prepare_local(const Factor& factor, const Eigen::VectorXd& prepared) {
  const BlockState& state = *dynamic_cast<const BlockFactor&>(factor).state();
  Eigen::VectorXd values = prepared.head(state.size());
  if (state.inducing() > 0) values += state.v.transpose() * prepared.tail(state.inducing());
  return values;
}

BlockMethod::BlockMethod(std::shared_ptr<const BlockStructure> structure)
    : structure_(std::move(structure)) {
  for (const BlockStructure::Block& block : structure_->blocks()) {
    most_members_ = std::max(most_members_, block.member_count());
    most_sites_ = std::max(most_sites_, block.size());
    most_around_ = std::max(most_around_, static_cast<int>(block.around.size()));
  }
}

std::unique_ptr<const Factor> BlockMethod::factor(const Covariance& covariance,
                                                  const Eigen::MatrixXd& inputs,
                                                  const Eigen::VectorXd& noise,
                                                  const Execution& execution) const {
  const auto state =
      std::make_shared<BlockState>(begin_state(structure_, covariance, inputs, noise, execution));
  if (!make_inducing(*state) || !make_rows(*state)) return nullptr;
  return std::make_unique<BlockFactor>(state);
}

double BlockMethod::factor_bytes(double n, double columns) const {
  const double r = static_cast<double>(structure_->inducing().size());
  return sizeof(double) * (n * (columns + 1.0) + r * (2.0 * r + columns));
}

double BlockMethod::shared_bytes() const {
  double numbers = 0.0;
  for (const BlockStructure::Block& block : structure_->blocks()) {
    numbers += static_cast<double>(block.members.size() + block.around.size());
  }
  return sizeof(int) * (numbers + 2.0 * structure_->size());
}

std::vector<int> BlockMethod::visiting_order(const Eigen::MatrixXd& points) const {
  const std::vector<int> cells = structure_->cells_of(points);
  std::vector<int> order(cells.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return structure_->place_of_cell(cells[a]) < structure_->place_of_cell(cells[b]);
  });
  return order;
}

SiteGroups BlockMethod::groups_of(const Eigen::MatrixXd& points) const {
  return structure_->groups_of(points);
}

double BlockMethod::cost_of_site(double m) const {
  const double b = most_sites_;
  const double r = static_cast<double>(structure_->inducing().size());
  return m * m * (r + m / 3.0 + 20.0) / b + m * m + 2.0 * m * r + 2.0 * r * (r + 20.0);
}

}  // namespace btg
