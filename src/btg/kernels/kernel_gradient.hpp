// Derivatives of correlation matrices, one chunk of a column at a time, and all functions of a
// kernel.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>

#include "btg/compute/compute.hpp"
#include "btg/kernels/kernel.hpp"
#include "btg/kernels/kernel_matrix.hpp"

namespace btg {

// -inverse for rows first, first + 1, ... of column j; 0 on and above the diagonal, and beyond n.
inline Chunk minus_below_diagonal(const double* inverse, int n, int j, int first) {
  const double* column = inverse + static_cast<std::ptrdiff_t>(n) * j;
  if (first > j && first + chunk_size <= n) return -Eigen::Map<const Chunk>(column + first);
  Chunk values = Chunk::Zero();
  for (int i = std::max(first, j + 1); i < std::min(first + chunk_size, n); ++i) {
    values[i - first] = -column[i];
  }
  return values;
}

// S = left left' - inverse for the same rows.
inline Chunk weights_below_diagonal(const double* inverse, const PaddedInputs& left,
                                    const Point& left_j, int n, int j, int first) {
  Chunk weights = minus_below_diagonal(inverse, n, j, first);
  for (int c = 0; c < left_j.size(); ++c) weights += left_j[c] * left.values(first, c);
  for (int i = first; i <= j; ++i) weights[i - first] = 0.0;
  return weights;
}

// d log R_ij / d log parameter j, at the squared differences of each input.
template <class K>
Chunk parameter_slopes(const K& kernel, const PaddedInputs& x, int first, const Point& y,
                       bool product, int j) {
  Chunk r2 = Chunk::Zero(), slopes = Chunk::Zero();
  for (int k = 0; k < y.size(); ++k) {
    const Chunk squared = x.squared_difference(first, k, y[k]);
    if (product) slopes += kernel.parameter_slope(within_reach(squared), j);
    r2 += squared;
  }
  return product ? slopes : kernel.parameter_slope(within_reach(r2), j);
}

// Sums of weights times derivatives of R, a chunk of a column at a time:
// dR_ij / d log lengthscale_k = -2 delta_k^2 R_ij (d log k / d r^2), where r^2 is
// delta_k^2 for the product and sum_k delta_k^2 for the radial form.
template <class K>
class GradientSums {
 public:
  GradientSums(const K& kernel, bool product, int d)
      : kernel_(kernel),
        product_(product),
        sums_(Sums::Zero(chunk_size, d)),
        own_sums_(Sums::Zero(chunk_size, own)) {}

  void add(Chunk weight, const PaddedInputs& x, int first, const Point& y) {
    weight *= correlation_chunk(kernel_, x, first, y, product_);
    if constexpr (own > 0) {
      for (int k = 0; k < own; ++k) {
        own_sums_.col(k) += weight * parameter_slopes(kernel_, x, first, y, product_, k);
      }
    }
    if (!product_) {
      Chunk r2 = Chunk::Zero();
      for (int k = 0; k < y.size(); ++k) r2 += x.squared_difference(first, k, y[k]);
      weight *= kernel_.log_slope(within_reach(r2));
    }
    for (int k = 0; k < y.size(); ++k) {
      const Chunk squared = within_reach(x.squared_difference(first, k, y[k]));
      sums_.col(k) +=
          product_ ? Chunk(weight * squared * kernel_.log_slope(squared)) : Chunk(weight * squared);
    }
  }

  // Where each weight stands `times` times in the sum.
  void write(double times, double* gradient) const {
    for (Eigen::Index k = 0; k < sums_.cols(); ++k) {
      gradient[k] = -2.0 * times * sums_.col(k).sum();
    }
    for (int k = 0; k < own; ++k) gradient[sums_.cols() + k] = times * own_sums_.col(k).sum();
  }

 private:
  static constexpr int own = parameter_count<K>();
  using Sums = Eigen::Array<double, chunk_size, Eigen::Dynamic>;
  K kernel_;
  bool product_;
  Sums sums_, own_sums_;
};

// Each pair stands twice in the sum over i and j.
template <class K>
[[gnu::flatten]] void correlation_gradient(const double* x, int n, int d,
                                           btg_compute::KernelForm form, const double* inverse,
                                           const double* left, int columns, double* gradient) {
  const PaddedInputs padded(x, n, d), padded_left(left, n, columns);
  GradientSums<K> sums(make_kernel<K>(form.parameters), form.product, d);
  const PointList points(x, n, d), lefts(left, n, columns);
  for (int j = 0; j < n; ++j) {
    const Point y = points[j], left_j = lefts[j];
    for (int first = j / chunk_size * chunk_size; first < n; first += chunk_size) {
      sums.add(weights_below_diagonal(inverse, padded_left, left_j, n, j, first), padded, first, y);
    }
  }
  sums.write(2.0, gradient);
}

template <class K>
[[gnu::flatten]] void cross_gradient(const double* x, int n, const double* y, int m, int d,
                                     btg_compute::KernelForm form, const double* weights,
                                     double* gradient) {
  const PaddedInputs padded(x, n, d);
  GradientSums<K> sums(make_kernel<K>(form.parameters), form.product, d);
  const PointList points(y, m, d);
  for (int j = 0; j < m; ++j) {
    const Point point = points[j];
    const double* column = weights + static_cast<std::ptrdiff_t>(n) * j;
    for (int first = 0; first < n; first += chunk_size) {
      Chunk weight = Chunk::Zero();
      if (first + chunk_size <= n) {
        weight = Eigen::Map<const Chunk>(column + first);
      } else {
        std::copy(column + first, column + n, weight.data());
      }
      sums.add(weight, padded, first, point);
    }
  }
  sums.write(1.0, gradient);
}

// dR / dy_k = 2 (y_k - x_k) R (d log k / d r^2), r^2 as in GradientSums. At r = 0 a kernel with a
// kink there, the exponential, has the slope 0 between its slopes on either side.
template <class K>
[[gnu::flatten]] void cross_slopes(const double* x, int n, const double* y, int m, int d,
                                   btg_compute::KernelForm form, double* slopes) {
  const K kernel = make_kernel<K>(form.parameters);
  const PaddedInputs padded(x, n, d);
  const PointList points(y, m, d);
  for (int j = 0; j < m; ++j) {
    const Point point = points[j];
    for (int first = 0; first < n; first += chunk_size) {
      const Chunk r = 2.0 * correlation_chunk(kernel, padded, first, point, form.product);
      Chunk r2 = Chunk::Zero();
      for (int k = 0; k < d; ++k) r2 += padded.squared_difference(first, k, point[k]);
      const Chunk radial = form.product ? r : Chunk(r * kernel.log_slope(within_reach(r2)));
      for (int k = 0; k < d; ++k) {
        Chunk slope = radial * (point[k] - padded.values(first, k));
        if (form.product) {
          slope *= kernel.log_slope(within_reach(padded.squared_difference(first, k, point[k])));
        }
        std::copy(slope.data(), slope.data() + std::min(chunk_size, n - first),
                  slopes + (static_cast<std::ptrdiff_t>(m) * k + j) * n + first);
      }
    }
  }
}

template <class K>
btg_compute::Kernel kernel_functions() {
  return {K::name,           parameter_list<K>(),  parameter_count<K>(),
          correlation<K>,    cross_correlation<K>, correlation_gradient<K>,
          cross_gradient<K>, cross_slopes<K>};
}

}  // namespace btg
