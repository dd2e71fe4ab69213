// Products with W_c and V of block_state.hpp. Values are positions x columns.
#pragma once

#include <Eigen/Core>

#include "btg/factor/block_state.hpp"

namespace btg {

// W_c^-1 x, by forward substitution over the blocks.
Eigen::MatrixXd residual_unwhiten(const BlockState& state, const Eigen::MatrixXd& x);

// (W_c V')' for a piece: inducing x sites of the piece.
Eigen::MatrixXd whitened_inducing(const BlockState& state, const BlockState::Piece& piece);

// Replaces the columns by H^-1 times them.
void solve_h(const BlockState& state, Eigen::MatrixXd& columns);

// W b of block_factor.hpp, from values at the sites.
Eigen::MatrixXd block_whiten(const BlockState& state, const Eigen::MatrixXd& b);

// W' (a, c) = W_c'(a + Y H^-1 (c - Y'a)), at the sites.
Eigen::MatrixXd block_whiten_transposed(const BlockState& state, const Eigen::MatrixXd& x);

}  // namespace btg
