// K as in block_state.hpp. The inducing functions are columns Y = W_c V' of a regression whose
// coefficients have the prior N(0, I): with H = I + Y'Y,
//
//   W b = (e, u),   u = H^-1 Y' W_c b,   e = W_c b - Y u = W_c (b - V'u),
//
// |e|^2 + |u|^2 = b'W_c'(I - Y H^-1 Y')W_c b = b' K^-1 b, a sum of squares, and
// log|K| = sum_b log|L_bb|^2 + log|H|.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "btg/factor/block_cross.hpp"
#include "btg/factor/block_gradient.hpp"
#include "btg/factor/block_making.hpp"
#include "btg/factor/block_projection.hpp"
#include "btg/factor/block_state.hpp"
#include "btg/factor/block_structure.hpp"
#include "btg/factor/block_whitening.hpp"
#include "btg/factor/factor.hpp"

namespace btg {

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
  std::unique_ptr<const CrossTerms> cross(const Eigen::MatrixXd& points) const override {
    return std::make_unique<BlockCrossTerms>(state_, points);
  }
  // W_c^-1 e = b - V'u at the sites, then u.
  Eigen::MatrixXd prepare(const Eigen::MatrixXd& whitened) const override {
    Eigen::MatrixXd prepared = whitened;
    prepared.topRows(state_->size()) = residual_unwhiten(*state_, whitened.topRows(state_->size()));
    return prepared;
  }
  std::unique_ptr<const ProjectedRoot> project(const Eigen::MatrixXd& u) const override {
    return std::make_unique<BlockProjectedRoot>(state_, u);
  }

 private:
  std::shared_ptr<const BlockState> state_;
};

class BlockMethod final : public FactorMethod {
 public:
  explicit BlockMethod(std::shared_ptr<const BlockStructure> structure)
      : structure_(std::move(structure)) {
    for (const BlockStructure::Block& block : structure_->blocks()) {
      most_members_ = std::max(most_members_, block.member_count());
      most_sites_ = std::max(most_sites_, block.size());
      most_around_ = std::max(most_around_, static_cast<int>(block.around.size()));
    }
  }

  std::unique_ptr<const Factor> factor(const Covariance& covariance, const Eigen::MatrixXd& inputs,
                                       const Eigen::VectorXd& noise,
                                       const Execution& execution) const override {
    const auto state =
        std::make_shared<BlockState>(begin_state(structure_, covariance, inputs, noise, execution));
    if (!make_inducing(*state) || !make_rows(*state)) return nullptr;
    return std::make_unique<BlockFactor>(state);
  }

  bool threads_within() const override { return true; }

  double shared_bytes() const override {
    double numbers = 0.0;
    for (const BlockStructure::Block& block : structure_->blocks()) {
      numbers += static_cast<double>(block.members.size() + block.around.size());
    }
    return sizeof(int) * (numbers + 2.0 * structure_->size());
  }

  double factor_cost(double n) const override { return n * cost_of_site(most_members_); }
  // As if there were as many points in a cell as sites.
  double cross_cost(double /*n*/) const override { return cost_of_site(most_around_); }
  double project_cost(double n) const override { return 0.5 * factor_cost(n); }
  // As measured for 10^5 sites.
  double shared_cost(double /*n*/) const override { return 0.05; }
  Eigen::Index points_at_a_time(Eigen::Index /*n*/) const override { return 2048; }
  std::vector<int> visiting_order(const Eigen::MatrixXd& points) const override {
    const std::vector<int> cells = structure_->cells_of(points);
    std::vector<int> order(cells.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return structure_->place_of_cell(cells[a]) < structure_->place_of_cell(cells[b]);
    });
    return order;
  }

 private:
  // C of m sites and its factor for each block, W_b, W_c V', V and H.
  double cost_of_site(double m) const {
    const double b = most_sites_;
    const double r = static_cast<double>(structure_->inducing().size());
    return m * m * (r + m / 3.0 + 20.0) / b + m * m + 2.0 * m * r + 2.0 * r * (r + 20.0);
  }

  std::shared_ptr<const BlockStructure> structure_;
  int most_members_ = 0, most_sites_ = 1, most_around_ = 0;
};

}  // namespace btg
