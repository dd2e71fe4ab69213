// The table of dense functions by Eigen, as fast as the instruction set it is
// compiled for.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>

#include "compute.hpp"
#include "kernels/registry.hpp"

namespace btg {
namespace eigen {

using Matrix = Eigen::MatrixXd;

// Right-looking, with blocks larger than Eigen's own: at n = 200 a quarter faster.
inline int cholesky(double* data, int n) {
  constexpr int block = 64;
  Eigen::Map<Matrix> a(data, n, n);
  for (int k = 0; k < n; k += block) {
    const int size = std::min(block, n - k), rest = n - k - size;
    Eigen::Ref<Matrix> corner = a.block(k, k, size, size);
    const Eigen::LLT<Eigen::Ref<Matrix>> llt(corner);
    if (llt.info() != Eigen::Success) return k + 1;
    if (rest == 0) break;
    Eigen::Ref<Matrix> below = a.block(k + size, k, rest, size);
    corner.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(below);
    a.block(k + size, k + size, rest, rest).selfadjointView<Eigen::Lower>().rankUpdate(below, -1.0);
  }
  return 0;
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
  static const btg_compute::Compute table = {"eigen",
                                             eigen::cholesky,
                                             eigen::solve_lower,
                                             eigen::solve_lower_transposed,
                                             eigen::inverse,
                                             kernel_registry().data(),
                                             static_cast<int>(kernel_registry().size())};
  return table;
}

}  // namespace btg
