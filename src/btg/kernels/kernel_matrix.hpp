// Correlation matrices and their derivatives for any kernel of the contract,
// radial or as a product over inputs, one chunk of a column at a time.
#pragma once

#include <Eigen/Core>
#include <algorithm>

#include "../compute.hpp"
#include "kernel.hpp"

namespace btg {

using ConstMatrix = Eigen::Map<const Eigen::MatrixXd>;

// k(x_i, y) for the rows i = first, ..., first + size - 1 of x.
template <class K>
Chunk correlation_chunk(const ConstMatrix& x, int first, int size,
                        const Eigen::Ref<const Eigen::RowVectorXd, 0, Eigen::InnerStride<>>& y,
                        bool product) {
  Chunk polynomial = Chunk::Ones(size);
  Chunk exponent = Chunk::Zero(size);
  Chunk r2 = Chunk::Zero(size);
  for (int k = 0; k < x.cols(); ++k) {
    if (product) {
      r2 = (x.col(k).segment(first, size).array() - y[k]).square();
      K::accumulate(r2, polynomial, exponent);
    } else {
      r2 += (x.col(k).segment(first, size).array() - y[k]).square();
    }
  }
  if (!product) K::accumulate(r2, polynomial, exponent);
  return polynomial * (-exponent).exp();
}

template <class K>
void correlation(const double* x_data, int n, int d, bool product, double* r_data) {
  const ConstMatrix x(x_data, n, d);
  Eigen::Map<Eigen::MatrixXd> r(r_data, n, n);
  for (int j = 0; j < n; ++j) {
    r(j, j) = 1.0;
    for (int first = j + 1; first < n; first += chunk_size) {
      const int size = std::min(chunk_size, n - first);
      r.col(j).segment(first, size) =
          correlation_chunk<K>(x, first, size, x.row(j), product).matrix();
    }
  }
}

template <class K>
void cross_correlation(const double* x_data, int n, const double* y_data, int m, int d,
                       bool product, double* r_data) {
  const ConstMatrix x(x_data, n, d);
  const ConstMatrix y(y_data, m, d);
  Eigen::Map<Eigen::MatrixXd> r(r_data, n, m);
  for (int j = 0; j < m; ++j) {
    for (int first = 0; first < n; first += chunk_size) {
      const int size = std::min(chunk_size, n - first);
      r.col(j).segment(first, size) =
          correlation_chunk<K>(x, first, size, y.row(j), product).matrix();
    }
  }
}

// dR_ij / d log lengthscale_k = -2 delta_k^2 R_ij (d log k / d r^2), where r^2 is
// delta_k^2 for the product and sum_k delta_k^2 for the radial form.
template <class K>
void correlation_gradient(const double* x_data, int n, int d, bool product, const double* r_data,
                          const double* s_data, double* gradient_data) {
  const ConstMatrix x(x_data, n, d);
  const ConstMatrix r(r_data, n, n);
  const ConstMatrix s(s_data, n, n);
  Eigen::Map<Eigen::VectorXd> gradient(gradient_data, d);
  gradient.setZero();
  for (int j = 0; j < n; ++j) {
    for (int first = j + 1; first < n; first += chunk_size) {
      const int size = std::min(chunk_size, n - first);
      const auto delta2 = [&](int k) -> Chunk {
        return (x.col(k).segment(first, size).array() - x(j, k)).square();
      };
      // Each pair stands twice in the sum over i and j.
      const Chunk weight = -4.0 * s.col(j).segment(first, size).array() *
                           r.col(j).segment(first, size).array();
      Chunk slope = Chunk::Zero(size);
      if (!product) {
        Chunk r2 = Chunk::Zero(size);
        for (int k = 0; k < d; ++k) r2 += delta2(k);
        slope = K::log_slope(r2);
      }
      for (int k = 0; k < d; ++k) {
        const Chunk squared = delta2(k);
        if (product) slope = K::log_slope(squared);
        gradient[k] += (weight * squared * slope).sum();
      }
    }
  }
}

template <class K>
btg_compute::Kernel kernel_functions() {
  return {K::name, correlation<K>, cross_correlation<K>, correlation_gradient<K>};
}

}  // namespace btg
