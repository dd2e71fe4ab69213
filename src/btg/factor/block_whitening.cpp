#include "btg/factor/block_whitening.hpp"

#include <cstddef>
#include <vector>

#include "btg/base/parallel.hpp"

namespace btg {

namespace {

// W_c b
Eigen::MatrixXd residual_whiten(const BlockState& state, const Eigen::MatrixXd& b) {
  Eigen::MatrixXd result(b.rows(), b.cols());
  parallel_for(state.piece_count(), state.execution, [&](long i) {
    const BlockState::Piece& piece = state.piece(i);
    for (int k = piece.first_block; k < piece.end_block; ++k) {
      const BlockState::Block& block = state.block(k);
      result.middleRows(block.first, block.size()).noalias() =
          state.rows_of(k).transpose() * values_at(b, block.members);
    }
  });
  return result;
}

// Sums the contributions of blocks to their members, in the order of blocks. make(k) returns one
// row per member of block k.
template <class Make>
Eigen::MatrixXd sum_over_members(const BlockState& state, Eigen::Index columns, Make make) {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(state.size(), columns);
  parallel_in_order(
      state.piece_count(), state.execution,
      [&](long i) {
        std::vector<Eigen::MatrixXd> parts;
        const BlockState::Piece& piece = state.piece(i);
        for (int k = piece.first_block; k < piece.end_block; ++k) parts.push_back(make(k));
        return parts;
      },
      [&](long i, const std::vector<Eigen::MatrixXd>& parts) {
        for (std::size_t k = 0; k < parts.size(); ++k) {
          const std::vector<int>& members =
              state.block(state.piece(i).first_block + static_cast<int>(k)).members;
          for (Eigen::Index c = 0; c < columns; ++c) {
            double* column = sum.col(c).data();
            for (std::size_t j = 0; j < members.size(); ++j) column[members[j]] += parts[k](j, c);
          }
        }
      });
  return sum;
}

// W_c' x
Eigen::MatrixXd residual_whiten_transposed(const BlockState& state, const Eigen::MatrixXd& x) {
  return sum_over_members(state, x.cols(), [&](int k) -> Eigen::MatrixXd {
    return state.rows_of(k) * x.middleRows(state.block(k).first, state.block(k).size());
  });
}

// W_c'W_c b, in one pass over the blocks.
Eigen::MatrixXd residual_precision(const BlockState& state, const Eigen::MatrixXd& b) {
  return sum_over_members(state, b.cols(), [&](int k) -> Eigen::MatrixXd {
    const BlockState::Rows rows = state.rows_of(k);
    const Eigen::MatrixXd whitened = rows.transpose() * values_at(b, state.block(k).members);
    return rows * whitened;
  });
}

}  // namespace

Eigen::MatrixXd residual_unwhiten(const BlockState& state, const Eigen::MatrixXd& x) {
  Eigen::MatrixXd result = x;
  for (std::size_t k = 0; k < state.structure->blocks().size(); ++k) {
    const BlockState::Block& block = state.block(static_cast<int>(k));
    const BlockState::Rows rows = state.rows_of(static_cast<int>(k));
    const int earlier = block.neighbour_count(), size = block.size();
    const std::vector<int> neighbours(block.members.begin(), block.members.begin() + earlier);
    Eigen::MatrixXd own = x.middleRows(block.first, size);
    own.noalias() -= rows.topRows(earlier).transpose() * values_at(result, neighbours);
    rows.bottomRows(size).transpose().triangularView<Eigen::Lower>().solveInPlace(own);
    result.middleRows(block.first, size) = own;
  }
  return result;
}

namespace {

// V t
Eigen::MatrixXd v_times(const BlockState& state, const Eigen::MatrixXd& t) {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(state.inducing(), t.cols());
  if (state.inducing() == 0) return sum;
  parallel_in_order(
      state.piece_count(), state.execution,
      [&](long i) -> Eigen::MatrixXd {
        const BlockState::Piece& piece = state.piece(i);
        const int count = piece.end - piece.first;
        return state.v.middleCols(piece.first, count) * t.middleRows(piece.first, count);
      },
      [&](long, const Eigen::MatrixXd& part) { sum += part; });
  return sum;
}

// b - V'u
Eigen::MatrixXd subtract_inducing(const BlockState& state, const Eigen::MatrixXd& b,
                                  const Eigen::MatrixXd& u) {
  Eigen::MatrixXd result = b;
  if (state.inducing() == 0) return result;
  parallel_for(state.piece_count(), state.execution, [&](long i) {
    const BlockState::Piece& piece = state.piece(i);
    const int count = piece.end - piece.first;
    result.middleRows(piece.first, count).noalias() -=
        state.v.middleCols(piece.first, count).transpose() * u;
  });
  return result;
}

}  // namespace

Eigen::MatrixXd whitened_inducing(const BlockState& state, const BlockState::Piece& piece) {
  const int r = state.inducing();
  Eigen::MatrixXd y = Eigen::MatrixXd::Zero(r, piece.end - piece.first);
  if (r == 0) return y;
  Buffer v;
  for (int k = piece.first_block; k < piece.end_block; ++k) {
    const BlockState::Block& block = state.block(k);
    const int count = block.member_count();
    gather_v(state, block.members.data(), count, v);
    state.compute().add_product(1.0, {v.data(), r, false}, {state.rows_of(k).data(), count, false},
                                r, count, block.size(), y.col(block.first - piece.first).data(), r);
  }
  return y;
}

void solve_h(const BlockState& state, Eigen::MatrixXd& columns) {
  const int r = state.inducing(), count = static_cast<int>(columns.cols());
  if (r == 0 || count == 0) return;
  state.compute().solve_lower(state.h_root.data(), r, columns.data(), count);
  state.compute().solve_lower_transposed(state.h_root.data(), r, columns.data(), count);
}

Eigen::MatrixXd block_whiten(const BlockState& state, const Eigen::MatrixXd& b) {
  const int n = state.size(), r = state.inducing();
  const Eigen::MatrixXd values = values_at(b, state.structure->order());
  Eigen::MatrixXd result(n + r, b.cols());
  if (r == 0) return residual_whiten(state, values);
  Eigen::MatrixXd u = v_times(state, residual_precision(state, values));
  solve_h(state, u);
  result.topRows(n) = residual_whiten(state, subtract_inducing(state, values, u));
  result.bottomRows(r) = u;
  return result;
}

Eigen::MatrixXd block_whiten_transposed(const BlockState& state, const Eigen::MatrixXd& x) {
  const int n = state.size(), r = state.inducing();
  Eigen::MatrixXd values = residual_whiten_transposed(state, x.topRows(n));
  if (r > 0) {
    // W_c'Y = W_c'W_c V'
    Eigen::MatrixXd minus_u = v_times(state, values) - x.bottomRows(r);
    solve_h(state, minus_u);
    const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(n, x.cols());
    values += residual_precision(state, subtract_inducing(state, zero, minus_u));
  }
  Eigen::MatrixXd result(n, x.cols());
  for (int p = 0; p < n; ++p) result.row(state.structure->order()[p]) = values.row(p);
  return result;
}

}  // namespace btg
