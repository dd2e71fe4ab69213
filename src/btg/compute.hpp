// The dense work of the model as a table of functions, so that the fastest
// implementation for this machine can be chosen at run time. Matrices are
// column-major; inputs are already divided by their lengthscales.
#pragma once

// A namespace of its own: compute_avx2.cpp compiles the implementations a second
// time with `btg` renamed, and both must fill the same type.
namespace btg_compute {

struct Kernel {
  const char* name;

  // Lower triangle of R (n x n) from x (n x d).
  void (*correlation)(const double* x, int n, int d, bool product, double* r);

  // R (n x m) between the rows of x (n x d) and of y (m x d).
  void (*cross_correlation)(const double* x, int n, const double* y, int m, int d, bool product,
                            double* r);

  // gradient[k] = sum_ij S_ij dR_ij / d log lengthscale_k, from the lower triangles of
  // the symmetric S and of R.
  void (*gradient)(const double* x, int n, int d, bool product, const double* r, const double* s,
                   double* gradient);
};

struct Compute {
  const char* name;

  // Lower triangle of a <- its Cholesky factor L. Returns 0, or a positive number if a
  // is not positive definite.
  int (*cholesky)(double* a, int n);

  void (*solve_lower)(const double* l, int n, double* b, int columns);             // b <- L^-1 b
  void (*solve_lower_transposed)(const double* l, int n, double* b, int columns);  // b <- L^-T b

  // Lower triangle of X'X, for an X with `rows` rows.
  void (*gram)(const double* x, int rows, int columns, double* out);

  // out <- L^-1, with zeros above the diagonal.
  void (*invert_lower)(const double* l, int n, double* out);

  // Lower triangle of (L L')^-1.
  void (*inverse)(const double* l, int n, double* out);

  const Kernel* kernels;  // as registered
  int n_kernels;
};

}  // namespace btg_compute

namespace btg {
using btg_compute::Compute;
}
