// Derivatives of the location and scale of predict.hpp along directions of the points. With
// e = T^-T u, so that u' A^-1 u = |e|^2:
//
//   dm = dk' K^-1 (z - M beta) + dm(x)' beta
//   dC = dc0 - 2 dk' K^-1 k + 2 e' de,   de = T^-T dm(x) - U' W dk
//   ds = s dC / (2 C)
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/factor/factor.hpp"
#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "btg/node/predict.hpp"

namespace btg {

// Derivatives for the points of a block along one direction.
struct PointSlopes {
  Eigen::MatrixXd residual;  // of k' K^-1 (z - M beta): fits x points
  Eigen::MatrixXd trend;     // of m(x) in the trend's basis: points x p
  Eigen::VectorXd variance;  // of C
};

// Slopes in each input. Columns are the residuals of the fits, then the trend directions.
CrossSlopes slopes_of_inputs(const PredictingNode& ready, const std::vector<PredictingFit>& fits,
                             const Eigen::MatrixXd& inputs);

// `block` and `by_input` are the results of cross_points and slopes_of_inputs at `points`.
PointSlopes point_slopes(const Model& model, const PredictingNode& ready, const double* eta,
                         const Points& points, const CrossPoints& block,
                         const CrossSlopes& by_input, const Direction& along);

// For fit i of the node.
Eigen::VectorXd location_slope(const PointSlopes& slopes, const PredictingFit& fit, Eigen::Index i);

Eigen::VectorXd scale_slope(const CrossPoints& block, const PointSlopes& slopes,
                            const Eigen::VectorXd& scale);

}  // namespace btg
