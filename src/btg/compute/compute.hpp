// The dense work of the model as a table of functions, so that the fastest
// implementation for this machine can be chosen at run time. Matrices are
// column-major; inputs are already divided by their lengthscales.
#pragma once

// A namespace of its own: compute_avx2.cpp compiles the implementations a second
// time with `btg` renamed, and both must fill the same type.
namespace btg_compute {

// A positive parameter of a kernel's own, with its lognormal prior before the data.
struct KernelParameter {
  const char* name;
  double meanlog, sdlog;
};

// As a product of one-dimensional kernels or as one of the radial distance, and at which values of
// the kernel's own parameters.
struct KernelForm {
  bool product;
  const double* parameters;
};

struct Kernel {
  const char* name;
  const KernelParameter* parameters;
  int n_parameters;

  // Lower triangle of R (n x n) from x (n x d).
  void (*correlation)(const double* x, int n, int d, KernelForm form, double* r);

  // R (n x m) between the rows of x (n x d) and of y (m x d).
  void (*cross_correlation)(const double* x, int n, const double* y, int m, int d, KernelForm form,
                            double* r);

  // gradient[k] = sum_ij S_ij dR_ij / d log lengthscale_k, then the same for the logarithms of the
  // kernel's own parameters, where S = left left' - inverse, from the lower triangle of the
  // symmetric `inverse` and the columns of `left`.
  void (*gradient)(const double* x, int n, int d, KernelForm form, const double* inverse,
                   const double* left, int columns, double* gradient);

  // The same of sum_ij weights_ij R_ij for the R of cross_correlation, with `weights` held.
  void (*cross_gradient)(const double* x, int n, const double* y, int m, int d, KernelForm form,
                         const double* weights, double* gradient);

  // dR_ij / dy_jk for the same R: a matrix (n x m) for each input k, one after the other.
  void (*cross_slopes)(const double* x, int n, const double* y, int m, int d, KernelForm form,
                       double* slopes);
};

// Part of a matrix, or of the matrix it is the transpose of.
struct Operand {
  const double* data;
  int stride;
  bool transposed;
};

// Student's t as a table: T(-x) at 0 <= x < end is the polynomial of x * per_unit - i with the
// `order` coefficients from coefficients[order * i] on, i the integer below x * per_unit.
struct TTable {
  static constexpr int order = 8;
  const double* coefficients;
  double per_unit, end;
};

// A mixture of t distributions of u, as far as all its components are in the table.
struct TMixture {
  double cdf, survival, density;
  int far;  // components beyond the table, which are left out; -1 if some are NaN
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

  // The mixture of `count` t distributions at u[i] = g_i(y), where g_i has slope[i]; x[i] becomes
  // (u[i] - location[i]) * inverse_scale[i].
  TMixture (*mix_t)(const TTable& t, int count, const double* u, const double* slope,
                    const double* location, const double* inverse_scale, const double* weight,
                    double* x);

  // C <- C - A B, for an A with `inner` columns; all are parts of matrices with these strides.
  void (*subtract_product)(const double* a, int a_stride, const double* b, int b_stride, int rows,
                           int inner, int columns, double* c, int c_stride);

  // C <- C + scale A B, for an A with `rows` rows and `inner` columns.
  void (*add_product)(double scale, Operand a, Operand b, int rows, int inner, int columns,
                      double* c, int c_stride);

  // Lower triangle of C <- C + scale X'X and of C + scale X X', for an X with `rows` rows. What is
  // above the diagonal is not kept.
  void (*add_gram)(double scale, const double* x, int rows, int columns, double* c);
  void (*add_outer)(double scale, const double* x, int rows, int columns, double* c);

  const Kernel* kernels;  // as registered
  int n_kernels;
};

}  // namespace btg_compute

namespace btg {
using btg_compute::Compute;
}
