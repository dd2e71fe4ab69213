#include "btg/validation/left_out_intervals.hpp"

#include <cmath>
#include <limits>

#include "btg/base/constants.hpp"
#include "btg/base/select_rows.hpp"
#include "btg/numerics/box_probability.hpp"
#include "btg/numerics/sobol_points.hpp"
#include "btg/numerics/truncated_normal.hpp"

namespace btg {

namespace {

constexpr int points_per_fold = 64;

// log density at x of a t distribution with location 0 and scale matrix q/nu Q^-1, given
// 1/2 log|Q| and x'Q x.
double log_t_density(Eigen::Index size, double half_log_det, double square, double q, double nu) {
  const double d = static_cast<double>(size), pi = std::exp(log_two_pi) / 2.0;
  return std::lgamma(0.5 * (nu + d)) - std::lgamma(0.5 * nu) - 0.5 * d * std::log(pi * q) +
         half_log_det - 0.5 * (nu + d) * std::log1p(square / q);
}

}  // namespace

IntervalFolds::IntervalFolds(const Model& model, const Folds& folds) : rows{{}, {0}} {
  for (int k = 0; k < folds.count(); ++k) {
    const int before = static_cast<int>(rows.order.size());
    for (const int row : folds.rows(k)) {
      if (model.censored.index_of(row) >= 0) rows.order.push_back(row);
    }
    const int size = static_cast<int>(rows.order.size()) - before;
    if (size == 0) continue;
    rows.first.push_back(before + size);
    fold.push_back(k);
    points.push_back(size > 1 ? sobol_points(size + 1, points_per_fold) : Eigen::MatrixXd());
  }
}

LeftOutIntervals::LeftOutIntervals(const Model& model, const KernelNode& node,
                                   const IntervalFolds& folds)
    : model_(model),
      node_(node),
      folds_(folds),
      factors_(
          leave_out_factors(model, node, folds.rows,
                            std::vector<FoldStatus>(folds.fold.size(), FoldStatus::predicted))) {
  for (const Eigen::MatrixXd& factor : factors_.factors) {
    const Eigen::Index size = factor.rows();
    const Eigen::MatrixXd l = factor.triangularView<Eigen::Lower>();
    precisions_.emplace_back(l * l.transpose());
    Eigen::MatrixXd covariance(size, size);
    if (size > 0) {
      model.compute->inverse(l.data(), static_cast<int>(size), covariance.data());
      covariance.triangularView<Eigen::StrictlyUpper>() = covariance.transpose();
    }
    covariances_.push_back(std::move(covariance));
  }
}

void LeftOutIntervals::correct(const double* eta, const LatentFit& fit, const Eigen::VectorXd& z,
                               const Eigen::VectorXd& log_derivative,
                               Eigen::VectorXd& log_marginal) const {
  const LeaveOutFit without =
      leave_out_fit(model_, node_, factors_, fit, folds_.rows, z, log_derivative, true);
  for (std::size_t k = 0; k < folds_.fold.size(); ++k) {
    log_marginal[folds_.fold[k]] += correction(static_cast<int>(k), without, eta, z);
  }
}

double LeftOutIntervals::correction(int interval, const LeaveOutFit& without, const double* eta,
                                    const Eigen::VectorXd& z) const {
  const std::vector<int> rows = folds_.rows.rows(interval);
  const Eigen::Index size = static_cast<Eigen::Index>(rows.size());
  std::vector<int> indices;
  for (const int row : rows) indices.push_back(model_.censored.index_of(row));
  const Censored::Limits limits =
      model_.censored.latent_limits(model_.transform, model_.lambda(eta), indices);
  const double q = without.q[interval], half_log_det = factors_.half_log_det[interval];
  const double nu = model_.degrees_of_freedom() - static_cast<double>(size);
  if (!std::isfinite(q)) return -std::numeric_limits<double>::infinity();
  const Eigen::VectorXd centre = select_rows(without.location, rows);
  const Eigen::VectorXd deviation = select_rows(z, rows) - centre;
  if (size == 1) {
    const double scale = without.scale[rows[0]];
    const double square = q / nu * deviation[0] * deviation[0] / (scale * scale);
    return log_t_density(1, half_log_det, square, q, nu) -
           log_t_mass((limits.lower[0] - centre[0]) / scale, (limits.upper[0] - centre[0]) / scale,
                      nu);
  }
  const Eigen::MatrixXd& precision = precisions_[interval];
  const double unit = std::sqrt(q / nu);
  const BoxDraws box =
      box_probability(*model_.compute, {precision, covariances_[interval]},
                      {(limits.lower - centre) / unit, (limits.upper - centre) / unit, nu},
                      folds_.points[interval]);
  return log_t_density(size, half_log_det, deviation.dot(precision * deviation), q, nu) -
         box.log_probability;
}

}  // namespace btg
