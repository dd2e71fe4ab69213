// Derivatives of the cross terms of block_cross.hpp in the inputs of new points. Points stay in
// their cells, so the sites A around them are fixed. With g = H^-1 h,
//
//   d(k' K^-1 b) = dv'u + dc' q,             q = C_AA^-1 (b - V'u)_A
//   d(k' K^-1 k) = 2 dv'(v - g) + 2 dc' a,   a = C_AA^-1 (c + V_A'g)
//   |W dk|^2     = |dv|^2 + dc' C_AA^-1 dc - dh' H^-1 dh
//
// where dc = dR_A(x) - V_A'dv and dh = dv - V_A C_AA^-1 dc.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "btg/factor/block_state.hpp"
#include "btg/factor/factor.hpp"

namespace btg {

CrossSlopes block_cross_slopes(const std::shared_ptr<const BlockState>& all,
                               const Eigen::MatrixXd& inputs, const KeptTerms& kept,
                               const Eigen::MatrixXd& prepared);

WhitenedSlopes block_whitened_slopes(const std::shared_ptr<const BlockState>& all,
                                     const Eigen::MatrixXd& inputs, const KeptTerms& kept);

}  // namespace btg
