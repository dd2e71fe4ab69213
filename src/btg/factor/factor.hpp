// What the model asks of the covariance of its sites, K = R + diag(noise), whichever way K is
// held. W is any matrix with W'W = K^-1: "whitened" means multiplied by it. Nothing outside of an
// implementation knows more of W than that.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/base/parallel.hpp"
#include "btg/compute/compute.hpp"
#include "btg/factor/covariance.hpp"

namespace btg {

// Of F = -1/2 log|K| - 1/2 sum_c b_c' K^-1 b_c with the columns b_c held.
struct CovarianceGradient {
  Eigen::VectorXd log_length_scales;  // one per column of the inputs
  Eigen::VectorXd log_parameters;     // the kernel's own
  Eigen::VectorXd noise;              // of each site
};

// New points x, with correlations k to the sites and R** to each other.
class CrossTerms {
 public:
  virtual ~CrossTerms() = default;
  virtual Eigen::VectorXd explained() const = 0;  // k' K^-1 k of each point
  // k' K^-1 b of each point, from W b as Factor::prepare makes it.
  virtual Eigen::VectorXd times(const Eigen::VectorXd& prepared) const = 0;
  // The same for several b: columns x points.
  virtual Eigen::MatrixXd transposed_times(const Eigen::MatrixXd& prepared) const = 0;
  virtual Eigen::MatrixXd covariance() const = 0;  // R** - k' K^-1 k, its lower triangle
};

// Derivatives of what CrossTerms say of new points, in each column of the inputs.
struct CrossSlopes {
  Eigen::MatrixXd explained;           // of k' K^-1 k: points x inputs
  std::vector<Eigen::MatrixXd> times;  // of k' K^-1 b: columns x points for each input
};

// G = (I - U U') W for an orthonormal U whose columns are whitened: Q = G'G is what the model
// without a trend has K^-1 for. Sites are numbered from 0.
class ProjectedRoot {
 public:
  virtual ~ProjectedRoot() = default;
  virtual double squared_norm(int site) const = 0;  // of G's column: a diagonal element of Q
  // The lower triangle of C'C, where column k of C is weights[k] times column sites[k] of G.
  virtual Eigen::MatrixXd gram(const std::vector<int>& sites,
                               const Eigen::VectorXd& weights) const = 0;
  virtual Eigen::VectorXd combine(const std::vector<int>& sites,
                                  const Eigen::VectorXd& weights) const = 0;     // sum_k of C
  virtual Eigen::VectorXd transposed_times(const Eigen::VectorXd& x) const = 0;  // G' x
};

class Factor {
 public:
  virtual ~Factor() = default;
  virtual double half_log_det() const = 0;                                        // 1/2 log|K|
  virtual Eigen::MatrixXd whiten(const Eigen::MatrixXd& b) const = 0;             // W b
  virtual Eigen::MatrixXd whiten_transposed(const Eigen::MatrixXd& b) const = 0;  // W' b
  // From W b of the columns b.
  virtual CovarianceGradient gradient(const Eigen::MatrixXd& whitened) const = 0;
  virtual std::unique_ptr<const CrossTerms> cross(const Eigen::MatrixXd& points) const = 0;
  // The columns b are prepared.
  virtual CrossSlopes cross_slopes(const Eigen::MatrixXd& /*points*/,
                                   const Eigen::MatrixXd& /*prepared*/) const {
    throw Error("slope", "An approximate covariance has no slopes.");
  }
  // Whitened columns in the form that CrossTerms take: made once for many points.
  virtual Eigen::MatrixXd prepare(const Eigen::MatrixXd& whitened) const { return whitened; }
  virtual std::unique_ptr<const ProjectedRoot> project(const Eigen::MatrixXd& u) const = 0;

  // The same in half of the memory, to be kept, and made for many points from that. Null where
  // there is no other form.
  virtual std::shared_ptr<const Factor> packed() const { return nullptr; }
  virtual std::shared_ptr<const Factor> unpacked() const { return nullptr; }
};

// A way to hold K.
class FactorMethod {
 public:
  virtual ~FactorMethod() = default;
  // Null if K is not positive definite to rounding. `inputs` are sites x columns; `noise` is that
  // of each site.
  virtual std::unique_ptr<const Factor> factor(const Covariance& covariance,
                                               const Eigen::MatrixXd& inputs,
                                               const Eigen::VectorXd& noise,
                                               const Execution& execution) const = 0;

  // Whether a factor uses the threads itself: it is then too large for one to each thread.
  virtual bool threads_within() const { return false; }

  // The bytes of a packed factor of n sites with so many inputs; infinite if one cannot outlive the
  // call that it was made for, as one that uses the threads itself.
  virtual double factor_bytes(double /*n*/, double /*columns*/) const {
    return std::numeric_limits<double>::infinity();
  }
  // Those of what is made once for all factors.
  virtual double shared_bytes() const { return 0.0; }

  // What each step costs with n sites, in floating-point operations.
  virtual double factor_cost(double n) const = 0;
  virtual double cross_cost(double n) const = 0;  // one point
  virtual double project_cost(double n) const = 0;
  // What a likelihood costs that shares the factor of another, as a share of one that does not.
  virtual double shared_cost(double n) const = 0;
  // How many points to take at a time: a few megabytes, and a fraction of a second.
  virtual Eigen::Index points_at_a_time(Eigen::Index n) const = 0;
  // An order of points in which those that share work follow each other.
  virtual std::vector<int> visiting_order(const Eigen::MatrixXd& points) const {
    std::vector<int> order(points.rows());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
};

// A pivot of K of less than this is rounding, where the diagonal of K is of order `scale`.
inline double smallest_pivot(Eigen::Index n, double scale) {
  return 10.0 * static_cast<double>(n) * std::numeric_limits<double>::epsilon() * scale;
}

}  // namespace btg
