// The table of dense functions by Eigen, as fast as the instruction set it is
// compiled for.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "compute.hpp"
#include "kernels/registry.hpp"

namespace btg {
namespace eigen {

using Matrix = Eigen::MatrixXd;

inline int cholesky(double* a_data, int n) {
  Eigen::Map<Matrix> a(a_data, n, n);
  Eigen::Ref<Matrix> in_place(a);
  const Eigen::LLT<Eigen::Ref<Matrix>> llt(in_place);
  return llt.info() == Eigen::Success ? 0 : 1;
}

inline void solve_lower(const double* l, int n, double* b_data, int columns) {
  Eigen::Map<Matrix> b(b_data, n, columns);
  Eigen::Map<const Matrix>(l, n, n).triangularView<Eigen::Lower>().solveInPlace(b);
}

inline void solve_lower_transposed(const double* l, int n, double* b_data, int columns) {
  Eigen::Map<Matrix> b(b_data, n, columns);
  Eigen::Map<const Matrix>(l, n, n).transpose().triangularView<Eigen::Upper>().solveInPlace(b);
}

// (L L')^-1 = T' T with T = L^-1, which is lower triangular.
inline void inverse(const double* l, int n, double* out_data) {
  Matrix t = Matrix::Identity(n, n);
  solve_lower(l, n, t.data(), n);
  Eigen::Map<Matrix> out(out_data, n, n);
  out.triangularView<Eigen::Lower>() = t.transpose() * t;
}

}  // namespace eigen

inline const btg_compute::Compute& eigen_compute() {
  static const btg_compute::Compute table = {
      "eigen",        eigen::cholesky,          eigen::solve_lower, eigen::solve_lower_transposed,
      eigen::inverse, kernel_registry().data(), static_cast<int>(kernel_registry().size())};
  return table;
}

}  // namespace btg
