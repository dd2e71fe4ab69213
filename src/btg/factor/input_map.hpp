// A linear map of two adjacent columns of the inputs, for processes whose lengthscale depends on
// the direction:
//
//   w = A x,   A = exp(-T/2),   T = [[u, v], [v, -u]] = t [[cos 2a, sin 2a], [sin 2a, -cos 2a]]
//
// Along the angle a, the lengthscale of x is exp(t/2) times that of w, and exp(-t/2) times across.
// A is symmetric with determinant 1, and smooth in (u, v), also where t = 0 and a has no meaning.
#pragma once

#include <Eigen/Core>
#include <array>

namespace btg {

struct InputMap {
  int column;   // and the next
  double u, v;  // the parameters

  Eigen::Matrix2d matrix() const;
  // The symmetric parts of dA/du A^-1 and dA/dv A^-1: with differences w and r^2 = w'w,
  // dr^2/du = 2 w' (dA/du A^-1) w.
  std::array<Eigen::Matrix2d, 2> slopes() const;

  // Replaces two columns of `points` by their images.
  void apply(Eigen::MatrixXd& points) const;
};

}  // namespace btg
