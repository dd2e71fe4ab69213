#include "btg/predictive/prior_draws.hpp"

#include <cmath>

#include "btg/base/error.hpp"
#include "btg/base/parallel.hpp"
#include "btg/factor/covariance.hpp"
#include "btg/node/predict.hpp"

namespace btg {

namespace {

// z of one draw, divided by s.
Eigen::VectorXd standard_draw(const Model& model, const double* eta, const Points& points,
                              const Eigen::VectorXd& normals) {
  const Covariance covariance = model.covariance(eta);
  const int m = static_cast<int>(points.size());
  const Eigen::MatrixXd x = covariance.scale(points.inputs);
  const Eigen::VectorXd noise = relative_noise(model, eta, points);
  Eigen::MatrixXd c(m, m);
  covariance.correlation(x.data(), m, c.data());
  c.diagonal() += noise;
  const double variance = c.diagonal().mean();
  // Raises the diagonal until C is positive definite to rounding.
  for (double rounding = 1e-13 * m; rounding < 1e-4; rounding *= 100.0) {
    Eigen::MatrixXd factor = c;
    factor.diagonal().array() += rounding * variance;
    if (model.compute->cholesky(factor.data(), m) != 0) continue;
    const Eigen::VectorXd z = factor.triangularView<Eigen::Lower>() * normals;
    return z / std::sqrt(variance);
  }
  throw Error("numerical", "The covariance of the draws could not be factored.");
}

}  // namespace

Eigen::MatrixXd prior_draws(const Model& model, const Eigen::MatrixXd& etas,
                            const Points& data_points, const PriorPlan& plan) {
  const Points points = model.expand(data_points);
  Eigen::MatrixXd draws(plan.normals.rows(), plan.normals.cols());
  if (draws.rows() == 0) return draws;
  parallel_for(static_cast<long>(draws.cols()), model.execution, [&](long k) {
    model.execution.check();
    const double* eta = etas.col(k).data();
    const Eigen::VectorXd z = standard_draw(model, eta, points, plan.normals.col(k));
    for (Eigen::Index i = 0; i < draws.rows(); ++i) {
      draws(i, k) =
          model.transform.inverse(plan.location[k] + plan.scale[k] * z[i], model.lambda(eta));
    }
  });
  return draws;
}

}  // namespace btg
