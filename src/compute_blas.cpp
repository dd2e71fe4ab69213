// Dense computations by R's BLAS and LAPACK, for machines with fast ones.
#ifndef USE_FC_LEN_T
#define USE_FC_LEN_T
#endif
#include "compute_blas.h"

#include <R_ext/BLAS.h>
#include <R_ext/Lapack.h>

#include <algorithm>

#include "btg/backend/compute_eigen.hpp"
#include "btg/base/error.hpp"
#include "compute_avx2.h"
#ifndef FCONE
#define FCONE
#endif

namespace {

using btg::Compute;

int cholesky(double* a, int n) {
  int info = 0;
  F77_CALL(dpotrf)("L", &n, a, &n, &info FCONE);
  return info;
}

void solve(const char* transposed, const double* l, int n, double* b, int columns) {
  const double one = 1.0;
  const int step = 1;
  if (columns == 1) {
    F77_CALL(dtrsv)("L", transposed, "N", &n, l, &n, b, &step FCONE FCONE FCONE);
  } else {
    F77_CALL(dtrsm)
    ("L", "L", transposed, "N", &n, &columns, &one, l, &n, b, &n FCONE FCONE FCONE FCONE);
  }
}

void solve_lower(const double* l, int n, double* b, int columns) { solve("N", l, n, b, columns); }

void solve_lower_transposed(const double* l, int n, double* b, int columns) {
  solve("T", l, n, b, columns);
}

void inverse(const double* l, int n, double* out) {
  std::copy(l, l + static_cast<std::size_t>(n) * n, out);
  int info = 0;
  F77_CALL(dpotri)("L", &n, out, &n, &info FCONE);
}

const Compute& builtin_compute() {
  const Compute* avx2 = avx2_compute();
  return avx2 ? *avx2 : btg::eigen_compute();
}

Compute make_blas_compute() {
  Compute table = builtin_compute();
  table.name = "blas";
  table.cholesky = cholesky;
  table.solve_lower = solve_lower;
  table.solve_lower_transposed = solve_lower_transposed;
  table.inverse = inverse;
  return table;
}

}  // namespace

const std::vector<std::string>& compute_names() {
  static const std::vector<std::string> names{"blas", "builtin", "portable"};
  return names;
}

const Compute& find_compute(const std::string& name) {
  static const Compute blas = make_blas_compute();
  if (name == "blas") return blas;
  if (name == "builtin") return builtin_compute();
  if (name == "portable") return btg::eigen_compute();
  throw btg::Error("linear_algebra", "There is no linear algebra \"" + name + "\".");
}
