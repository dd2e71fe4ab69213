// One value of the kernel and noise hyperparameters. K is factored once and then serves any number
// of transformed responses z and new points. Everything is whitened by W of factor.hpp, W'W = K^-1.
// The trend is M = B R of trend.hpp:
//
//   W B = U T                      (U orthonormal, T triangular p x p)
//   residual = (I - U U') W z,  q = |residual|^2,  T beta = U' W z   (beta of B's columns)
//
// With weights, K = R + diag(v / w). If rows share a site, all matrices are those of the sites, and
// q and log|K| have extra terms (see sites.hpp).
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>

#include "btg/factor/factor.hpp"
#include "btg/model/likelihood.hpp"
#include "btg/model/model.hpp"

namespace btg {

struct KernelNode {
  std::shared_ptr<const Factor> factor;
  Eigen::MatrixXd trend_directions;  // U
  Eigen::MatrixXd trend_triangle;    // T
  Eigen::VectorXd noise;             // v at each site, for a row of weight 1
  double half_log_det_kernel = 0.0;  // 1/2 log|K|
  double half_log_det = 0.0;         // 1/2 log|K| + 1/2 log|M' K^-1 M|
};

// The fit to z at the node, with beta and tau integrated out.
struct LatentFit {
  Eigen::VectorXd coefficients;  // beta
  Eigen::VectorXd residual;      // W (z - M beta)
  Eigen::VectorXd within;        // sum of squares within each site divided by its noise, or empty
  double q = 0.0;
  double total = 0.0;  // z' K^-1 z; q is the part that the trend does not explain
  double rows = 0.0;   // n
};

// Returns nothing if K is not positive definite to rounding, which the noise's floor prevents.
std::optional<KernelNode> kernel_node(const Model& model, const double* eta);

LatentFit fit_latent(const Model& model, const KernelNode& node, const Eigen::VectorXd& z);

// log p(y | eta) = -1/2 log|K| - 1/2 log|A| - (n-p)/2 log q + (1 - p/n) log J, up to a constant, or
// the profile of likelihood.hpp, with the last term given: see JacobianTerm. Returns
// -Inf if z is not finite or lies in the trend to rounding, because the density of an exact fit is
// unbounded and meaningless.
double log_marginal(const KernelNode& node, const LatentFit& fit, double jacobian_term,
                    Likelihood likelihood);

}  // namespace btg
