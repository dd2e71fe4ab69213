#include "btg/node/predict_slopes.hpp"

#include <cstddef>

namespace btg {

CrossSlopes slopes_of_inputs(const PredictingNode& ready, const std::vector<PredictingFit>& fits,
                             const Eigen::MatrixXd& inputs, const KeptTerms& kept) {
  const Eigen::Index count = static_cast<Eigen::Index>(fits.size());
  Eigen::MatrixXd prepared(ready.trend_directions.rows(), count + ready.trend_directions.cols());
  for (Eigen::Index i = 0; i < count; ++i) prepared.col(i) = fits[i].residual;
  prepared.rightCols(ready.trend_directions.cols()) = ready.trend_directions;
  return ready.node.factor->cross_slopes(inputs, kept, prepared);
}

PointSlopes point_slopes(const Model& model, const PredictingNode& ready, const double* eta,
                         const Points& points, const CrossPoints& block,
                         const CrossSlopes& by_input, const Direction& along) {
  const Eigen::Index count = along.inputs.rows(), p = block.trend.cols();
  const Eigen::Index columns = by_input.times.front().rows();
  Eigen::MatrixXd times = Eigen::MatrixXd::Zero(columns, count);
  Eigen::VectorXd explained = Eigen::VectorXd::Zero(count), prior = explained;
  for (Eigen::Index k = 0; k < along.inputs.cols(); ++k) {
    times += by_input.times[k] * along.inputs.col(k).asDiagonal();
    explained += by_input.explained.col(k).cwiseProduct(along.inputs.col(k));
    prior += by_input.prior.col(k).cwiseProduct(along.inputs.col(k));
  }
  PointSlopes slopes;
  slopes.residual = times.topRows(columns - p);
  slopes.trend = model.trend.to_basis(along.trend);
  Eigen::MatrixXd de = slopes.trend.transpose();
  ready.node.trend_triangle.transpose().triangularView<Eigen::Lower>().solveInPlace(de);
  de -= times.bottomRows(p);
  const Eigen::VectorXd noise =
      model.noise
          .slope_at(points.noise_columns, along.noise_columns, count, model.noise_parameters(eta))
          .cwiseProduct(points.relative_noise);
  slopes.process =
      prior + 2.0 * block.trend_error.cwiseProduct(de).colwise().sum().transpose() - explained;
  slopes.variance = noise + slopes.process;
  slopes.error = de;
  // Where C was raised to the rounding level, its slope is 0.
  const Eigen::ArrayXd least = 2e-14 * (block.prior + block.noise).array();
  slopes.variance = (block.variance.array() > least).select(slopes.variance, 0.0);
  return slopes;
}

Eigen::VectorXd location_slope(const PointSlopes& slopes, const PredictingFit& fit,
                               Eigen::Index i) {
  return slopes.residual.row(i).transpose() + slopes.trend * fit.coefficients;
}

namespace {

// |sum_k columns_k dx_k|^2 of each point.
Eigen::ArrayXd squares_along(const std::vector<Eigen::MatrixXd>& columns, const Direction& along) {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(columns.front().rows(), along.inputs.rows());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    sum += columns[k] * along.inputs.col(static_cast<Eigen::Index>(k)).asDiagonal();
  }
  return sum.colwise().squaredNorm().transpose();
}

}  // namespace

Eigen::VectorXd derivative_variance(const WhitenedSlopes& whitened, const PointSlopes& slopes,
                                    const Direction& along) {
  const Eigen::ArrayXd prior =
      (along.inputs * whitened.prior).cwiseProduct(along.inputs).rowwise().sum().array();
  Eigen::ArrayXd explained = squares_along(whitened.of_columns, along);
  if (!whitened.errors.empty()) explained -= squares_along(whitened.errors, along);
  const Eigen::ArrayXd trend = slopes.error.colwise().squaredNorm().transpose();
  return (prior - explained + trend).max(1e-14 * prior);
}

Eigen::VectorXd scale_slope(const CrossPoints& block, const PointSlopes& slopes,
                            const Eigen::VectorXd& scale) {
  return 0.5 * scale.array() * slopes.variance.array() / block.variance.array();
}

}  // namespace btg
