#include "btg/quadrature/grids/grid.hpp"

#include <limits>

#include "btg/numerics/normal_points.hpp"

namespace btg {

void CancellingSum::add(double term) {
  sum += term;
  magnitude += std::abs(term);
}

void ProductSum::add(const std::vector<const OneDimensionalRule*>& factors, double coefficient) {
  for_each_product(factors, [&](const std::vector<double>& point, double weight) {
    weights_[point].add(coefficient * weight);
  });
}

Grid ProductSum::grid(int dimension) const {
  Grid result{Eigen::MatrixXd(dimension, weights_.size()), Eigen::VectorXd(weights_.size())};
  Eigen::Index count = 0;
  for (const auto& [point, weight] : weights_) {
    if (weight.is_zero()) continue;
    result.points.col(count) = Eigen::Map<const Eigen::VectorXd>(point.data(), dimension);
    result.weights[count++] = weight.sum;
  }
  result.points.conservativeResize(Eigen::NoChange, count);
  result.weights.conservativeResize(count);
  return result;
}

void set_weights(WeightedPoints& result, const Eigen::VectorXd& weights,
                 const Eigen::VectorXd& log_values) {
  result.log_weights = weights.array().abs().log() + log_values.array();
  if ((weights.array() < 0.0).any()) result.signs = weights.array().sign();
}

WeightedPoints integrate_over_prior(const Target& target, const Grid& cube) {
  const double end = std::numeric_limits<double>::epsilon();
  WeightedPoints result;
  result.points = normal_points(cube.points.cwiseMax(end).cwiseMin(1.0 - end));
  result.log_likelihood = target.log_likelihood(result.points);
  set_weights(result, cube.weights, result.log_likelihood);
  return result;
}

}  // namespace btg
