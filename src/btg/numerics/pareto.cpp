#include "btg/numerics/pareto.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace btg {

namespace {

struct ParetoFit {
  double shape;
  double scale;
};

// Fits a generalised Pareto distribution to exceedances in increasing order, by the empirical Bayes
// estimate of Zhang and Stephens (2009). A prior worth 10 exceedances shrinks the shape towards
// 1/2.
ParetoFit fit_pareto(const std::vector<double>& exceedances) {
  const std::size_t nearest_quarter = (exceedances.size() + 2) / 4;
  const double n = static_cast<double>(exceedances.size());
  const int grid = 30 + static_cast<int>(std::sqrt(n));
  const double quartile = exceedances[nearest_quarter - 1];
  std::vector<double> theta(grid), log_likelihood(grid);
  for (int j = 0; j < grid; ++j) {
    theta[j] = 1.0 / exceedances.back() + (1.0 - std::sqrt(grid / (j + 0.5))) / (3.0 * quartile);
    double shape = 0.0;
    for (const double x : exceedances) shape += std::log1p(-theta[j] * x);
    shape /= n;
    log_likelihood[j] = n * (std::log(-theta[j] / shape) - shape - 1.0);
  }
  const double highest = *std::max_element(log_likelihood.begin(), log_likelihood.end());
  double total = 0.0, mean = 0.0;
  for (int j = 0; j < grid; ++j) {
    const double weight = std::exp(log_likelihood[j] - highest);
    total += weight;
    mean += weight * theta[j];
  }
  mean /= total;
  double shape = 0.0;
  for (const double x : exceedances) shape += std::log1p(-mean * x);
  shape /= n;
  const double scale = -shape / mean;
  return {(shape * n + 0.5 * 10.0) / (n + 10.0), scale};
}

}  // namespace

double smooth_weights(Eigen::VectorXd& log_weights) {
  const Eigen::Index n = log_weights.size();
  const Eigen::Index tail = static_cast<Eigen::Index>(
      std::ceil(std::min(0.2 * static_cast<double>(n), 3.0 * std::sqrt(static_cast<double>(n)))));
  if (tail < 5 || tail >= n) return INFINITY;
  std::vector<Eigen::Index> order(n);
  std::iota(order.begin(), order.end(), Eigen::Index(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return log_weights[a] < log_weights[b]; });
  const double largest = log_weights[order.back()];
  const double cutoff = std::exp(log_weights[order[n - tail - 1]] - largest);
  std::vector<double> exceedances(tail);
  for (Eigen::Index i = 0; i < tail; ++i) {
    exceedances[i] = std::exp(log_weights[order[n - tail + i]] - largest) - cutoff;
  }
  if (!(exceedances.front() > 0.0) || !(exceedances[tail / 4] > 0.0)) return INFINITY;
  const ParetoFit fit = fit_pareto(exceedances);
  if (!std::isfinite(fit.shape) || !(fit.scale > 0.0)) return INFINITY;
  for (Eigen::Index i = 0; i < tail; ++i) {
    const double p = (static_cast<double>(i) + 0.5) / static_cast<double>(tail);
    const double quantile = std::abs(fit.shape) < 1e-10
                                ? -std::log1p(-p)
                                : std::expm1(-fit.shape * std::log1p(-p)) / fit.shape;
    const double smoothed = std::log(cutoff + fit.scale * quantile);
    log_weights[order[n - tail + i]] = largest + std::min(smoothed, 0.0);
  }
  return fit.shape;
}

}  // namespace btg
