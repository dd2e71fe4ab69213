#include "btg/predictive/low_rank_root.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/factor/factor.hpp"

namespace btg {

namespace {

// Points whose covariance is factored completely, which is then fast enough.
constexpr Eigen::Index most_complete = 256;
// A partial factorisation to this share of the points costs about as much as the complete one.
constexpr double most_pivots = 0.35;
// Pivots that are taken at once: enough for fast products of matrices.
constexpr int most_at_once = 64;

// Draws at most `count` different points in proportion to their remaining variance, those with none
// never.
std::vector<int> draw_pivots(const Eigen::VectorXd& residual, double rounding, int count,
                             std::mt19937_64& random) {
  Eigen::VectorXd left = (residual.array() > rounding).select(residual, 0.0);
  std::vector<int> pivots;
  // Systematic sampling spreads the pivots over points that stand in order.
  const double step = left.sum() / count;
  if (!(step > 0.0)) return pivots;
  double next = step * (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53, sum = 0.0;
  for (int i = 0; i < left.size() && static_cast<int>(pivots.size()) < count; ++i) {
    sum += left[i];
    if (!(sum > next)) continue;
    pivots.push_back(i);
    while (next < sum) next += step;
  }
  return pivots;
}

// Columns of C that belong to the pivots, without noise.
Eigen::MatrixXd columns_of(const Model& model, const CrossPoints& cross,
                           const std::vector<int>& pivots) {
  Eigen::MatrixXd columns = cross.terms->covariance_columns(pivots);
  const Eigen::MatrixXd& u = cross.trend_error;
  Eigen::MatrixXd chosen(u.rows(), static_cast<Eigen::Index>(pivots.size()));
  for (std::size_t k = 0; k < pivots.size(); ++k) chosen.col(k) = u.col(pivots[k]);
  const int m = static_cast<int>(columns.rows()), p = static_cast<int>(u.rows());
  if (p > 0) {
    model.compute->add_product(1.0, {u.data(), p, true}, {chosen.data(), p, false}, m, p,
                               static_cast<int>(pivots.size()), columns.data(), m);
  }
  return columns;
}

// Adds columns to the root: (C_J - L L_J') T^-T, where T T' is the block of the pivots.
void add_columns(const Model& model, const CrossPoints& cross, const std::vector<int>& pivots,
                 double rounding, LowRankRoot& root, Eigen::Index& rank) {
  const int m = static_cast<int>(root.residual.size()), b = static_cast<int>(pivots.size());
  Eigen::MatrixXd columns = columns_of(model, cross, pivots);
  Eigen::MatrixXd before(b, rank);
  for (int k = 0; k < b; ++k) before.row(k) = root.columns.row(pivots[k]).head(rank);
  if (rank > 0) {
    model.compute->add_product(-1.0, {root.columns.data(), m, false}, {before.data(), b, true}, m,
                               static_cast<int>(rank), b, columns.data(), m);
  }
  Eigen::MatrixXd block(b, b);
  for (int k = 0; k < b; ++k) block.row(k) = columns.row(pivots[k]);
  for (double times = 1.0;; times *= 100.0) {
    Eigen::MatrixXd triangle = block;
    triangle.diagonal().array() += times * rounding;
    if (model.compute->cholesky(triangle.data(), b) == 0) {
      Eigen::MatrixXd transposed = columns.transpose();
      model.compute->solve_lower(triangle.data(), b, transposed.data(), m);
      root.columns.middleCols(rank, b) = transposed.transpose();
      break;
    }
    if (times > 1e6) throw Error("numerical", "The covariance of the draws could not be factored.");
  }
  root.residual.array() -= root.columns.middleCols(rank, b).rowwise().squaredNorm().array();
  root.residual = root.residual.cwiseMax(0.0);
  rank += b;
}

// The complete factor. The diagonal is raised until C is positive definite to rounding.
LowRankRoot complete_root(const Model& model, const CrossPoints& cross,
                          const Eigen::VectorXd& variance, double rounding) {
  Eigen::MatrixXd c = cross.terms->covariance();
  const int m = static_cast<int>(c.rows());
  model.execution.check();
  c.selfadjointView<Eigen::Lower>().rankUpdate(cross.trend_error.transpose(), 1.0);
  for (const double times : {1.0, 1e2, 1e4, 1e6}) {
    Eigen::MatrixXd factor = c;
    factor.diagonal().array() += times * rounding;
    if (model.compute->cholesky(factor.data(), m) != 0) continue;
    factor.triangularView<Eigen::StrictlyUpper>().setZero();
    const Eigen::VectorXd length = factor.rowwise().norm();
    factor.array().colwise() *= variance.cwiseSqrt().array() / length.array();
    return {factor, Eigen::VectorXd::Zero(m)};
  }
  throw Error("numerical", "The covariance of the draws could not be factored.");
}

}  // namespace

LowRankRoot low_rank_root(const Model& model, const CrossPoints& cross, double share,
                          std::uint64_t seed) {
  const Eigen::VectorXd variance = (cross.variance - cross.noise).cwiseMax(0.0);
  const Eigen::Index m = variance.size();
  const double rounding = smallest_pivot(std::max<Eigen::Index>(m, model.site_count()), 1.0);
  const double least = std::fmax(share * variance.sum(), static_cast<double>(m) * rounding);
  if (m <= most_complete || !cross.terms->has_columns()) {
    return complete_root(model, cross, variance, rounding);
  }
  const Eigen::Index most = static_cast<Eigen::Index>(most_pivots * static_cast<double>(m));
  LowRankRoot root{Eigen::MatrixXd(m, most), variance};
  std::mt19937_64 random(seed);
  Eigen::Index rank = 0;
  while (root.residual.sum() > least) {
    model.execution.check();
    const std::vector<int> pivots = draw_pivots(root.residual, rounding, most_at_once, random);
    if (pivots.empty()) break;
    if (rank + static_cast<Eigen::Index>(pivots.size()) > most) {
      return complete_root(model, cross, variance, rounding);
    }
    add_columns(model, cross, pivots, rounding, root, rank);
  }
  root.columns.conservativeResize(m, rank);
  return root;
}

}  // namespace btg
