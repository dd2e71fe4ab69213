// The equations of the tilts, also far out, and the derivative of the objective in the radius.
#include <cmath>
#include <limits>

#include "btg/backend/compute_eigen.hpp"
#include "btg/numerics/box_tilt.hpp"
#include "btg/numerics/truncated_normal.hpp"
#include "check.hpp"
#include "problems.hpp"

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

const double infinity = std::numeric_limits<double>::infinity();

// P of a lower triangular B with a unit diagonal.
MatrixXd random_precision(problems::Random& random, int d) {
  MatrixXd root = random.matrix(d, d, -0.4, 0.4).triangularView<Eigen::StrictlyLower>();
  root.diagonal().setOnes();
  return root.transpose() * root;
}

// The terms in R of the objective, at fixed centres.
double terms_in_radius(const btg::TiltProblem& problem, const btg::BoxTilt& tilt, double r) {
  const double nu = problem.radial.nu;
  double sum = (nu - 1.0) * std::log(r) - 0.5 * r * r;
  for (Eigen::Index k = 0; k < tilt.centre.size(); ++k) {
    sum += btg::log_normal_mass(r * problem.lower[k] - tilt.centre[k],
                                r * problem.upper[k] - tilt.centre[k]);
  }
  return sum;
}

}  // namespace

TEST("tilts solve their equations") {
  problems::Random random(5);
  for (const double nu : {3.0, 60.0, infinity}) {
    for (const double out : {0.0, 1.0, 8.0}) {
      for (const int d : {1, 2, 30}) {
        btg::TiltProblem problem{random_precision(random, d), VectorXd(d), VectorXd(d), {nu, 1.0}};
        const double unit = std::isinf(nu) ? 1.0 : std::sqrt(nu);
        for (int k = 0; k < d; ++k) {
          problem.lower[k] = k % 3 == 0 ? -infinity : (out + random.uniform(-1, 1)) / unit;
          problem.upper[k] = k % 3 == 1 ? infinity : (out + random.uniform(1.1, 1.3)) / unit;
        }
        const btg::BoxTilt tilt = btg::find_tilt(btg::eigen_compute(), problem);
        CHECK(tilt.found);
        const VectorXd residual = problem.precision * tilt.mean - tilt.mean + tilt.centre;
        CHECK(residual.cwiseAbs().maxCoeff() < 1e-2);
        for (int k = 0; k < d; ++k) {
          const double a = tilt.radius * problem.lower[k], b = tilt.radius * problem.upper[k];
          CHECK(tilt.mean[k] > a && tilt.mean[k] < b);
          const double mean =
              tilt.centre[k] + btg::normal_interval(a - tilt.centre[k], b - tilt.centre[k]).mean();
          CHECK_CLOSE(tilt.mean[k], mean, 1e-12);
        }
        if (std::isinf(nu)) continue;
        const double step = 1e-4;
        const double slope = (terms_in_radius(problem, tilt, tilt.radius + step) -
                              terms_in_radius(problem, tilt, tilt.radius - step)) /
                             (2 * step);
        CHECK(std::abs(slope) < 1e-2);
      }
    }
  }
}
