// Turns a kernel type into the functions of btg_compute::Kernel.
#pragma once

#include <iterator>
#include <type_traits>

#include "btg/compute/compute.hpp"
#include "btg/kernels/kernel.hpp"

namespace btg {

// Caps squared distances far beyond the range of any kernel, to avoid overflow.
inline Chunk within_reach(const Chunk& r2) { return r2.min(1e12); }

template <class K, class = void>
struct HasParameters : std::false_type {};
template <class K>
struct HasParameters<K, std::void_t<decltype(K::parameters)>> : std::true_type {};

template <class K>
K make_kernel(const double* own) {
  if constexpr (HasParameters<K>::value) {
    return K(own);
  } else {
    return K{};
  }
}

using ChunkIn = Eigen::Map<const Chunk>;
using ChunkOut = Eigen::Map<Chunk>;

// These loops are flattened, so that chunks stay in registers at any optimisation level.
template <class K>
[[gnu::flatten]] void kernel_value(const double* own, const double* r2, int count, double* k) {
  const K kernel = make_kernel<K>(own);
  for (int i = 0; i < count; i += chunk_size) {
    Chunk polynomial = Chunk::Ones(), exponent = Chunk::Zero();
    kernel.accumulate(within_reach(ChunkIn(r2 + i)), polynomial, exponent);
    ChunkOut(k + i) = polynomial * exp_minus(exponent);
  }
}

template <class K>
[[gnu::flatten]] void kernel_accumulate(const double* own, const double* r2, int count,
                                        double* polynomial, double* exponent) {
  const K kernel = make_kernel<K>(own);
  for (int i = 0; i < count; i += chunk_size) {
    Chunk p = ChunkIn(polynomial + i), e = ChunkIn(exponent + i);
    kernel.accumulate(within_reach(ChunkIn(r2 + i)), p, e);
    ChunkOut(polynomial + i) = p.min(1e300);
    ChunkOut(exponent + i) = e;
  }
}

template <class K>
[[gnu::flatten]] void kernel_log_slope(const double* own, const double* r2, int count,
                                       double* slope) {
  const K kernel = make_kernel<K>(own);
  for (int i = 0; i < count; i += chunk_size) {
    ChunkOut(slope + i) = kernel.log_slope(within_reach(ChunkIn(r2 + i)));
  }
}

template <class K>
void kernel_parameter_slope(const double* own, int j, const double* r2, int count, double* slope) {
  const K kernel = make_kernel<K>(own);
  for (int i = 0; i < count; i += chunk_size) {
    ChunkOut(slope + i) = kernel.parameter_slope(within_reach(ChunkIn(r2 + i)), j);
  }
}

template <class K>
btg_compute::Kernel kernel_functions() {
  btg_compute::Kernel functions{K::name, K::summary,      K::derivatives,       nullptr,
                                0,       kernel_value<K>, kernel_accumulate<K>, kernel_log_slope<K>,
                                nullptr};
  if constexpr (HasParameters<K>::value) {
    functions.parameters = K::parameters;
    functions.n_parameters = static_cast<int>(std::size(K::parameters));
    functions.parameter_slope = kernel_parameter_slope<K>;
  }
  return functions;
}

}  // namespace btg
