// Correlation matrices and their derivatives for any kernel of the contract, radial or
// as a product over inputs, one chunk of a column at a time.
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
Chunk correlation_chunk(const K& kernel, const PaddedInputs& x, int first,
                        const Eigen::RowVectorXd& y, bool product) {
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
                                         const Eigen::RowVectorXd& y, bool product,
                                         double* column) {
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
  Eigen::RowVectorXd y(d);
  for (int j = 0; j < n; ++j) {
    y = Eigen::Map<const Eigen::MatrixXd>(x, n, d).row(j);
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
  Eigen::RowVectorXd point(d);
  for (int j = 0; j < m; ++j) {
    point = Eigen::Map<const Eigen::MatrixXd>(y, m, d).row(j);
    correlation_column(kernel, padded, 0, n, point, form.product,
                       r + static_cast<std::ptrdiff_t>(n) * j);
  }
}

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
                                    const Eigen::RowVectorXd& left_j, int n, int j, int first) {
  Chunk weights = minus_below_diagonal(inverse, n, j, first);
  for (int c = 0; c < left_j.size(); ++c) weights += left_j[c] * left.values(first, c);
  for (int i = first; i <= j; ++i) weights[i - first] = 0.0;
  return weights;
}

// d log R_ij / d log parameter j, at the squared differences of each input.
template <class K>
Chunk parameter_slopes(const K& kernel, const PaddedInputs& x, int first,
                       const Eigen::RowVectorXd& y, bool product, int j) {
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

  void add(Chunk weight, const PaddedInputs& x, int first, const Eigen::RowVectorXd& y) {
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
  Eigen::RowVectorXd y(d), left_j(columns);
  for (int j = 0; j < n; ++j) {
    y = Eigen::Map<const Eigen::MatrixXd>(x, n, d).row(j);
    left_j = Eigen::Map<const Eigen::MatrixXd>(left, n, columns).row(j);
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
  Eigen::RowVectorXd point(d);
  for (int j = 0; j < m; ++j) {
    point = Eigen::Map<const Eigen::MatrixXd>(y, m, d).row(j);
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

template <class K>
btg_compute::Kernel kernel_functions() {
  return {K::name,          parameter_list<K>(),  parameter_count<K>(),
          correlation<K>,   cross_correlation<K>, correlation_gradient<K>,
          cross_gradient<K>};
}

}  // namespace btg
