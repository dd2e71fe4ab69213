// Predictions at new points without one row i of the data, at fixed nodes and from one factor per
// kernel node. With e and Q of leave_out.hpp, and the prediction m = c'z linear in z,
//
//   m without i = m - c_i (z_i - m_i),   C without i = C + c_i^2 / Q_ii,
//   c = Q k + K^-1 M A^-1 m(x),
//
// where m_i is the left-out prediction of z_i. The scale has q_i / (n - 1 - p) for q / (n - p).
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/model/folds.hpp"
#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/validation/left_out.hpp"

namespace btg {

// Column i + rows * j of `at` belongs to row i left out and point j. NaN if a node has no
// likelihood without the row.
struct Influence {
  LatentValues at;
  LeftOut left_out;
};

// `folds` are single rows: see single_rows().
Influence influence(const Model& model, const Eigen::MatrixXd& etas, const Points& points,
                    const Folds& folds);

}  // namespace btg
