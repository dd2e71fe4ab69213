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
  Eigen::VectorXd process;   // of C without the noise
  Eigen::MatrixXd error;     // de, p x points
};

// Slopes in each input. Columns are the residuals of the fits, then the trend directions.
CrossSlopes slopes_of_inputs(const PredictingNode& ready, const std::vector<PredictingFit>& fits,
                             const Eigen::MatrixXd& inputs, const KeptTerms& kept);

// `block` and `by_input` are the results of cross_points and slopes_of_inputs at `points`.
PointSlopes point_slopes(const Model& model, const PredictingNode& ready, const double* eta,
                         const Points& points, const CrossPoints& block,
                         const CrossSlopes& by_input, const Direction& along);

// For fit i of the node.
Eigen::VectorXd location_slope(const PointSlopes& slopes, const PredictingFit& fit, Eigen::Index i);

// The posterior variance of the process's derivative, relative to the scale of the process:
//
//   sum_k prior_k dx_k^2 - |W dk|^2 + |de|^2
Eigen::VectorXd derivative_variance(const WhitenedSlopes& whitened, const PointSlopes& slopes,
                                    const Direction& along);

Eigen::VectorXd scale_slope(const CrossPoints& block, const PointSlopes& slopes,
                            const Eigen::VectorXd& scale);

}  // namespace btg
