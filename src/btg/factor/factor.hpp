// The interface to the covariance of the sites, K = R + diag(noise), however it is represented; R
// is a sum of terms as in covariance.hpp. W is any matrix with W'W = K^-1; "whitened" means
// multiplied by W. Code outside the implementations may use no other property of W.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/base/parallel.hpp"
#include "btg/compute/compute.hpp"
#include "btg/factor/covariance.hpp"
#include "btg/factor/site_groups.hpp"

namespace btg {

// Gradient of F = -1/2 log|K| - 1/2 sum_c b_c' K^-1 b_c for fixed columns b_c.
struct CovarianceGradient {
  Eigen::VectorXd log_length_scales;  // one per column of the inputs
  Eigen::VectorXd log_parameters;     // kernel parameters
  Eigen::VectorXd log_shares;         // of the terms, as if they were free
  Eigen::VectorXd noise;              // at each site
  Eigen::VectorXd maps = {};          // parameters of the input maps
};

// Splits derivatives in the order of `covariance`.
inline CovarianceGradient split_slopes(const Covariance& covariance, const Eigen::VectorXd& slopes,
                                       Eigen::VectorXd noise) {
  const Eigen::Index d = covariance.columns(), terms = covariance.first_map();
  return {slopes.head(d), slopes.segment(d, covariance.parameter_count()),
          slopes.segment(covariance.first_share(), terms - covariance.first_share()),
          std::move(noise), slopes.tail(slopes.size() - terms)};
}

// The terms of the process that new points are about; empty if all.
using KeptTerms = std::vector<bool>;

// New points x, with covariances k to the sites and R** among themselves, of the process or of some
// of its terms.
class CrossTerms {
 public:
  virtual ~CrossTerms() = default;
  virtual Eigen::VectorXd prior() const = 0;      // R(x, x) of each point
  virtual Eigen::VectorXd explained() const = 0;  // k' K^-1 k of each point
  // k' K^-1 b for each point, from W b in the form that Factor::prepare returns.
  virtual Eigen::VectorXd times(const Eigen::VectorXd& prepared) const = 0;
  // The same for several b: columns x points.
  virtual Eigen::MatrixXd transposed_times(const Eigen::MatrixXd& prepared) const = 0;
  virtual Eigen::MatrixXd covariance() const = 0;  // R** - k' K^-1 k, its lower triangle
  // Whether covariance_columns() costs less than all columns.
  virtual bool has_columns() const { return false; }
  // The columns of R** - k' K^-1 k that belong to some points.
  virtual Eigen::MatrixXd covariance_columns(const std::vector<int>& some) const {
    const Eigen::MatrixXd all = covariance().selfadjointView<Eigen::Lower>();
    Eigen::MatrixXd columns(all.rows(), static_cast<Eigen::Index>(some.size()));
    for (std::size_t k = 0; k < some.size(); ++k) columns.col(k) = all.col(some[k]);
    return columns;
  }
};

// Derivatives of the CrossTerms of new points in each input column.
struct CrossSlopes {
  Eigen::MatrixXd prior;               // of R(x, x): points x inputs
  Eigen::MatrixXd explained;           // of k' K^-1 k: points x inputs
  std::vector<Eigen::MatrixXd> times;  // of k' K^-1 b: columns x points for each input
};

// For the variance of the process's derivatives at new points.
struct WhitenedSlopes {
  Eigen::MatrixXd prior;                    // covariance of the derivatives in all inputs
  std::vector<Eigen::MatrixXd> of_columns;  // W dk: sites x points for each input
  // If not empty, columns whose squares count negatively: |W dk|^2 is then a difference.
  std::vector<Eigen::MatrixXd> errors = {};
};

// G = (I - U U') W for an orthonormal U of whitened columns. Q = G'G takes the place of K^-1 once
// the trend is projected out. Sites are numbered from 0.
class ProjectedRoot {
 public:
  virtual ~ProjectedRoot() = default;
  virtual double squared_norm(int site) const = 0;  // of a column of G: a diagonal element of Q
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
  // `whitened` is W b for the columns b.
  virtual CovarianceGradient gradient(const Eigen::MatrixXd& whitened) const = 0;
  // `groups` are those that FactorMethod::groups_of returns for the points; if empty, they are made
  // here.
  virtual std::unique_ptr<const CrossTerms> cross(const Eigen::MatrixXd& points,
                                                  const KeptTerms& kept,
                                                  const SiteGroups& groups) const = 0;
  // `prepared` is as in CrossTerms.
  virtual CrossSlopes cross_slopes(const Eigen::MatrixXd& points, const KeptTerms& kept,
                                   const Eigen::MatrixXd& prepared) const = 0;
  virtual WhitenedSlopes whitened_slopes(const Eigen::MatrixXd& points,
                                         const KeptTerms& kept) const = 0;
  // Converts whitened columns to the form that CrossTerms uses, once for many points.
  virtual Eigen::MatrixXd prepare(const Eigen::MatrixXd& whitened) const { return whitened; }
  virtual std::unique_ptr<const ProjectedRoot> project(const Eigen::MatrixXd& u) const = 0;
  // Does the same for the columns of some sites only, if that costs less. Others are then
  // undefined.
  virtual std::unique_ptr<const ProjectedRoot> project_some(
      const Eigen::MatrixXd& u, const std::vector<int>& /*sites*/) const {
    return project(u);
  }

  // Converts to a form of half the size or less, for storage and predictions, and back. Null if
  // there is no other form.
  virtual std::shared_ptr<const Factor> packed() const { return nullptr; }
  virtual std::shared_ptr<const Factor> unpacked() const { return nullptr; }
  // The form in which slopes cost least; null if it is this one.
  virtual std::shared_ptr<const Factor> for_slopes() const { return unpacked(); }

  // Sets how the next call runs, for a factor that uses the threads itself and is cached.
  virtual void run_by(const Execution& /*execution*/) const {}
};

// A representation of K.
class FactorMethod {
 public:
  virtual ~FactorMethod() = default;
  // Returns null if K is not positive definite to rounding. `inputs` are sites x columns; `noise`
  // has one element per site.
  virtual std::unique_ptr<const Factor> factor(const Covariance& covariance,
                                               const Eigen::MatrixXd& inputs,
                                               const Eigen::VectorXd& noise,
                                               const Execution& execution) const = 0;

  // Whether a factor uses all threads itself, because it is too large to have one per thread.
  virtual bool threads_within() const { return false; }

  // Bytes of a packed factor of n sites and this many inputs. Infinite if a factor cannot outlive
  // the call it was made for.
  virtual double factor_bytes(double /*n*/, double /*columns*/) const {
    return std::numeric_limits<double>::infinity();
  }
  // Bytes that all factors share.
  virtual double shared_bytes() const { return 0.0; }

  // Costs with n sites, in floating-point operations.
  virtual double factor_cost(double n) const = 0;
  virtual double cross_cost(double n) const = 0;  // per point
  virtual double project_cost(double n) const = 0;
  // Cost of a likelihood that reuses another's factor, relative to one that does not.
  virtual double shared_cost(double n) const = 0;
  // Number of points per batch, for a few megabytes and a fraction of a second.
  virtual Eigen::Index points_at_a_time(Eigen::Index n) const = 0;
  // Orders points so that those sharing work are adjacent.
  virtual std::vector<int> visiting_order(const Eigen::MatrixXd& points) const {
    std::vector<int> order(points.rows());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  // Groups points by the sites that they are predicted from, for Factor::cross of any factor.
  // Empty if all points are predicted from all sites.
  virtual SiteGroups groups_of(const Eigen::MatrixXd& /*points*/) const { return {}; }
};

// Pivots of K below this are rounding error, for a diagonal of K of order `scale`.
inline double smallest_pivot(Eigen::Index n, double scale) {
  return 10.0 * static_cast<double>(n) * std::numeric_limits<double>::epsilon() * scale;
}

}  // namespace btg
