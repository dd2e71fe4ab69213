#include "left_out_refits.hpp"

#include <cmath>
#include <set>

namespace refits {

Refit::Refit(const RandomModel& problem, const VectorXd& eta, const std::vector<int>& out,
             bool observation) {
  const btg::Model& model = problem.model;
  const double* lambda = model.lambda(eta.data());
  const double noise = eta[problem.noise_index()] + model.noise.floor();
  const MatrixXd correlation = problem.correlation(model.inputs, eta);
  const std::set<int> left_out(out.begin(), out.end());
  std::vector<int> kept;
  for (int i = 0; i < model.response.size(); ++i) {
    if (!left_out.count(i)) kept.push_back(i);
  }
  const int n = int(kept.size());
  MatrixXd k(n, n), m(n, problem.trend.cols());
  VectorXd z(n);
  double log_jacobian = 0.0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) k(i, j) = correlation(kept[i], kept[j]);
    k(i, i) += noise;
    m.row(i) = problem.trend.row(kept[i]);
    z[i] = model.transform.forward(model.response[kept[i]], lambda);
    log_jacobian += model.transform.log_derivative(model.response[kept[i]], lambda);
  }
  const NaiveFit fit(k, m, z);
  log_marginal = fit.log_marginal(log_jacobian);
  for (int row : out) {
    VectorXd cross(n);
    for (int i = 0; i < n; ++i) cross[i] = correlation(kept[i], row);
    const VectorXd trend = problem.trend.row(row);
    location.push_back(fit.location(cross, trend));
    scale.push_back(fit.scale(cross, trend, observation ? 1 + noise : 1));
  }
}

namespace {

double larger(double a, double b) { return a >= b ? a : b; }  // b if it is NaN

}  // namespace

Errors errors(const RandomModel& problem, const VectorXd& eta, const Folds& folds,
              const LeftOut& left_out, int node, bool observation) {
  Errors result;
  for (int fold = 0; fold < folds.count(); ++fold) {
    if (left_out.status[fold] != FoldStatus::predicted) continue;
    const std::vector<int> rows = folds.rows(fold);
    const Refit refit(problem, eta, rows, observation);
    result.log_marginal = larger(result.log_marginal,
                                 std::abs(left_out.log_marginal(node, fold) - refit.log_marginal));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double size = std::fmax(std::abs(refit.location[k]), refit.scale[k]);
      result.location = larger(
          result.location, std::abs(left_out.location(node, rows[k]) - refit.location[k]) / size);
      result.scale =
          larger(result.scale, std::abs(left_out.scale(node, rows[k]) / refit.scale[k] - 1));
    }
  }
  return result;
}

void check_errors(const Errors& e, double tolerance) {
  CHECK_CLOSE(e.location / tolerance, 0, 1);
  CHECK_CLOSE(e.scale / tolerance, 0, 1);
  CHECK_CLOSE(e.log_marginal / tolerance, 0, 1);
}

RandomModel random_problem_of(Random& random, const btg_compute::Kernel& kernel, int n, int p,
                              const std::vector<std::string>& transform) {
  RandomModel problem = problems::random_model(random, kernel, btg::Form::radial, transform, p);
  problem.trend = random.polynomial_trend(n, p);
  problem.model.trend = btg::Trend(problem.trend);
  problem.model.inputs = random.matrix(n, 3);
  problem.model.response = random.matrix(n, 1, 0.4, 4);
  return problem;
}

MatrixXd columns(const std::vector<VectorXd>& etas) {
  MatrixXd result(etas[0].size(), etas.size());
  for (std::size_t i = 0; i < etas.size(); ++i) result.col(i) = etas[i];
  return result;
}

}  // namespace refits
