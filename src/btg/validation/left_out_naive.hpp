// Every fold predicted by refitting the model to the other rows at frozen nodes: what leave_out
// of leave_out.hpp computes, at the price of a factor for every fold and node.
#pragma once

#include <Eigen/Core>

#include "btg/model/folds.hpp"
#include "btg/model/model.hpp"
#include "btg/validation/left_out.hpp"

namespace btg {

LeftOut leave_out_naive(const Model& model, const Eigen::MatrixXd& etas, const Folds& folds,
                        bool observation);

}  // namespace btg
