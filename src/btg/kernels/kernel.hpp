// The contract of a kernel. A kernel is a correlation of the scaled distance r,
//
//   k(r) = polynomial(r) * exp(-exponent(r)),
//
// so that a product of 1-d kernels multiplies polynomials, adds exponents and needs only one
// exponential, like the radial form. A kernel type `K` has
//
//   static constexpr const char* name;
//   static constexpr const char* summary;          // a few words, as in btg_kernels()
//   static constexpr double derivatives;           // how often a surface can be differentiated
//   void accumulate(const Chunk& r2, Chunk& polynomial, Chunk& exponent) const;
//   Chunk log_slope(const Chunk& r2) const;        // d log k / d(r^2)
//
// where `accumulate` multiplies and adds the kernel's parts at squared distances r2. Both are
// static if there are no parameters. A kernel with parameters also has
//
//   static constexpr btg_compute::KernelParameter parameters[];
//   explicit K(const double* values);              // in that order
//   Chunk parameter_slope(const Chunk& r2, int j) const;   // d log k / d log parameter j
//
// A kernel has k(0) = 1, k > 0, an exponent >= 0 and a finite log_slope everywhere. It must be a
// correlation in as many dimensions as it is used in: one in the product form, that of the inputs
// in the radial form. Its tests need a closed form; see `vignette("extending")`.
#pragma once

#include <Eigen/Core>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#ifdef __FAST_MATH__
#error "btg tests for NaN and infinity, which -ffast-math takes away: compile without it."
#endif

namespace btg {

constexpr int chunk_size = 8;
constexpr double infinitely_often = std::numeric_limits<double>::infinity();

// Adjacent entries of a matrix column, few enough for registers.
using Chunk = Eigen::Array<double, chunk_size, 1>;

// exp(-x) for x >= 0, to rounding error: exp(-x) = 2^k exp(r) with |r| <= log(2) / 2,
// and a Taylor polynomial for exp(r). Eigen's version divides, which costs twice as much. Every
// operation must round to double, which x87 does not do.
inline Chunk exp_minus(const Chunk& x) {
#if FLT_EVAL_METHOD != 0
  return (-x).exp();
#else
  constexpr double log2_e = 1.4426950408889634074;
  constexpr double log_2_high = 0.69314718055966295651, log_2_low = 2.8235290563031577e-13;
  constexpr double shifter = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
  const Chunk y = (-x).max(-708.0);
  const Chunk shifted = y * log2_e + shifter;
  const Chunk k = shifted - shifter;
  const Chunk r = (y - k * log_2_high) - k * log_2_low;
  // Sums pairs of terms, then pairs of pairs, to keep dependency chains short.
  const Chunk r2 = r * r, r4 = r2 * r2;
  const Chunk low = (1.0 + r) + r2 * (1.0 / 2 + r * (1.0 / 6));
  const Chunk middle = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
  const Chunk high = (1.0 / 40320 + r * (1.0 / 362880)) +
                     r2 * ((1.0 / 3628800 + r * (1.0 / 39916800)) + r2 * (1.0 / 479001600));
  const Chunk exp_r = low + r4 * (middle + r4 * high);
  // The low bits of `shifted` hold k. Shifted into the exponent field, they multiply by 2^k.
  std::int64_t bits[chunk_size], powers[chunk_size];
  std::memcpy(bits, exp_r.data(), sizeof bits);
  std::memcpy(powers, shifted.data(), sizeof powers);
  for (int i = 0; i < chunk_size; ++i) {
    bits[i] += static_cast<std::int64_t>(static_cast<std::uint64_t>(powers[i]) << 52);
  }
  Chunk result;
  std::memcpy(result.data(), bits, sizeof bits);
  return result;
#endif
}

}  // namespace btg
