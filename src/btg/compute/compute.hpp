// A table of the dense computations, so that the fastest implementation for the machine can be
// chosen at run time. Matrices are column-major; inputs are already divided by their lengthscales.
#pragma once

// Outside namespace btg, because compute_avx2.cpp compiles the implementations a second time with
// `btg` renamed, and both must fill the same type.
namespace btg_compute {

// A positive kernel parameter with its lognormal default prior.
struct KernelParameter {
  const char* name;
  double meanlog, sdlog;
};

// A kernel k(r) evaluated at `count` squared distances r2, a multiple of 8. `own` holds the kernel
// parameters. kernels/kernel.hpp gives the contract from which these functions are made.
struct Kernel {
  const char* name;
  const char* summary;
  double derivatives;  // how often a surface can be differentiated
  const KernelParameter* parameters;
  int n_parameters;

  void (*value)(const double* own, const double* r2, int count, double* k);
  // With k = polynomial * exp(-exponent): multiplies and adds its parts, for products of kernels.
  void (*accumulate)(const double* own, const double* r2, int count, double* polynomial,
                     double* exponent);
  void (*log_slope)(const double* own, const double* r2, int count, double* slope);
  // d log k / d log parameter j; null if there are no parameters.
  void (*parameter_slope)(const double* own, int j, const double* r2, int count, double* slope);
};

// Combines the inputs into a correlation; see backend/forms.hpp. The last two have no kernel.
enum class Form { radial, product, additive, linear, constant };

// One term of a covariance, amplitude * R. If `grouped`, the last column holds codes of groups, and
// R is 0 between different groups.
struct Correlation {
  const Kernel* kernel;
  Form form;
  const double* own;  // kernel parameters
  // For a column that holds levels of a factor, the squared distance between different levels; for
  // others, a negative number. Null if no column holds levels.
  const double* level_distances = nullptr;
  // The first column after each input, for inputs of several columns. Null if each column is one.
  const int* input_ends = nullptr;
  int input_count = 0;
  bool grouped = false;
  // Columns k whose sums of weights times -2 delta_k delta_(k+1) a gradient needs too; see
  // factor/input_map.hpp. Each is with the next in one input.
  const int* crossed = nullptr;
  int crossed_count = 0;
  double amplitude = 1.0;
  bool add = false;  // adds to the matrix R of the functions below instead of writing it

  int parameter_count() const { return kernel ? kernel->n_parameters : 0; }
};

// A block of a matrix, or its transpose.
struct Operand {
  const double* data;
  int stride;
  bool transposed;
};

// Student's t as a table. With i = floor(x * per_unit), T(-x) at 0 <= x < end is a polynomial in
// x * per_unit - i with the `order` coefficients that start at coefficients[order * i].
struct TTable {
  static constexpr int order = 8;
  const double* coefficients;
  double per_unit, end;
};

// A mixture of t distributions of u, summed over the components inside the table.
struct TMixture {
  double cdf, survival, density;
  int far;  // number of components outside the table, which are omitted; -1 if any is NaN
};

struct Compute {
  const char* name;

  // Replaces the lower triangle of a by its Cholesky factor L. Returns 0, or a positive number if a
  // is not positive definite.
  int (*cholesky)(double* a, int n);

  void (*solve_lower)(const double* l, int n, double* b, int columns);             // b <- L^-1 b
  void (*solve_lower_transposed)(const double* l, int n, double* b, int columns);  // b <- L^-T b

  // L in an order that is read once from front to back: packed_size() doubles. solve_packed() gives
  // b <- L^-1 b and rounds each column alike, whatever the other columns are.
  long (*packed_size)(int n);
  void (*pack_lower)(const double* l, int n, double* packed);
  void (*unpack_lower)(const double* packed, int n, double* l);
  void (*solve_packed)(const double* packed, int n, double* b, int columns);

  // Lower triangle of X'X, for an X with `rows` rows.
  void (*gram)(const double* x, int rows, int columns, double* out);

  // out <- L^-1, with zeros above the diagonal.
  void (*invert_lower)(const double* l, int n, double* out);

  // Lower triangle of (L L')^-1.
  void (*inverse)(const double* l, int n, double* out);

  // Evaluates a mixture of `count` t distributions at u[i] = g_i(y), where g_i has slope[i]. Stores
  // (u[i] - location[i]) * inverse_scale[i] in x[i].
  TMixture (*mix_t)(const TTable& t, int count, const double* u, const double* slope,
                    const double* location, const double* inverse_scale, const double* weight,
                    double* x);

  // C <- C - A B, for an A with `inner` columns. All three are blocks with the given strides.
  void (*subtract_product)(const double* a, int a_stride, const double* b, int b_stride, int rows,
                           int inner, int columns, double* c, int c_stride);

  // C <- C + scale A B, for an A with `rows` rows and `inner` columns.
  void (*add_product)(double scale, Operand a, Operand b, int rows, int inner, int columns,
                      double* c, int c_stride);

  // Lower triangle of C + scale X'X or C + scale X X', for an X with `rows` rows. Also overwrites
  // entries above the diagonal.
  void (*add_gram)(double scale, const double* x, int rows, int columns, double* c);
  void (*add_outer)(double scale, const double* x, int rows, int columns, double* c);

  // Lower triangle of R (n x n) from x (n x d). This and the next honour `add`.
  void (*correlation)(const Correlation& how, const double* x, int n, int d, double* r);

  // R (n x m) between the rows of x (n x d) and of y (m x d).
  void (*cross_correlation)(const Correlation& how, const double* x, int n, const double* y, int m,
                            int d, double* r);

  // gradient[k] = sum_ij S_ij dR_ij / d log lengthscale_k, followed by the same for the log kernel
  // parameters, by sum_ij S_ij dR_ij / d(r^2) (-2 delta_k delta_(k+1)) for each crossed column k,
  // and by the sum of S_ij R_ij over i != j. S = left left' - inverse, given the lower
  // triangle of the symmetric `inverse`.
  void (*correlation_gradient)(const Correlation& how, const double* x, int n, int d,
                               const double* inverse, const double* left, int columns,
                               double* gradient);

  // The gradient of sum_ij weights_ij R_ij for the R of cross_correlation and constant `weights`,
  // followed by the sum itself.
  void (*cross_gradient)(const Correlation& how, const double* x, int n, const double* y, int m,
                         int d, const double* weights, double* gradient);

  // dR_ij / dy_jk for the same R, as one n x m matrix per input k.
  void (*cross_slopes)(const Correlation& how, const double* x, int n, const double* y, int m,
                       int d, double* slopes);

  const Kernel* kernels;  // in the order of kernels/registry.hpp
  int n_kernels;
};

}  // namespace btg_compute

namespace btg {
using btg_compute::Compute;
using btg_compute::Form;
}  // namespace btg
