// Textbook linear algebra in long double, an oracle for the core's own code and for that of Eigen
// and BLAS.
#pragma once

#include <Eigen/Core>

namespace problems {

using Long = long double;
using LongMatrix = Eigen::Matrix<Long, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<Long, Eigen::Dynamic, 1>;

LongMatrix widen(const Eigen::MatrixXd& a);
Eigen::MatrixXd narrow(const LongMatrix& a);

LongMatrix times(const LongMatrix& a, const LongMatrix& b);             // A B
LongMatrix transposed_times(const LongMatrix& a, const LongMatrix& b);  // A' B

// By Gaussian elimination with row pivots.
LongMatrix solve(const LongMatrix& a, const LongMatrix& b);  // A^-1 B
LongMatrix inverse(const LongMatrix& a);
Long log_abs_determinant(const LongMatrix& a);

// L with A = L L', from the lower triangle of A; NaN if A is not positive definite.
LongMatrix cholesky(const LongMatrix& a);

// The same for doubles.
Eigen::MatrixXd solve(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
Eigen::MatrixXd inverse(const Eigen::MatrixXd& a);
double log_abs_determinant(const Eigen::MatrixXd& a);
Eigen::MatrixXd cholesky(const Eigen::MatrixXd& a);

}  // namespace problems
