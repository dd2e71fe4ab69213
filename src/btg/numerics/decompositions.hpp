// Decompositions of small dense matrices. They are compiled only once.
#pragma once

#include <Eigen/Core>

namespace btg {

// A = V diag(values) V', values in increasing order.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& a);

// Eigenvalues of the symmetric tridiagonal matrix with zero diagonal and off-diagonal `beside`.
Eigen::VectorXd tridiagonal_eigenvalues(const Eigen::VectorXd& beside);

// A = L L', for a positive definite A.
class CholeskyRoot {
 public:
  explicit CholeskyRoot(const Eigen::MatrixXd& a);
  const Eigen::MatrixXd& matrix() const { return l_; }  // L, with zeros above the diagonal
  double half_log_det() const { return l_.diagonal().array().log().sum(); }
  Eigen::MatrixXd times(const Eigen::MatrixXd& b) const;              // L b
  Eigen::MatrixXd whiten(const Eigen::MatrixXd& b) const;             // L^-1 b
  Eigen::MatrixXd whiten_transposed(const Eigen::MatrixXd& b) const;  // L^-T b
  Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;              // A^-1 b

 private:
  Eigen::MatrixXd l_;
};

struct Inverse {
  Eigen::MatrixXd matrix;
  double log_abs_det;  // of A
};
Inverse invert(const Eigen::MatrixXd& a);

// columns = basis * triangle with an orthonormal basis. Needs at least as many rows as columns.
struct ThinQr {
  Eigen::MatrixXd basis, triangle;
};
ThinQr thin_qr(const Eigen::MatrixXd& columns);

}  // namespace btg
