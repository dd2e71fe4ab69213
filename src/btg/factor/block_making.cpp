#include "btg/factor/block_making.hpp"

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include "btg/base/error.hpp"

namespace btg {

BlockState begin_state(std::shared_ptr<const BlockStructure> structure,
                       const Covariance& covariance, const Eigen::MatrixXd& inputs,
                       const Eigen::VectorXd& noise, const Execution& execution) {
  const int n = structure->size();
  if (inputs.rows() != n) throw Error("damaged", "The blocks are those of other sites.");
  BlockState state;
  state.structure = std::move(structure);
  state.covariance = covariance;
  state.execution = execution.without_progress();
  const Eigen::MatrixXd scaled = covariance.scale(inputs);
  state.points.resize(inputs.cols(), n);
  state.noise.resize(n);
  for (int p = 0; p < n; ++p) {
    const int site = state.structure->order()[p];
    state.points.col(p) = scaled.row(site).transpose();
    state.noise[p] = noise[site];
  }
  state.low_rank = low_rank_functions(covariance, state.points);
  return state;
}

bool make_inducing_root(BlockState& state) {
  const std::vector<int>& inducing = state.structure->inducing();
  const int r = static_cast<int>(inducing.size()), d = state.columns();
  Buffer points;
  gather_points(state, inducing.data(), r, points);
  state.inducing_points = points.take(r, d);
  state.inducing_root.resize(r, r);
  state.v.resize(state.inducing(), state.size());
  if (r == 0) return true;
  state.full_rank().correlation(state.inducing_points.data(), r, state.inducing_root.data());
  state.inducing_root.diagonal().array() += inducing_nugget(r);
  return state.compute().cholesky(state.inducing_root.data(), r) == 0;
}

bool make_inducing(BlockState& state) {
  if (!make_inducing_root(state)) return false;
  if (state.inducing() == 0) return true;
  fill_v_at_sites(state);
  return true;
}

bool make_rows(BlockState& state) {
  const int r = state.inducing();
  std::ptrdiff_t total = 0;
  for (const BlockState::Block& block : state.structure->blocks()) {
    state.first_row.push_back(total);
    total += static_cast<std::ptrdiff_t>(block.member_count()) * block.size();
  }
  state.rows.resize(total);
  state.h_root = Eigen::MatrixXd::Identity(r, r);
  std::atomic<bool> positive{true};
  parallel_in_order(
      state.piece_count(), state.execution,
      [&](long i) -> Eigen::MatrixXd {
        const BlockState::Piece& piece = state.piece(i);
        Eigen::MatrixXd y = Eigen::MatrixXd::Zero(r, piece.end - piece.first);
        ResidualRoot root;
        for (int k = piece.first_block; k < piece.end_block && positive; ++k) {
          state.execution.check();
          const BlockState::Block& block = state.block(k);
          const int count = block.member_count(), size = block.size();
          if (!root.make(state, block.members.data(), count, count)) {
            positive = false;
            break;
          }
          Eigen::Map<Eigen::MatrixXd> rows(state.rows.data() + state.first_row[k], count, size);
          rows.setZero();
          rows.bottomRows(size).setIdentity();
          state.compute().solve_lower_transposed(root.l(), count, rows.data(), size);
          if (r == 0) continue;
          state.compute().add_product(1.0, {root.v(), r, false}, {rows.data(), count, false}, r,
                                      count, size, y.col(block.first - piece.first).data(), r);
        }
        Eigen::MatrixXd h = Eigen::MatrixXd::Zero(r, r);
        if (r > 0)
          state.compute().add_outer(1.0, y.data(), r, static_cast<int>(y.cols()), h.data());
        return h;
      },
      [&](long, const Eigen::MatrixXd& h) { state.h_root += h; });
  return positive && (r == 0 || state.compute().cholesky(state.h_root.data(), r) == 0);
}

}  // namespace btg
