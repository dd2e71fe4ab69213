#include "btg/numerics/normal_points.hpp"

#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "btg/base/policy.hpp"

namespace btg {

double normal_quantile(double p) {
  return -std::sqrt(2.0) * boost::math::erfc_inv(2.0 * p, MathPolicy());
}

double chi_square_quantile(double p, double degrees_of_freedom) {
  return 2.0 * boost::math::gamma_p_inv(0.5 * degrees_of_freedom, p, MathPolicy());
}

Eigen::MatrixXd normal_points(const Eigen::MatrixXd& uniform) {
  return uniform.unaryExpr([](double p) { return normal_quantile(p); });
}

}  // namespace btg
