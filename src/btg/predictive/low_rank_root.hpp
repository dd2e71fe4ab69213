// A root of low rank of the covariance of the noise-free process at many points,
//
//   C = R** - k' K^-1 k + u' A^-1 u  ~  L L' + diag(d),
//
// by a partial Cholesky factorisation whose pivots are drawn in proportion to the variance that
// remains (Chen, Epperly, Tropp and Webber 2024, "Randomly pivoted Cholesky"). The diagonal is
// exact. The sum of d is at most a given share of the trace of C.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "btg/model/model.hpp"
#include "btg/node/predict.hpp"

namespace btg {

struct LowRankRoot {
  Eigen::MatrixXd columns;   // L, points x rank
  Eigen::VectorXd residual;  // d
};

// Takes all points as pivots if that costs less, so that d is rounding.
LowRankRoot low_rank_root(const Model& model, const CrossPoints& cross, double share,
                          std::uint64_t seed);

}  // namespace btg
