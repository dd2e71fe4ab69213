// What the block factor holds of K = V'V + C, C = R - V'V + diag(noise). V = L_u^-1 R_u of r
// inducing sites u, L_u L_u' = R_uu, carries what is common to far sites. C, which has no long
// reach, is whitened block by block: with the neighbours N of earlier blocks and J = (N, b),
//
//   W_b = the last rows of L_J^-1, L_J L_J' = C_JJ,   so that   W_b x_J = L_bb^-1 (x_b - B_b x_N)
//
// with B_b = C_bN C_NN^-1, the whitened conditional residual. W_c of these rows has W_c'W_c = C^-1
// for a C that is exact where blocks have all earlier sites as neighbours.
//
// For n sites with m neighbours in blocks of b, n (r + m + b) numbers are held: V and the W_b, 270
// MB for n = 10^5, r = 200, m = 100, b = 32. W_c V' is as large as V, and made again where it is
// needed.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "btg/base/parallel.hpp"
#include "btg/factor/block_structure.hpp"
#include "btg/factor/factor.hpp"

namespace btg {

// make(i) for i = 0, ..., count - 1 on several threads, and use(i, result) of each in this order,
// on one: sums do not depend on the number of threads. A few results at a time are held.
template <class Make, class Use>
void parallel_in_order(long count, const Execution& execution, Make make, Use use) {
  constexpr long most = 32;
  std::vector<decltype(make(0L))> results(std::min(count, most));
  for (long first = 0; first < count; first += most) {
    const long size = std::min(most, count - first);
    parallel_for(size, execution, [&](long k) { results[k] = make(first + k); });
    for (long k = 0; k < size; ++k) use(first + k, results[k]);
  }
}

// Added to R_uu, so that it has a factor. V is then a little smaller, and C larger: K stays as it
// is.
constexpr double inducing_nugget = 1e-10;

// Everything is in the order of positions, see block_structure.hpp.
struct BlockState {
  using Block = BlockStructure::Block;
  using Piece = BlockStructure::Piece;
  using Rows = Eigen::Map<const Eigen::MatrixXd>;

  std::shared_ptr<const BlockStructure> structure;
  Covariance covariance;
  Execution execution;
  Eigen::MatrixXd points;           // scaled, columns x sites
  Eigen::VectorXd noise;            // of each site
  Eigen::MatrixXd inducing_points;  // scaled, inducing x columns
  Eigen::MatrixXd inducing_root;    // L_u
  Eigen::MatrixXd v;                // inducing x sites
  Eigen::VectorXd rows;             // all W_b', members x sites of the block, one after another
  std::vector<std::ptrdiff_t> first_row;  // where that of each block begins
  Eigen::MatrixXd h_root;                 // L_H, see block_factor.hpp

  const Compute& compute() const { return *covariance.compute; }
  const btg_compute::Kernel& kernel() const { return *covariance.kernel; }
  int size() const { return structure->size(); }
  int inducing() const { return static_cast<int>(inducing_points.rows()); }
  int columns() const { return static_cast<int>(points.rows()); }
  long piece_count() const { return static_cast<long>(structure->pieces().size()); }
  const Piece& piece(long i) const { return structure->pieces()[i]; }
  const Block& block(int b) const { return structure->blocks()[b]; }

  // W_b'
  Rows rows_of(int b) const {
    return {rows.data() + first_row[b], block(b).member_count(), block(b).size()};
  }
};

// Points as the kernel takes them, one a row.
inline Eigen::MatrixXd points_at(const BlockState& state, const int* positions, int count) {
  Eigen::MatrixXd points(count, state.columns());
  for (int k = 0; k < count; ++k) points.row(k) = state.points.col(positions[k]).transpose();
  return points;
}

inline Eigen::MatrixXd v_at(const BlockState& state, const int* positions, int count) {
  Eigen::MatrixXd v(state.inducing(), count);
  for (int k = 0; k < count; ++k) v.col(k) = state.v.col(positions[k]);
  return v;
}

// V at other points, scaled: inducing x points.
inline Eigen::MatrixXd v_of(const BlockState& state, const Eigen::MatrixXd& points) {
  const int r = state.inducing(), count = static_cast<int>(points.rows());
  Eigen::MatrixXd v(r, count);
  if (r == 0) return v;
  state.kernel().cross_correlation(state.inducing_points.data(), r, points.data(), count,
                                   state.columns(), state.covariance.form(), v.data());
  state.compute().solve_lower(state.inducing_root.data(), r, v.data(), count);
  return v;
}

// C of some sites, with its Cholesky factor.
struct ResidualRoot {
  Eigen::MatrixXd points;  // as the kernel takes them
  Eigen::MatrixXd v;
  Eigen::MatrixXd l;  // lower triangle
  bool positive = false;
};

// A pivot of C of less than this is rounding: that of V'V is larger than that of R.
inline double smallest_residual_pivot(const BlockState& state, int count, double noise) {
  const double inexact = state.inducing() > 0 ? 0.1 * inducing_nugget * (1.0 + noise) : 0.0;
  return std::max(smallest_pivot(count, 1.0 + noise), inexact);
}

// `jitter` is added to the noise.
inline ResidualRoot residual_root(const BlockState& state, const int* positions, int count,
                                  double jitter = 0.0) {
  ResidualRoot root;
  root.points = points_at(state, positions, count);
  root.v = v_at(state, positions, count);
  root.l.resize(count, count);
  if (count == 0) {
    root.positive = true;
    return root;
  }
  state.kernel().correlation(root.points.data(), count, state.columns(), state.covariance.form(),
                             root.l.data());
  if (state.inducing() > 0) {
    Eigen::MatrixXd explained(count, count);
    state.compute().gram(root.v.data(), state.inducing(), count, explained.data());
    root.l.triangularView<Eigen::Lower>() -= explained;
  }
  double least_noise = state.noise[positions[0]];
  for (int k = 0; k < count; ++k) {
    root.l(k, k) += state.noise[positions[k]] + jitter;
    least_noise = std::min(least_noise, state.noise[positions[k]]);
  }
  root.positive = state.compute().cholesky(root.l.data(), count) == 0 &&
                  root.l.diagonal().array().square().minCoeff() >
                      smallest_residual_pivot(state, count, least_noise);
  return root;
}

// Values of some sites: positions x columns.
inline Eigen::MatrixXd values_at(const Eigen::MatrixXd& values, const std::vector<int>& positions) {
  Eigen::MatrixXd result(positions.size(), values.cols());
  for (Eigen::Index c = 0; c < values.cols(); ++c) {
    const double* column = values.col(c).data();
    for (std::size_t k = 0; k < positions.size(); ++k) result(k, c) = column[positions[k]];
  }
  return result;
}

}  // namespace btg
