// How V and W_c of block_state.hpp are made.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "btg/base/parallel.hpp"
#include "btg/factor/block_state.hpp"
#include "btg/factor/block_structure.hpp"
#include "btg/factor/covariance.hpp"

namespace btg {

// All but what is made of the covariance.
BlockState begin_state(std::shared_ptr<const BlockStructure> structure,
                       const Covariance& covariance, const Eigen::MatrixXd& inputs,
                       const Eigen::VectorXd& noise, const Execution& execution);

// L_u, and room for V. False if R_uu has no factor.
bool make_inducing_root(BlockState& state);

// L_u and V. False if R_uu has no factor.
bool make_inducing(BlockState& state);

// The W_b and L_H, H = I + V W_c'W_c V'. False if some block has no factor.
bool make_rows(BlockState& state);

}  // namespace btg
