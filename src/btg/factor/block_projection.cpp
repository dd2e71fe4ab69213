#include "btg/factor/block_projection.hpp"

#include <cstddef>
#include <map>

#include "btg/base/parallel.hpp"
#include "btg/compute/compute.hpp"

namespace btg {

BlockProjectedRoot::BlockProjectedRoot(std::shared_ptr<const BlockState> state,
                                       const Eigen::MatrixXd& u)
    : state_(std::move(state)), u_(u), position_(state_->size()), memberships_(state_->size()) {
  const int n = state_->size(), r = state_->inducing();
  for (int p = 0; p < n; ++p) position_[state_->structure->order()[p]] = p;
  squared_norm_ = Eigen::VectorXd::Zero(n);
  for (std::size_t k = 0; k < state_->structure->blocks().size(); ++k) {
    const int b = static_cast<int>(k);
    const std::vector<int>& members = state_->block(b).members;
    const Eigen::VectorXd squares = state_->rows_of(b).rowwise().squaredNorm();
    for (std::size_t j = 0; j < members.size(); ++j) {
      squared_norm_[members[j]] += squares[j];
      memberships_[members[j]].emplace_back(b, static_cast<int>(j));
    }
  }
  s_ = Eigen::MatrixXd::Zero(r + u.cols(), n);
  add_inducing();
  const Eigen::MatrixXd trend = block_whiten_transposed(*state_, u);
  s_.bottomRows(u.cols()) = values_at(trend, state_->structure->order()).transpose();
  squared_norm_ -= s_.colwise().squaredNorm().transpose();
}

Eigen::MatrixXd BlockProjectedRoot::gram(const std::vector<int>& sites,
                                         const Eigen::VectorXd& weights) const {
  const int size = static_cast<int>(sites.size());
  Eigen::MatrixXd some(s_.rows(), size), result = Eigen::MatrixXd::Zero(size, size);
  std::map<int, std::vector<std::pair<int, int>>> blocks;  // block -> (member, index in `sites`)
  for (int k = 0; k < size; ++k) {
    const int p = position_[sites[k]];
    some.col(k) = weights[k] * s_.col(p);
    for (const auto& [block, member] : memberships_[p]) blocks[block].emplace_back(member, k);
  }
  if (s_.rows() > 0) {
    state_->compute().gram(some.data(), static_cast<int>(s_.rows()), size, result.data());
    result = -result;
  }
  for (const auto& [block, of_block] : blocks) {
    const BlockState::Rows rows = state_->rows_of(block);
    for (const auto& [j, a] : of_block) {
      for (const auto& [i, b] : of_block) {
        if (b >= a) result(b, a) += weights[a] * weights[b] * rows.row(j).dot(rows.row(i));
      }
    }
  }
  return result;
}

Eigen::VectorXd BlockProjectedRoot::combine(const std::vector<int>& sites,
                                            const Eigen::VectorXd& weights) const {
  Eigen::VectorXd b = Eigen::VectorXd::Zero(state_->size());
  for (std::size_t k = 0; k < sites.size(); ++k) b[sites[k]] += weights[k];
  const Eigen::VectorXd whitened = block_whiten(*state_, b);
  return whitened - u_ * (u_.transpose() * whitened);
}

void BlockProjectedRoot::add_inducing() {
  const int r = state_->inducing();
  if (r == 0) return;
  const Compute& compute = state_->compute();
  parallel_in_order(
      state_->piece_count(), state_->execution,
      [&](long i) {
        const BlockState::Piece& piece = state_->piece(i);
        const Eigen::MatrixXd y = whitened_inducing(*state_, piece);
        std::vector<Eigen::MatrixXd> parts;
        for (int k = piece.first_block; k < piece.end_block; ++k) {
          const BlockState::Block& block = state_->block(k);
          const int count = block.member_count();
          parts.emplace_back(Eigen::MatrixXd::Zero(r, count));
          compute.add_product(1.0, {y.col(block.first - piece.first).data(), r, false},
                              {state_->rows_of(k).data(), count, true}, r, block.size(), count,
                              parts.back().data(), r);
        }
        return parts;
      },
      [&](long i, const std::vector<Eigen::MatrixXd>& parts) {
        for (std::size_t k = 0; k < parts.size(); ++k) {
          const std::vector<int>& members =
              state_->block(state_->piece(i).first_block + static_cast<int>(k)).members;
          for (std::size_t j = 0; j < members.size(); ++j) {
            s_.col(members[j]).head(r) += parts[k].col(j);
          }
        }
      });
  parallel_for(state_->piece_count(), state_->execution, [&](long i) {
    const BlockState::Piece& piece = state_->piece(i);
    const int count = piece.end - piece.first;
    Eigen::MatrixXd part = s_.topRows(r).middleCols(piece.first, count);
    compute.solve_lower(state_->h_root.data(), r, part.data(), count);
    s_.topRows(r).middleCols(piece.first, count) = part;
  });
}

}  // namespace btg
