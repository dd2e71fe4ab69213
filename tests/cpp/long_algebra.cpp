#include "long_algebra.hpp"

#include <cmath>
#include <utility>

namespace problems {

namespace {

struct Elimination {
  LongMatrix solution;
  Long log_abs_determinant;
};

// Gauss-Jordan: rows are swapped so that the largest element of a column is its pivot.
Elimination eliminate(LongMatrix a, LongMatrix b) {
  const Eigen::Index n = a.rows(), columns = b.cols();
  Long log_determinant = 0;
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::Index pivot = k;
    for (Eigen::Index i = k + 1; i < n; ++i) {
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    }
    for (Eigen::Index j = 0; j < n; ++j) std::swap(a(k, j), a(pivot, j));
    for (Eigen::Index j = 0; j < columns; ++j) std::swap(b(k, j), b(pivot, j));
    log_determinant += std::log(std::abs(a(k, k)));
    for (Eigen::Index i = 0; i < n; ++i) {
      if (i == k) continue;
      const Long factor = a(i, k) / a(k, k);
      for (Eigen::Index j = k; j < n; ++j) a(i, j) -= factor * a(k, j);
      for (Eigen::Index j = 0; j < columns; ++j) b(i, j) -= factor * b(k, j);
    }
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < columns; ++j) b(i, j) /= a(i, i);
  }
  return {std::move(b), log_determinant};
}

}  // namespace

LongMatrix widen(const Eigen::MatrixXd& a) { return a.cast<Long>(); }

Eigen::MatrixXd narrow(const LongMatrix& a) { return a.cast<double>(); }

LongMatrix times(const LongMatrix& a, const LongMatrix& b) {
  LongMatrix c = LongMatrix::Zero(a.rows(), b.cols());
  for (Eigen::Index j = 0; j < b.cols(); ++j) {
    for (Eigen::Index k = 0; k < b.rows(); ++k) {
      for (Eigen::Index i = 0; i < a.rows(); ++i) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

LongMatrix transposed_times(const LongMatrix& a, const LongMatrix& b) {
  return times(a.transpose(), b);
}

LongMatrix solve(const LongMatrix& a, const LongMatrix& b) { return eliminate(a, b).solution; }

LongMatrix inverse(const LongMatrix& a) {
  return solve(a, LongMatrix::Identity(a.rows(), a.rows()));
}

Long log_abs_determinant(const LongMatrix& a) {
  return eliminate(a, LongMatrix(a.rows(), 0)).log_abs_determinant;
}

LongMatrix cholesky(const LongMatrix& a) {
  const Eigen::Index n = a.rows();
  LongMatrix l = LongMatrix::Zero(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = j; i < n; ++i) {
      Long sum = a(i, j);
      for (Eigen::Index k = 0; k < j; ++k) sum -= l(i, k) * l(j, k);
      l(i, j) = i == j ? std::sqrt(sum) : sum / l(j, j);
    }
  }
  return l;
}

Eigen::MatrixXd solve(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return narrow(solve(widen(a), widen(b)));
}

Eigen::MatrixXd inverse(const Eigen::MatrixXd& a) { return narrow(inverse(widen(a))); }

double log_abs_determinant(const Eigen::MatrixXd& a) {
  return static_cast<double>(log_abs_determinant(widen(a)));
}

Eigen::MatrixXd cholesky(const Eigen::MatrixXd& a) { return narrow(cholesky(widen(a))); }

}  // namespace problems
