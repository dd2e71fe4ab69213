#include "btg/numerics/decompositions.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>

namespace btg {

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& a) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(a);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

Eigen::VectorXd tridiagonal_eigenvalues(const Eigen::VectorXd& beside) {
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen;
  eigen.computeFromTridiagonal(Eigen::VectorXd::Zero(beside.size() + 1), beside,
                               Eigen::EigenvaluesOnly);
  return eigen.eigenvalues();
}

CholeskyRoot::CholeskyRoot(const Eigen::MatrixXd& a)
    : l_(Eigen::LLT<Eigen::MatrixXd>(a).matrixL()) {}

Eigen::MatrixXd CholeskyRoot::times(const Eigen::MatrixXd& b) const {
  return l_.triangularView<Eigen::Lower>() * b;
}

Eigen::MatrixXd CholeskyRoot::whiten(const Eigen::MatrixXd& b) const {
  return l_.triangularView<Eigen::Lower>().solve(b);
}

Eigen::MatrixXd CholeskyRoot::whiten_transposed(const Eigen::MatrixXd& b) const {
  return l_.transpose().triangularView<Eigen::Upper>().solve(b);
}

Eigen::MatrixXd CholeskyRoot::solve(const Eigen::MatrixXd& b) const {
  return whiten_transposed(whiten(b));
}

// Householder reflections I - 2 v v', one at a time. Eigen's blocked version is made for many
// columns and takes seconds to compile. A zero column is left unchanged.
ThinQr thin_qr(const Eigen::MatrixXd& columns) {
  const Eigen::Index n = columns.rows(), p = columns.cols();
  Eigen::MatrixXd reduced = columns, reflections = Eigen::MatrixXd::Zero(n, p);
  for (Eigen::Index k = 0; k < p; ++k) {
    Eigen::VectorXd v = reduced.col(k).tail(n - k);
    v[0] += std::copysign(v.norm(), v[0]);
    v.stableNormalize();
    reflections.col(k).tail(n - k) = v;
    for (Eigen::Index j = k; j < p; ++j) {
      reduced.col(j).tail(n - k) -= 2.0 * v.dot(reduced.col(j).tail(n - k)) * v;
    }
  }
  ThinQr result{Eigen::MatrixXd::Identity(n, p), reduced.topRows(p).triangularView<Eigen::Upper>()};
  for (Eigen::Index k = p - 1; k >= 0; --k) {
    const Eigen::VectorXd v = reflections.col(k);
    for (Eigen::Index j = k; j < p; ++j)
      result.basis.col(j) -= 2.0 * v.dot(result.basis.col(j)) * v;
  }
  return result;
}

Inverse invert(const Eigen::MatrixXd& a) {
  const ThinQr qr = thin_qr(a);
  const Eigen::MatrixXd transposed = qr.basis.transpose();
  return {qr.triangle.triangularView<Eigen::Upper>().solve(transposed),
          qr.triangle.diagonal().array().abs().log().sum()};
}

}  // namespace btg
