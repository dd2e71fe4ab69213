// Computes V and W_c of block_state.hpp.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "btg/base/parallel.hpp"
#include "btg/factor/block_state.hpp"
#include "btg/factor/block_structure.hpp"
#include "btg/factor/covariance.hpp"

namespace btg {

// Initialises everything that does not depend on a factorisation.
BlockState begin_state(std::shared_ptr<const BlockStructure> structure,
                       const Covariance& covariance, const Eigen::MatrixXd& inputs,
                       const Eigen::VectorXd& noise, const Execution& execution);

// Computes L_u and allocates V. Returns false if R_uu cannot be factored.
bool make_inducing_root(BlockState& state);

// Computes L_u and V. Returns false if R_uu cannot be factored.
bool make_inducing(BlockState& state);

// Computes the W_b and L_H, H = I + V W_c'W_c V'. Returns false if a block cannot be factored.
bool make_rows(BlockState& state);

}  // namespace btg
