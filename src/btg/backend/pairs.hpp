// Pairs of rows of one input matrix with a point of another, a panel of rows at a time.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>

#include "btg/compute/compute.hpp"
#include "btg/kernels/kernel.hpp"

namespace btg {

// Number of rows per panel, so that their distances stay in the L1 cache.
constexpr int panel_size = 64;

struct alignas(32) Panel {
  double values[panel_size];
  double* data() { return values; }
  Eigen::Map<Chunk> chunk(int i) { return Eigen::Map<Chunk>(values + i); }
};

// Columns padded with zeros, so that every chunk of rows is complete.
class PaddedColumns {
 public:
  PaddedColumns(const double* x, int n, int columns)
      : rows_(Eigen::MatrixXd::Zero((Eigen::Index{n} + chunk_size - 1) / chunk_size * chunk_size,
                                    columns)) {
    rows_.topRows(n) = Eigen::Map<const Eigen::MatrixXd>(x, n, columns);
  }
  int rows() const { return static_cast<int>(rows_.rows()); }
  int columns() const { return static_cast<int>(rows_.cols()); }
  Chunk chunk(int first, int column) const {
    return rows_.col(column).segment<chunk_size>(first).array();
  }

 private:
  Eigen::MatrixXd rows_;
};

// The rows of a matrix, each stored contiguously.
class PointList {
 public:
  PointList(const double* x, int n, int d)
      : points_(Eigen::Map<const Eigen::MatrixXd>(x, n, d).transpose()) {}
  const double* operator[](int j) const { return points_.col(j).data(); }

 private:
  Eigen::MatrixXd points_;
};

// Rows first, ..., first + count - 1 of x paired with the point y.
struct Pairs {
  const btg_compute::Correlation& how;
  const PaddedColumns& x;
  const double* y;
  int first, count;

  int columns() const { return x.columns() - static_cast<int>(how.grouped); }
  int inputs() const { return how.input_ends ? how.input_count : columns(); }
  // Input j has the columns first_of(j), ..., end_of(j) - 1.
  int first_of(int j) const { return !how.input_ends ? j : j == 0 ? 0 : how.input_ends[j - 1]; }
  int end_of(int j) const { return how.input_ends ? how.input_ends[j] : j + 1; }
  // Places in the sums of a gradient.
  int place_of_parameter(int j) const { return x.columns() + j; }
  int place_of_crossed(int j) const { return x.columns() + how.parameter_count() + j; }
  int place_of_value() const { return place_of_crossed(how.crossed_count); }

  bool holds_levels(int k) const { return how.level_distances && how.level_distances[k] >= 0.0; }

  // The metric: (x_k - y_k)^2, or a constant if two levels differ. A new distance would be defined
  // here.
  Chunk squared_difference(int i, int k) const {
    const Chunk difference = x.chunk(first + i, k) - y[k];
    if (holds_levels(k)) {
      return (difference != 0.0).select(Chunk::Constant(how.level_distances[k]), Chunk::Zero());
    }
    return difference.square();
  }
  // -1/2 d squared_difference / dy_k. Levels have no derivative, for which 0 stands.
  Chunk difference(int i, int k) const {
    if (holds_levels(k)) return Chunk::Zero();
    return x.chunk(first + i, k) - y[k];
  }

  void squared_differences(int k, Panel& out) const {
    for (int i = 0; i < count; i += chunk_size) out.chunk(i) = squared_difference(i, k);
  }
  // Squared distances in input j.
  void squared_distances_in(int j, Panel& out) const {
    squared_differences(first_of(j), out);
    for (int k = first_of(j) + 1; how.input_ends && k < end_of(j); ++k) {
      for (int i = 0; i < count; i += chunk_size) out.chunk(i) += squared_difference(i, k);
    }
  }
  // Flattened, so that chunks stay in registers.
  [[gnu::flatten]] void squared_distances(Panel& out) const {
    const int all = columns();
    for (int i = 0; i < count; i += chunk_size) {
      Chunk sum = Chunk::Zero();
      for (int k = 0; k < all; ++k) sum += squared_difference(i, k);
      out.chunk(i) = sum;
    }
  }

  // The product of the columns' values in linear terms; of levels, whether they are equal.
  Chunk product(int i, int k) const {
    const Chunk values = x.chunk(first + i, k);
    if (holds_levels(k)) return (values == y[k]).select(Chunk::Ones(), Chunk::Zero());
    return values * y[k];
  }
  // The derivative of the product in y_k.
  Chunk product_slope(int i, int k) const {
    return holds_levels(k) ? Chunk::Zero() : x.chunk(first + i, k);
  }

  // 1 for rows in the group of y, else 0.
  Chunk in_group(int i) const {
    const int codes = columns();
    return (x.chunk(first + i, codes) == y[codes]).select(Chunk::Ones(), Chunk::Zero());
  }
  bool none_in_group() const {
    const int codes = columns();
    for (int i = 0; i < count; i += chunk_size) {
      if ((x.chunk(first + i, codes) == y[codes]).any()) return false;
    }
    return true;
  }

  // Kernel functions of squared distances.
  void value(Panel& r2, double* out) const { how.kernel->value(how.own, r2.data(), count, out); }
  void log_slope(Panel& r2, Panel& out) const {
    how.kernel->log_slope(how.own, r2.data(), count, out.data());
  }
  void parameter_slope(int j, Panel& r2, Panel& out) const {
    how.kernel->parameter_slope(how.own, j, r2.data(), count, out.data());
  }
};

// Sums of weights times derivatives over pairs, in columns: log lengthscales, then log kernel
// parameters, then products of crossed columns, then weights times R.
class GradientSums {
 public:
  explicit GradientSums(int columns) : sums_(Sums::Zero(chunk_size, columns)) {}
  template <class Terms>
  void add(int column, const Terms& terms) {
    sums_.col(column) += terms;
  }
  void write(double times, double* gradient) const {
    for (Eigen::Index k = 0; k < sums_.cols(); ++k) gradient[k] = times * sums_.col(k).sum();
  }

 private:
  using Sums = Eigen::Array<double, chunk_size, Eigen::Dynamic>;
  Sums sums_;
};

}  // namespace btg
