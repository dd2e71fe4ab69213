// Correlation matrices for any kernel of the contract, radial or as a product over inputs, one
// chunk of a column at a time.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <type_traits>

#include "btg/compute/compute.hpp"
#include "btg/kernels/kernel.hpp"

namespace btg {

// Inputs with rows of zeros appended, so that every chunk is whole.
class PaddedInputs {
 public:
  PaddedInputs(const double* x, int n, int d)
      : rows_(
            Eigen::MatrixXd::Zero(Eigen::Index{n + chunk_size - 1} / chunk_size * chunk_size, d)) {
    rows_.topRows(n) = Eigen::Map<const Eigen::MatrixXd>(x, n, d);
  }

  // Input k in rows first, first + 1, ...
  Chunk values(int first, int k) const { return rows_.col(k).segment<chunk_size>(first).array(); }

  // The squared differences of input k between rows first, first + 1, ... and `value`.
  Chunk squared_difference(int first, int k, double value) const {
    return (rows_.col(k).segment<chunk_size>(first).array() - value).square();
  }

 private:
  Eigen::MatrixXd rows_;
};

using Point = Eigen::Map<const Eigen::RowVectorXd>;

// The same rows, to be taken one at a time.
class PointList {
 public:
  PointList(const double* x, int n, int d)
      : points_(Eigen::Map<const Eigen::MatrixXd>(x, n, d).transpose()) {}

  Point operator[](int j) const { return {points_.col(j).data(), points_.rows()}; }

 private:
  Eigen::MatrixXd points_;
};

// Squared distances far beyond the reach of any kernel are all the same: none overflows.
inline Chunk within_reach(const Chunk& r2) { return r2.min(1e12); }

template <class K, class = void>
struct HasParameters : std::false_type {};
template <class K>
struct HasParameters<K, std::void_t<decltype(K::parameters)>> : std::true_type {};

template <class K>
constexpr int parameter_count() {
  if constexpr (HasParameters<K>::value) {
    return static_cast<int>(std::size(K::parameters));
  } else {
    return 0;
  }
}

template <class K>
constexpr const btg_compute::KernelParameter* parameter_list() {
  if constexpr (HasParameters<K>::value) {
    return K::parameters;
  } else {
    return nullptr;
  }
}

template <class K>
K make_kernel(const double* parameters) {
  if constexpr (HasParameters<K>::value) {
    return K(parameters);
  } else {
    return K{};
  }
}

// The correlations of rows first, first + 1, ... with the point y.
template <class K>
Chunk correlation_chunk(const K& kernel, const PaddedInputs& x, int first, const Point& y,
                        bool product) {
  Chunk polynomial = Chunk::Ones();
  Chunk exponent = Chunk::Zero();
  Chunk r2 = Chunk::Zero();
  for (int k = 0; k < y.size(); ++k) {
    if (product) {
      kernel.accumulate(within_reach(x.squared_difference(first, k, y[k])), polynomial, exponent);
      polynomial = polynomial.min(1e300);
    } else {
      r2 += x.squared_difference(first, k, y[k]);
    }
  }
  if (product) {
    // Times 1 as long as the exponential is a normal number, and times 0 beyond: a product of
    // many polynomials could make up for it.
    polynomial *= ((708.0 - exponent) * 1e300).max(0.0).min(1.0);
  } else {
    kernel.accumulate(within_reach(r2), polynomial, exponent);
  }
  return polynomial * exp_minus(exponent);
}

// Rows from `first` on, which must be a multiple of the chunk size, of a column of n.
// Everything is inlined here, so that chunks stay in registers at any optimisation level.
template <class K>
[[gnu::flatten]] void correlation_column(const K& kernel, const PaddedInputs& x, int first, int n,
                                         const Point& y, bool product, double* column) {
  for (; first < n; first += chunk_size) {
    const Chunk values = correlation_chunk(kernel, x, first, y, product);
    if (first + chunk_size <= n) {
      Eigen::Map<Chunk>(column + first) = values;
    } else {
      std::copy(values.data(), values.data() + (n - first), column + first);
    }
  }
}

template <class K>
void correlation(const double* x, int n, int d, btg_compute::KernelForm form, double* r) {
  const K kernel = make_kernel<K>(form.parameters);
  const PaddedInputs padded(x, n, d);
  const PointList points(x, n, d);
  for (int j = 0; j < n; ++j) {
    const Point y = points[j];
    // Starts a little above the diagonal, where nothing is asked for.
    const int first = j / chunk_size * chunk_size;
    correlation_column(kernel, padded, first, n, y, form.product,
                       r + static_cast<std::ptrdiff_t>(n) * j);
  }
}

template <class K>
void cross_correlation(const double* x, int n, const double* y, int m, int d,
                       btg_compute::KernelForm form, double* r) {
  const K kernel = make_kernel<K>(form.parameters);
  const PaddedInputs padded(x, n, d);
  const PointList points(y, m, d);
  for (int j = 0; j < m; ++j) {
    const Point point = points[j];
    correlation_column(kernel, padded, 0, n, point, form.product,
                       r + static_cast<std::ptrdiff_t>(n) * j);
  }
}

}  // namespace btg
