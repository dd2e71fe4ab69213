// The contract of a kernel. A kernel is a correlation of the scaled distance r,
//
//   k(r) = polynomial(r) * exp(-exponent(r)),
//
// so that a product of 1-d kernels multiplies polynomials, adds exponents and
// takes one exponential, as the radial form does. A kernel type `K` has
//
//   static constexpr const char* name;
//   static void accumulate(const Chunk& r2, Chunk& polynomial, Chunk& exponent);
//   static Chunk log_slope(const Chunk& r2);       // d log k / d(r^2)
//
// where `accumulate` multiplies and adds the kernel's parts at squared distances r2.
#pragma once

#include <Eigen/Core>

namespace btg {

constexpr int chunk_size = 8;

// A few neighbouring entries of one matrix column: small enough for registers.
using Chunk = Eigen::Array<double, chunk_size, 1>;

}  // namespace btg
