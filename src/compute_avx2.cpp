// The dense functions compiled again for AVX2 and FMA, and used only on processors that have them.
// R compiles packages for the oldest x86-64 (SSE2), and Eigen chooses instructions at compile time,
// so this file
//   - includes the standard library first, so that none of its code is compiled for AVX2 and then
//     shared with the rest of the package;
//   - enables the instructions up to the end of the file, by a pragma for the compiler and by the
//     usual macros for Eigen (GCC's pragma defines them too late in C++, clang's never does);
//   - renames Eigen and btg, so that the linker keeps the two compilations apart.
#include "compute_avx2.h"

// Not on Windows, where GCC stores 256-bit values on stacks aligned to 16 bytes, but loads them as
// if aligned to 32 (GCC bug 54412).
#if defined(__GNUC__) && defined(__x86_64__) && !defined(_WIN32)

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <climits>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iosfwd>
#include <limits>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#ifndef __AVX2__
// NOLINTBEGIN(bugprone-reserved-identifier)
#define __SSE3__ 1
#define __SSSE3__ 1
#define __SSE4_1__ 1
#define __SSE4_2__ 1
#define __AVX__ 1
#define __AVX2__ 1
#define __FMA__ 1
// NOLINTEND(bugprone-reserved-identifier)
#endif
#define Eigen EigenAvx2
#define btg btg_avx2
#include "btg/backend/compute_eigen.cpp"
#undef btg
#undef Eigen
#ifdef __clang__
#pragma clang attribute pop
#endif

const btg_compute::Compute* avx2_compute() {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return nullptr;
  static btg_compute::Compute table = btg_avx2::eigen_compute();
  table.name = "eigen-avx2";
  return &table;
}

#else

const btg_compute::Compute* avx2_compute() { return nullptr; }

#endif
