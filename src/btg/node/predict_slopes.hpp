// Derivatives of the predictive location and scale of predict.hpp along directions of the points.
// With e = T^-T u, of which C has the square:
//
//   dm = dk' K^-1 (z - M beta) + dm(x)' beta
//   dC = dc0 - 2 dk' K^-1 k + 2 e' de,   de = T^-T dm(x) - U' W dk
//   ds = s dC / (2 C)
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "btg/node/predict.hpp"

namespace btg {

// Of the points of a block along one direction.
struct BlockSlopes {
  Eigen::MatrixXd residual;  // of k' K^-1 (z - M beta): fits x points
  Eigen::MatrixXd trend;     // of m(x) in the trend's basis: points x p
  Eigen::VectorXd variance;  // of C
};

// The columns of `prepared` are those of the fits' residuals, then the trend's directions.
inline CrossSlopes slopes_of_inputs(const PredictingNode& ready,
                                    const std::vector<PredictingFit>& fits,
                                    const Eigen::MatrixXd& inputs) {
  const Eigen::Index count = static_cast<Eigen::Index>(fits.size());
  Eigen::MatrixXd prepared(ready.trend_directions.rows(), count + ready.trend_directions.cols());
  for (Eigen::Index i = 0; i < count; ++i) prepared.col(i) = fits[i].residual;
  prepared.rightCols(ready.trend_directions.cols()) = ready.trend_directions;
  return ready.node.factor->cross_slopes(inputs, prepared);
}

// `by_input` are the slopes of slopes_of_inputs at the points of the block.
inline BlockSlopes block_slopes(const Model& model, const PredictingNode& ready, const double* eta,
                                const CrossBlock& block, const CrossSlopes& by_input,
                                const Direction& along) {
  const Eigen::Index points = along.inputs.rows(), p = block.trend.cols();
  const Eigen::Index columns = by_input.times.front().rows();
  Eigen::MatrixXd times = Eigen::MatrixXd::Zero(columns, points);
  Eigen::VectorXd explained = Eigen::VectorXd::Zero(points);
  for (Eigen::Index k = 0; k < along.inputs.cols(); ++k) {
    times += by_input.times[k] * along.inputs.col(k).asDiagonal();
    explained += by_input.explained.col(k).cwiseProduct(along.inputs.col(k));
  }
  BlockSlopes slopes;
  slopes.residual = times.topRows(columns - p);
  slopes.trend = model.trend.to_basis(along.trend);
  Eigen::MatrixXd de = slopes.trend.transpose();
  ready.node.trend_triangle.transpose().triangularView<Eigen::Lower>().solveInPlace(de);
  de -= times.bottomRows(p);
  const Eigen::VectorXd noise = block.noise.cwiseProduct(
      model.noise.log_slope_at(along.noise_columns, points, model.noise_parameters(eta)));
  slopes.variance =
      noise - explained + 2.0 * block.trend_error.cwiseProduct(de).colwise().sum().transpose();
  // Where C is the least that rounding leaves it stays that.
  const Eigen::ArrayXd least = 2e-14 * (1.0 + block.noise.array());
  slopes.variance = (block.variance.array() > least).select(slopes.variance, 0.0);
  return slopes;
}

// Of fit i of the node.
inline Eigen::VectorXd location_slope(const BlockSlopes& slopes, const PredictingFit& fit,
                                      Eigen::Index i) {
  return slopes.residual.row(i).transpose() + slopes.trend * fit.coefficients;
}

inline Eigen::VectorXd scale_slope(const CrossBlock& block, const BlockSlopes& slopes,
                                   const Eigen::VectorXd& scale) {
  return 0.5 * scale.array() * slopes.variance.array() / block.variance.array();
}

}  // namespace btg
