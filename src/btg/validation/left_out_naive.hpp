// Predicts every fold by refitting to the other rows at fixed nodes. The result equals leave_out of
// left_out.hpp, but needs a factor for every fold and node.
#pragma once

#include <Eigen/Core>

#include "btg/model/folds.hpp"
#include "btg/model/model.hpp"
#include "btg/validation/left_out.hpp"

namespace btg {

LeftOut leave_out_naive(const Model& model, const Eigen::MatrixXd& etas, const Folds& folds,
                        bool observation);

}  // namespace btg
