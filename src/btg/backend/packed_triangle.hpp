// A triangular factor L packed in panels of rows, and L^-1 B from it.
//
// Each panel holds -L left of its diagonal block, column by column, then the inverse of that block.
// The diagonal blocks themselves follow the last panel. Panels are read in the order of memory, so
// a single column of B runs at the speed of memory. Every element of B sees the same operations in
// the same order for any number of columns, so the result for a column does not depend on the
// others, to the last bit.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <utility>

namespace btg {
namespace eigen {

using Packet = Eigen::internal::packet_traits<double>::type;
constexpr int packet_size = Eigen::internal::packet_traits<double>::size;
constexpr int packets_per_panel = 3;  // with four columns, the sums then fill 12 registers
constexpr int packed_rows = packets_per_panel * packet_size;
constexpr int packed_columns = 4;

// The sums of one column over a panel of rows.
struct PanelSums {
  Packet first, second, third;

  explicit PanelSums(const double* from)
      : first(Eigen::internal::ploadu<Packet>(from)),
        second(Eigen::internal::ploadu<Packet>(from + packet_size)),
        third(Eigen::internal::ploadu<Packet>(from + 2 * packet_size)) {}

  void add(const PanelSums& a, double factor) {
    const Packet x = Eigen::internal::pset1<Packet>(factor);
    first = Eigen::internal::pmadd(a.first, x, first);
    second = Eigen::internal::pmadd(a.second, x, second);
    third = Eigen::internal::pmadd(a.third, x, third);
  }

  void store(double* to) const {
    Eigen::internal::pstoreu(to, first);
    Eigen::internal::pstoreu(to + packet_size, second);
    Eigen::internal::pstoreu(to + 2 * packet_size, third);
  }
};

// C <- C + A B for a panel A with `inner` columns. The columns of C are packed_rows apart.
template <std::size_t... column>
void add_panel(const double* a, const double* b, std::ptrdiff_t b_stride, int inner, double* c,
               std::index_sequence<column...> /*columns*/) {
  PanelSums sums[] = {PanelSums(c + packed_rows * column)...};
  for (int k = 0; k < inner; ++k) {
    const PanelSums of_a(a + static_cast<std::ptrdiff_t>(packed_rows) * k);
    (sums[column].add(of_a, b[b_stride * static_cast<std::ptrdiff_t>(column) + k]), ...);
  }
  (sums[column].store(c + packed_rows * column), ...);
}

// Solves for `count` rows of some columns, from row `first` on, given all rows above.
template <int columns>
void solve_panel(const double* panel, int first, int count, double* b, std::ptrdiff_t stride) {
  constexpr auto each = std::make_index_sequence<columns>();
  double known[packed_rows * columns] = {}, solved[packed_rows * columns] = {};
  for (int j = 0; j < columns; ++j) {
    std::copy_n(b + stride * j + first, count, known + packed_rows * j);
  }
  add_panel(panel, b, stride, first, known, each);
  add_panel(panel + static_cast<std::ptrdiff_t>(packed_rows) * first, known, packed_rows,
            packed_rows, solved, each);
  for (int j = 0; j < columns; ++j) {
    std::copy_n(solved + packed_rows * j, count, b + stride * j + first);
  }
}

// Calls visit(panel, first, count) for each panel of rows; `panel` is its offset.
template <class Visit>
void for_each_packed_panel(int n, Visit visit) {
  std::ptrdiff_t panel = 0;
  for (int first = 0; first < n; first += packed_rows) {
    visit(panel, first, std::min(packed_rows, n - first));
    panel += static_cast<std::ptrdiff_t>(packed_rows) * (first + packed_rows);
  }
}

// The number of doubles in all panels.
inline std::ptrdiff_t panels_size(int n) {
  const std::ptrdiff_t panels = (std::ptrdiff_t{n} + packed_rows - 1) / packed_rows;
  return packed_rows * packed_rows * (panels * (panels + 1) / 2);
}

inline long packed_size(int n) {
  return static_cast<long>(panels_size(n) + static_cast<std::ptrdiff_t>(packed_rows) * n);
}

using PackedPanel = Eigen::Matrix<double, packed_rows, Eigen::Dynamic>;

inline void pack_lower(const double* l_data, int n, double* packed) {
  const Eigen::Map<const Eigen::MatrixXd> l(l_data, n, n);
  Eigen::Map<PackedPanel> diagonal(packed + panels_size(n), packed_rows, n);
  for_each_packed_panel(n, [&](std::ptrdiff_t offset, int first, int count) {
    Eigen::Map<PackedPanel> panel(packed + offset, packed_rows, first + packed_rows);
    panel.leftCols(first).topRows(count) = -l.block(first, 0, count, first);
    panel.leftCols(first).bottomRows(packed_rows - count).setZero();
    panel.rightCols(packed_rows).setZero();
    for (int j = 0; j < count; ++j) {
      // Solves L x = e_j within the block.
      double* x = &panel(0, first + j);
      x[j] = 1.0;
      for (int k = j; k < count; ++k) {
        const double* column = l.col(first + k).data() + first;
        x[k] /= column[k];
        for (int i = k + 1; i < count; ++i) x[i] -= column[i] * x[k];
      }
    }
    diagonal.middleCols(first, count).topRows(count) = l.block(first, first, count, count);
  });
}

// Restores the lower triangle of L, to the last bit.
inline void unpack_lower(const double* packed, int n, double* l_data) {
  Eigen::Map<Eigen::MatrixXd> l(l_data, n, n);
  const Eigen::Map<const PackedPanel> diagonal(packed + panels_size(n), packed_rows, n);
  for_each_packed_panel(n, [&](std::ptrdiff_t offset, int first, int count) {
    const Eigen::Map<const PackedPanel> panel(packed + offset, packed_rows, first + packed_rows);
    l.block(first, 0, count, first) = -panel.topLeftCorner(count, first);
    l.block(first, first, count, count) = diagonal.middleCols(first, count).topRows(count);
  });
}

// b <- L^-1 b. Panels are the outer loop, so that each stays in the cache for all columns.
inline void solve_packed(const double* packed, int n, double* b, int columns) {
  for_each_packed_panel(n, [&](std::ptrdiff_t panel, int first, int count) {
    int j = 0;
    for (; j + packed_columns <= columns; j += packed_columns) {
      solve_panel<packed_columns>(packed + panel, first, count,
                                  b + static_cast<std::ptrdiff_t>(n) * j, n);
    }
    for (; j < columns; ++j) {
      solve_panel<1>(packed + panel, first, count, b + static_cast<std::ptrdiff_t>(n) * j, n);
    }
  });
}

}  // namespace eigen
}  // namespace btg
