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
#include <cstddef>
#include <memory>
#include <vector>

#include "btg/base/parallel.hpp"
#include "btg/compute/compute.hpp"
#include "btg/factor/block_structure.hpp"
#include "btg/factor/covariance.hpp"
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
// is. Rounding in V leaves C positive definite as well, to the rounding of its own size.
inline double inducing_nugget(int r) { return smallest_pivot(r, 2.0); }

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

// V at points, scaled: inducing x points.
void fill_v(const BlockState& state, const Eigen::MatrixXd& points, double* v);

// Memory for one matrix after another, which only grows: to take and to give back some hundred
// kilobytes costs as much as what is done with them.
class Buffer {
 public:
  Eigen::Map<Eigen::MatrixXd> take(Eigen::Index rows, Eigen::Index columns);
  double* data() { return memory_.data(); }
  const double* data() const { return memory_.data(); }

 private:
  Eigen::VectorXd memory_;
};

// Points as the kernel takes them, one a row.
void gather_points(const BlockState& state, const int* positions, int count, Buffer& buffer);

void gather_v(const BlockState& state, const int* positions, int count, Buffer& buffer);

// C of some sites with its Cholesky factor, and what it was made of. One after another may be made.
class ResidualRoot {
 public:
  // False if C is not positive definite to rounding. `jitter` is added to the noise. Of `more`
  // sites, the first of which are those of C, points and V are held.
  bool make(const BlockState& state, const int* positions, int count, int more,
            double jitter = 0.0);

  const double* points() const { return points_.data(); }  // sites x columns
  const double* v() const { return v_.data(); }            // inducing x sites
  const double* l() const { return l_.data(); }            // lower triangle

 private:
  void correlate(const BlockState& state, int count, int more);

  Buffer points_, some_points_, v_, l_;
};

// Values of some sites: positions x columns.
Eigen::MatrixXd values_at(const Eigen::MatrixXd& values, const std::vector<int>& positions);

}  // namespace btg
