#include "btg/node/completion.hpp"

#include <cmath>
#include <limits>

#include "btg/base/select_rows.hpp"
#include "btg/compute/compute.hpp"
#include "btg/model/latent_response.hpp"
#include "btg/numerics/box_probability.hpp"

namespace btg {

namespace {

void fill_upper(Eigen::MatrixXd& lower) {
  lower.triangularView<Eigen::StrictlyUpper>() = lower.transpose();
}

}  // namespace

ConditionalRows::ConditionalRows(const Model& model, const KernelNode& node,
                                 const std::vector<int>& rows)
    : fold{rows, {0, static_cast<int>(rows.size())}},
      factors(leave_out_factors(model, node, fold, {FoldStatus::predicted})),
      usable(std::isfinite(factors.half_log_det[0])) {
  const int size = static_cast<int>(rows.size());
  if (!usable) return;
  if (size == 1) {
    covariance.setConstant(1, 1, factors.variance[0]);
    precision = covariance.cwiseInverse();
    return;
  }
  const Eigen::MatrixXd& l = factors.factors[0];
  precision.noalias() = l.triangularView<Eigen::Lower>() *
                        Eigen::MatrixXd(l.triangularView<Eigen::Lower>()).transpose();
  covariance.resize(size, size);
  model.compute->inverse(l.data(), size, covariance.data());
  fill_upper(covariance);
}

Completion complete(const Model& model, const KernelNode& node, const ConditionalRows& rows,
                    const double* eta, const Eigen::MatrixXd& points) {
  const double impossible = -std::numeric_limits<double>::infinity();
  const LatentResponse response = exact_response(model, eta);
  Completion result{impossible, 0.0, response.z, {}, {}};
  if (!rows.usable || !response.z.allFinite()) return result;
  const LatentFit fit = fit_latent(model, node, response.z);
  const LeaveOutFit given = leave_out_fit(model, node, rows.factors, fit, rows.fold, response.z,
                                          response.log_derivative, true);
  if (!std::isfinite(given.log_marginal[0])) return result;
  const double nu = model.degrees_of_freedom() - static_cast<double>(model.censored.count());
  const Censored::Limits limits = model.censored.latent_limits(model.transform, model.lambda(eta));
  const Eigen::VectorXd centre = select_rows(given.location, model.censored.rows());
  const double unit = std::sqrt(given.q[0] / nu);
  const BoxDraws box =
      box_probability(*model.compute, {rows.precision, rows.covariance},
                      {(limits.lower - centre) / unit, (limits.upper - centre) / unit, nu}, points);
  result.log_marginal = given.log_marginal[0] + box.log_probability;
  result.standard_error = box.standard_error;
  if (!std::isfinite(result.log_marginal)) {
    result.log_marginal = impossible;
    return result;
  }
  result.latent = (unit * box.draws).colwise() + centre;
  // Rounding must not move a draw outside its limits.
  for (Eigen::Index k = 0; k < result.latent.rows(); ++k) {
    result.latent.row(k) = result.latent.row(k).cwiseMax(limits.lower[k]).cwiseMin(limits.upper[k]);
  }
  result.weights = box.weights;
  return result;
}

}  // namespace btg
