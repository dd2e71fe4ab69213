// The stored parts of K = V'V + C, C = R - V'V + diag(noise). V carries the long-range correlation.
// It has a row for each function of the terms of low rank (low_rank.hpp), which C is then free of,
// below L_u^-1 R_u for the inducing sites u and the R of the other terms, L_u L_u' = R_uu. C is
// short-range and is whitened block by
// block. With the neighbours N in earlier blocks and J = (N, b),
//
//   W_b = the last rows of L_J^-1, L_J L_J' = C_JJ,   so that   W_b x_J = L_bb^-1 (x_b - B_b x_N)
//
// is the whitened conditional residual, B_b = C_bN C_NN^-1. These rows form W_c with
// W_c'W_c = C^-1, exactly if blocks have all earlier sites as neighbours.
//
// For n sites with m neighbours in blocks of b, V and the W_b take n (r + m + b) numbers: 270 MB
// for n = 10^5, r = 200, m = 100, b = 32. W_c V' is as large as V and is recomputed when needed.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "btg/base/parallel.hpp"
#include "btg/compute/compute.hpp"
#include "btg/factor/block_structure.hpp"
#include "btg/factor/covariance.hpp"
#include "btg/factor/factor.hpp"
#include "btg/factor/low_rank.hpp"

namespace btg {

// Runs make(i) for i = 0, ..., count - 1 on several threads, and use(i, result) in this order on
// one, so that sums do not depend on the number of threads. Holds at most `most` results at a time.
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

// Added to R_uu so that it can be factored. V then shrinks and C grows, but K is unchanged.
// Rounding in V also leaves C positive definite, up to rounding of its own size.
inline double inducing_nugget(int r) { return smallest_pivot(r, 2.0); }

// All members are in the order of positions; see block_structure.hpp.
struct BlockState {
  using Block = BlockStructure::Block;
  using Piece = BlockStructure::Piece;
  using Rows = Eigen::Map<const Eigen::MatrixXd>;

  std::shared_ptr<const BlockStructure> structure;
  Covariance covariance;
  mutable Execution execution;            // of the present call: a cached factor has many
  Eigen::MatrixXd points;                 // scaled, columns x sites
  Eigen::VectorXd noise;                  // at each site
  Eigen::MatrixXd inducing_points;        // scaled, inducing sites x columns
  Eigen::MatrixXd inducing_root;          // L_u
  std::vector<LowRankFunction> low_rank;  // the last rows of V
  Eigen::MatrixXd v;                      // inducing x sites
  Eigen::VectorXd rows;                   // all W_b', members x sites of the block, concatenated
  std::vector<std::ptrdiff_t> first_row;  // start of each block in `rows`
  Eigen::MatrixXd h_root;                 // L_H, see block_factor.hpp

  const Compute& compute() const { return *covariance.compute; }
  int size() const { return structure->size(); }
  int inducing() const { return inducing_sites() + static_cast<int>(low_rank.size()); }
  int inducing_sites() const { return static_cast<int>(inducing_points.rows()); }
  // R of the terms that the inducing sites are for.
  Covariance full_rank() const { return covariance.only(full_rank_terms(covariance)); }
  int columns() const { return static_cast<int>(points.rows()); }
  long piece_count() const { return static_cast<long>(structure->pieces().size()); }
  const Piece& piece(long i) const { return structure->pieces()[i]; }
  const Block& block(int b) const { return structure->blocks()[b]; }

  // False for a factor that was packed: it has neither V nor the W_b, but all else.
  bool holds_v() const { return v.cols() > 0; }

  // W_b'
  Rows rows_of(int b) const {
    return {rows.data() + first_row[b], block(b).member_count(), block(b).size()};
  }
};

// V at scaled points of a process with this covariance, such as one term: inducing x points.
void fill_v(const BlockState& state, const Covariance& covariance, const Eigen::MatrixXd& points,
            double* v);

// Fills V, whose size is set, at all points of the state.
void fill_v_at_sites(BlockState& state);

// Reusable memory for one matrix at a time. It only grows, because allocating and freeing hundreds
// of kilobytes costs as much as the computation in them.
class Buffer {
 public:
  Eigen::Map<Eigen::MatrixXd> take(Eigen::Index rows, Eigen::Index columns);
  double* data() { return memory_.data(); }
  const double* data() const { return memory_.data(); }

 private:
  Eigen::VectorXd memory_;
};

// Gathers points as the kernel expects them, one per row.
void gather_points(const BlockState& state, const int* positions, int count, Buffer& buffer);

void gather_v(const BlockState& state, const int* positions, int count, Buffer& buffer);

// C of some sites with its Cholesky factor, points and V. It can be reused.
class ResidualRoot {
 public:
  // Returns false if C is not positive definite to rounding. C is of the first
  // `count` sites; points and V are kept for the first `more`.
  bool make(const BlockState& state, const int* positions, int count, int more);

  const double* points() const { return points_.data(); }  // sites x columns
  const double* v() const { return v_.data(); }            // inducing x sites
  const double* l() const { return l_.data(); }            // lower triangle

 private:
  void correlate(const BlockState& state, int count, int more);

  Buffer points_, some_points_, v_, l_;
};

// Selects values at some positions: positions x columns.
Eigen::MatrixXd values_at(const Eigen::MatrixXd& values, const std::vector<int>& positions);

}  // namespace btg
