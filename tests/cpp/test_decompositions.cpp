// Decompositions against their definitions, in long double, and closed forms.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "btg/numerics/decompositions.hpp"
#include "check.hpp"
#include "problems.hpp"

using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::LongMatrix;
using problems::Random;
using problems::times;
using problems::transposed_times;
using problems::widen;

namespace {

// The largest difference, relative to the largest element expected; not less than anything if NaN.
double error(const LongMatrix& actual, const LongMatrix& expected) {
  if (actual.rows() != expected.rows() || actual.cols() != expected.cols()) return INFINITY;
  if (actual.size() == 0) return 0.0;
  const MatrixXd difference = problems::narrow(actual - expected);
  const double size = static_cast<double>(expected.cwiseAbs().maxCoeff());
  return difference.hasNaN() ? INFINITY
                             : difference.cwiseAbs().maxCoeff() / std::fmax(size, 1e-300);
}

MatrixXd positive_definite(Random& random, int n) {
  const MatrixXd half = random.matrix(n, n + 2);
  MatrixXd a = half * half.transpose();
  a.diagonal().array() += 0.1;
  return a;
}

LongMatrix identity(int n) { return LongMatrix::Identity(n, n); }

void check_qr(const MatrixXd& columns, double tolerance) {
  const btg::ThinQr qr = btg::thin_qr(columns);
  const int p = static_cast<int>(columns.cols());
  CHECK(qr.basis.rows() == columns.rows() && qr.basis.cols() == p);
  CHECK(error(transposed_times(widen(qr.basis), widen(qr.basis)), identity(p)) < tolerance);
  CHECK(error(times(widen(qr.basis), widen(qr.triangle)), widen(columns)) < tolerance);
  for (int i = 0; i < p; ++i) {
    for (int j = 0; j < i; ++j) CHECK(qr.triangle(i, j) == 0.0);
  }
}

}  // namespace

TEST("eigenvectors are orthonormal, and their values increase") {
  Random random(1);
  for (const int n : {1, 2, 5, 20}) {
    const MatrixXd a = problems::symmetric(random.matrix(n, n));
    const btg::SymmetricEigen eigen = btg::symmetric_eigen(a);
    const LongMatrix v = widen(eigen.vectors);
    CHECK(error(transposed_times(v, v), identity(n)) < 1e-14 * n);
    const LongMatrix scaled = v * eigen.values.cast<problems::Long>().asDiagonal();
    CHECK(error(times(scaled, v.transpose()), widen(a)) < 1e-14 * n);
    for (int i = 1; i < n; ++i) CHECK(eigen.values[i] >= eigen.values[i - 1]);
  }
}

// 2 cos(k pi / (n + 1)) for ones beside the diagonal.
TEST("tridiagonal matrices have the eigenvalues of the closed form") {
  for (const int n : {1, 2, 3, 10, 48}) {
    const VectorXd values = btg::tridiagonal_eigenvalues(VectorXd::Ones(n - 1));
    CHECK(values.size() == n);
    for (int k = 1; k <= n; ++k) {
      CHECK_CLOSE(values[n - k], 2 * std::cos(k * std::acos(-1.0) / (n + 1)), 1e-13);
    }
  }
}

TEST("a Cholesky root multiplies, whitens and solves") {
  Random random(2);
  for (const int n : {1, 2, 7, 30}) {
    const MatrixXd a = positive_definite(random, n), b = random.matrix(n, 4);
    const btg::CholeskyRoot root(a);
    const LongMatrix l = problems::cholesky(widen(a));
    CHECK(error(widen(root.matrix()), l) < 1e-12);
    CHECK(error(widen(root.times(b)), times(l, widen(b))) < 1e-12);
    CHECK(error(widen(root.whiten(b)), problems::solve(l, widen(b))) < 1e-11);
    CHECK(error(widen(root.whiten_transposed(b)),
                problems::solve(LongMatrix(l.transpose()), widen(b))) < 1e-11);
    CHECK(error(widen(root.solve(b)), problems::solve(widen(a), widen(b))) < 1e-11);
    CHECK_CLOSE(root.half_log_det(), problems::log_abs_determinant(a) / 2, 1e-12);
  }
}

TEST("inverses and determinants of matrices that need not be symmetric") {
  Random random(3);
  for (const int n : {1, 2, 3, 10}) {
    MatrixXd a = random.matrix(n, n);
    a.diagonal().array() += 1.0;
    const btg::Inverse inverse = btg::invert(a);
    CHECK(error(widen(inverse.matrix), problems::inverse(widen(a))) < 1e-11);
    CHECK_CLOSE(inverse.log_abs_det, problems::log_abs_determinant(a), 1e-12);
  }
  MatrixXd reflected(2, 2);
  reflected << 0, 1, 1, 0;
  CHECK(error(widen(btg::invert(reflected).matrix), widen(reflected)) < 1e-15);
  CHECK_CLOSE(btg::invert(reflected).log_abs_det, 0.0, 1e-15);
}

TEST("a QR decomposition has an orthonormal basis, a triangle, and the columns as their product") {
  Random random(4);
  for (const int n : {1, 2, 5, 40}) {
    for (int p = 0; p <= std::min(n, 6); ++p) check_qr(random.matrix(n, p), 1e-14);
  }
  // Columns that are nearly dependent, and of very different size.
  for (const double size : {1e-12, 1e-6, 1e6, 1e12}) {
    MatrixXd columns = random.matrix(30, 3);
    columns.col(1) = columns.col(0) + 1e-8 * columns.col(1);
    columns.col(2) *= size;
    check_qr(columns, 1e-13);
  }
}

TEST("a QR decomposition of very small and very large columns") {
  Random random(5);
  for (const double size : {1e-140, 1e-100, 1e100, 1e140}) {
    const MatrixXd columns = size * random.matrix(12, 3);
    const btg::ThinQr qr = btg::thin_qr(columns);
    CHECK(error(transposed_times(widen(qr.basis), widen(qr.basis)), identity(3)) < 1e-14);
    CHECK(error(times(widen(qr.basis), widen(qr.triangle)), widen(columns)) < 1e-13);
    CHECK(error(widen(qr.triangle) / size, widen(btg::thin_qr(columns / size).triangle)) < 1e-13);
  }
}

TEST("a column of zeros has a zero on the diagonal") {
  Random random(6);
  MatrixXd columns = random.matrix(10, 3);
  columns.col(1).setZero();
  check_qr(columns, 1e-14);
  CHECK(std::abs(btg::thin_qr(columns).triangle(1, 1)) < 1e-15);
  // The last column is a sum of the others.
  columns = random.matrix(10, 3);
  columns.col(2) = columns.col(0) + columns.col(1);
  check_qr(columns, 1e-14);
  CHECK(std::abs(btg::thin_qr(columns).triangle(2, 2)) < 1e-14);
}

TEST("what is not a number stays so") {
  MatrixXd columns = Random(7).matrix(5, 2);
  columns(3, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK(btg::thin_qr(columns).triangle.hasNaN());
  CHECK(btg::invert(columns.topRows(4).bottomRows(2)).matrix.hasNaN());
  const btg::CholeskyRoot root(MatrixXd::Constant(2, 2, columns(3, 1)));
  CHECK(std::isnan(root.half_log_det()));
}
