// Predictive location and scale at new points, one node:
//
//   m = k' K^-1 (z - M beta) + m(x)' beta
//   C = c0 - k' K^-1 k + u' A^-1 u,   u = m(x) - M' K^-1 k,   A = M' K^-1 M
//   s = sqrt(q C / (n - p)), or sqrt(q C / n) for the profile of likelihood.hpp
//
// with c0 = 1 + v(x) / weight for an observation and 1 for the noise-free process.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <memory>

#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "btg/node/node.hpp"

namespace btg {

// A node, ready for many points.
struct PredictingNode {
  explicit PredictingNode(const KernelNode& node_)
      : node(node_), trend_directions(node_.factor->prepare(node_.trend_directions)) {}
  const KernelNode& node;
  Eigen::MatrixXd trend_directions;  // prepared: see factor.hpp
};

// A fit at the node, ready for many points.
struct PredictingFit {
  PredictingFit(const KernelNode& node, const LatentFit& fit)
      : residual(node.factor->prepare(fit.residual)),
        coefficients(fit.coefficients),
        q(fit.q),
        rows(fit.rows) {}
  Eigen::VectorXd residual;  // prepared
  Eigen::VectorXd coefficients;
  double q, rows;
};

// What a block of points shares between all transforms at the node.
struct CrossBlock {
  std::unique_ptr<const CrossTerms> terms;
  Eigen::MatrixXd trend;        // m(x) in the trend's basis, points x p
  Eigen::MatrixXd trend_error;  // T^-T u, p x points: the error of the trend's coefficients
  Eigen::VectorXd noise;        // v(x) / weight, or 0
  Eigen::VectorXd variance;     // C
};

// `eta` is that of the node.
inline CrossBlock cross_block(const Model& model, const PredictingNode& ready, const double* eta,
                              const Points& points) {
  const KernelNode& node = ready.node;
  CrossBlock block;
  block.terms = node.factor->cross(points.inputs);
  block.trend = model.trend.to_basis(points.trend);

  // A = T'T and M' K^-1 k = T' U' (W k), so u' A^-1 u = |T^-T m(x) - U' W k|^2.
  Eigen::MatrixXd& u = block.trend_error;
  u = block.trend.transpose();
  node.trend_triangle.transpose().triangularView<Eigen::Lower>().solveInPlace(u);
  u -= block.terms->transposed_times(ready.trend_directions);

  block.noise =
      model.noise.variance_at(points.noise_columns, points.size(), model.noise_parameters(eta))
          .cwiseProduct(points.relative_noise);
  const Eigen::ArrayXd c0 = 1.0 + block.noise.array();
  const Eigen::ArrayXd trend_variance = u.colwise().squaredNorm().transpose();
  // C is a difference: at a noise-free datum it is 0 +- rounding.
  block.variance = (c0 - block.terms->explained().array() + trend_variance).max(1e-14 * c0);
  return block;
}

inline Eigen::VectorXd predictive_location(const CrossBlock& block, const PredictingFit& fit) {
  return block.terms->times(fit.residual) + block.trend * fit.coefficients;
}

inline Eigen::VectorXd predictive_scale(const CrossBlock& block, const PredictingFit& fit,
                                        Likelihood likelihood) {
  const double count =
      residual_count(likelihood, fit.rows, static_cast<double>(fit.coefficients.size()));
  return (fit.q / count * block.variance.array()).sqrt();
}

}  // namespace btg
