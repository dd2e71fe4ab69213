// Predictive location and scale at new points for one node:
//
//   m = k' K^-1 (z - M beta) + m(x)' beta
//   C = c0 - k' K^-1 k + u' A^-1 u,   u = m(x) - M' K^-1 k,   A = M' K^-1 M
//   s = sqrt(q C / (n - p)), or sqrt(q C / n) for the profile of likelihood.hpp
//
// with c0 = R(x, x) + v(x) / weight for an observation and c0 = R(x, x) for the noise-free process,
// or for some of its terms: R and k are then those of these terms. With a
// dense factor, a point's result does not depend on the other points of its block, to the last bit.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <utility>

#include "btg/factor/factor.hpp"
#include "btg/model/likelihood.hpp"
#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "btg/node/node.hpp"

namespace btg {

// A node, prepared for many points.
struct PredictingNode {
  explicit PredictingNode(const KernelNode& node_)
      : PredictingNode(node_, node_.factor->prepare(node_.trend_directions)) {}
  PredictingNode(const KernelNode& node_, Eigen::MatrixXd prepared_trend_directions)
      : node(node_), trend_directions(std::move(prepared_trend_directions)) {}
  const KernelNode& node;
  Eigen::MatrixXd trend_directions;  // prepared: see factor.hpp
};

// A fit at the node, prepared for many points.
struct PredictingFit {
  PredictingFit(const KernelNode& node, const LatentFit& fit);
  Eigen::VectorXd residual;  // prepared
  Eigen::VectorXd coefficients;
  double q, rows;
};

// Quantities for a block of points that do not depend on the transform.
struct CrossPoints {
  std::unique_ptr<const CrossTerms> terms;
  Eigen::MatrixXd trend;        // m(x) in the trend's basis, points x p
  Eigen::MatrixXd trend_error;  // T^-T u, p x points: error of the trend coefficients
  Eigen::VectorXd prior;        // R(x, x)
  Eigen::VectorXd noise;        // v(x) / weight, or 0
  Eigen::VectorXd variance;     // C
};

// `eta` is the node's. `groups` are as in Factor::cross.
CrossPoints cross_points(const Model& model, const PredictingNode& ready, const double* eta,
                         const Points& points, const SiteGroups& groups = {});

Eigen::VectorXd predictive_location(const CrossPoints& block, const PredictingFit& fit);

Eigen::VectorXd predictive_scale(const CrossPoints& block, const PredictingFit& fit,
                                 Likelihood likelihood);

// v(x) / weight at the points, or 0 for the noise-free process.
Eigen::VectorXd relative_noise(const Model& model, const double* eta, const Points& points);

// The posterior scale of 1 / tau: variances are relative to it.
double scale_of_process(const PredictingFit& fit, Likelihood likelihood);

// The scale of noise of this relative variance.
Eigen::VectorXd noise_scale(const Eigen::VectorXd& noise, const PredictingFit& fit,
                            Likelihood likelihood);

}  // namespace btg
