#include "btg/node/completion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "btg/base/select_rows.hpp"
#include "btg/compute/compute.hpp"
#include "btg/model/latent_response.hpp"
#include "btg/model/subset.hpp"
#include "btg/numerics/box_probability.hpp"

namespace btg {

namespace {

void fill_upper(Eigen::MatrixXd& lower) {
  lower.triangularView<Eigen::StrictlyUpper>() = lower.transpose();
}

// Chooses p rows that determine the trend well, of short limits if possible, by pivoting: indices
// among the censored rows.
std::vector<int> choose_free(const Model& model) {
  const Eigen::MatrixXd& basis = model.trend.basis();
  Eigen::MatrixXd m(model.censored.count(), basis.cols());
  for (int k = 0; k < model.censored.count(); ++k) {
    const double width = model.censored.upper()[k] - model.censored.lower()[k];
    m.row(k) = basis.row(model.sites.of_row(model.censored.rows()[k])) / width;
  }
  std::vector<int> chosen;
  for (Eigen::Index j = 0; j < basis.cols(); ++j) {
    Eigen::Index best = 0;
    m.rowwise().squaredNorm().maxCoeff(&best);
    chosen.push_back(static_cast<int>(best));
    const Eigen::RowVectorXd direction = m.row(best).normalized();
    m -= (m * direction.transpose()) * direction;
  }
  return chosen;
}

// (LL')^-1
Eigen::MatrixXd inverse_of(const Model& model, const Eigen::MatrixXd& l) {
  Eigen::MatrixXd inverse(l.rows(), l.rows());
  model.compute->inverse(l.data(), static_cast<int>(l.rows()), inverse.data());
  fill_upper(inverse);
  return inverse;
}

Eigen::MatrixXd select_block(const Eigen::MatrixXd& from, const std::vector<int>& rows,
                             const std::vector<int>& columns) {
  Eigen::MatrixXd block(rows.size(), columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      block(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(k)) = from(rows[j], columns[k]);
    }
  }
  return block;
}

}  // namespace

CensoredRows::CensoredRows(const Model& model, const KernelNode& node) : fold{{}, {0}} {
  const std::vector<int>& rows = model.censored.rows();
  const bool none_exact = model.exact_count() == 0;
  if (none_exact) free = choose_free(model);
  for (int k = 0; k < model.censored.count(); ++k) {
    if (std::find(free.begin(), free.end(), k) == free.end()) others.push_back(k);
  }
  for (const int k : others) fold.order.push_back(rows[k]);
  fold.first.push_back(static_cast<int>(others.size()));
  factors = leave_out_factors(model, node, fold, {FoldStatus::predicted});
  usable = std::isfinite(factors.half_log_det[0]);
  if (!usable) return;
  if (others.size() == 1) {
    covariance.setConstant(1, 1, factors.variance[0]);
    precision = covariance.cwiseInverse();
  } else {
    const Eigen::MatrixXd& l = factors.factors[0];
    precision.noalias() = l.triangularView<Eigen::Lower>() *
                          Eigen::MatrixXd(l.triangularView<Eigen::Lower>()).transpose();
    covariance = inverse_of(model, l);
  }
  if (!none_exact) return;
  const std::unique_ptr<const ProjectedRoot> root =
      node.factor->project_some(node.trend_directions, sites_of(model, rows));
  precision = left_out_block(model, node, *root, rows);
  fill_upper(precision);
  weights = -covariance * select_block(precision, others, free);
}

namespace {

// The law of the rows c given the exact ones, before their limits are known.
struct Given {
  double log_marginal;  // of the exact rows
  Eigen::VectorXd centre;
  double unit;
};

Given given_exact(const Model& model, const KernelNode& node, const CensoredRows& rows,
                  const LatentResponse& response) {
  const double nu = model.degrees_of_freedom() - static_cast<double>(model.censored.count());
  const LatentFit fit = fit_latent(model, node, response.z);
  const LeaveOutFit left = leave_out_fit(model, node, rows.factors, fit, rows.fold, response.z,
                                         response.log_derivative, true);
  JacobianTerm without(model, response.log_derivative);
  const double jacobian = without.value();
  for (const int row : model.censored.rows()) without.leave_out(row);
  return {left.log_marginal[0] + jacobian - without.value(),
          select_rows(left.location, model.censored.rows()), std::sqrt(left.q[0] / nu)};
}

}  // namespace

Completion complete(const Model& model, const KernelNode& node, const CensoredRows& rows,
                    const double* eta, const Eigen::MatrixXd& points) {
  const double impossible = -std::numeric_limits<double>::infinity();
  const LatentResponse response = exact_response(model, eta);
  Completion result{impossible, 0.0, response.z, {}, {}};
  if (!rows.usable || !response.z.allFinite()) return result;
  const Censored::Limits limits = model.censored.latent_limits(model.transform, model.lambda(eta));
  Given given{-node.half_log_det - rows.factors.half_log_det[0] +
                  JacobianTerm(model, response.log_derivative).value(),
              Eigen::VectorXd::Zero(model.censored.count()), 1.0};
  BoxDraws box;
  if (model.exact_count() > 0) {
    given = given_exact(model, node, rows, response);
    if (!std::isfinite(given.log_marginal)) return result;
    const double nu = model.degrees_of_freedom() - static_cast<double>(model.censored.count());
    box = box_probability(*model.compute, {rows.precision, rows.covariance},
                          {(limits.lower - given.centre) / given.unit,
                           (limits.upper - given.centre) / given.unit, nu},
                          points);
  } else {
    box = free_box_integral(*model.compute,
                            {rows.precision, rows.free, rows.others, rows.weights, rows.covariance},
                            {limits.lower, limits.upper, 0.0}, points);
  }
  result.log_marginal = given.log_marginal + box.log_probability;
  result.standard_error = box.standard_error;
  if (!std::isfinite(result.log_marginal)) {
    result.log_marginal = impossible;
    return result;
  }
  result.latent = (given.unit * box.draws).colwise() + given.centre;
  // Rounding must not move a draw outside its limits.
  for (Eigen::Index k = 0; k < result.latent.rows(); ++k) {
    result.latent.row(k) = result.latent.row(k).cwiseMax(limits.lower[k]).cwiseMin(limits.upper[k]);
  }
  result.weights = box.weights;
  return result;
}

}  // namespace btg
