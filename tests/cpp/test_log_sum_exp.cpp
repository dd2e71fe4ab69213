// log(sum exp) against the naive sum, and at the infinities.
#include <limits>
#include <vector>

#include "btg/numerics/log_sum_exp.hpp"
#include "check.hpp"
#include "problems.hpp"

using btg::log_sum_exp;
using Eigen::VectorXd;
using problems::Random;

namespace {

const double infinity = std::numeric_limits<double>::infinity();

VectorXd vector(std::vector<double> values) {
  return Eigen::Map<VectorXd>(values.data(), values.size());
}

}  // namespace

TEST("log_sum_exp is the naive sum in long double") {
  Random random(1);
  for (int n : {1, 2, 5, 100, 1000}) {
    for (double spread : {0.1, 5.0, 600.0}) {
      const VectorXd x = random.matrix(n, 1, -spread, spread);
      long double sum = 0;
      for (int i = 0; i < n; ++i) sum += std::exp(problems::Long(x[i]));
      CHECK_CLOSE(log_sum_exp(x), double(std::log(sum)), 1e-14);
    }
  }
}

TEST("adding a number to all adds it to the result, however large") {
  const VectorXd x = Random(2).matrix(50, 1, -3, 3);
  for (double shift : {-1e8, -1e4, 0.0, 1e4, 1e8}) {
    CHECK_CLOSE(log_sum_exp(x.array() + shift) - shift, log_sum_exp(x),
                1e-14 + 1e-15 * std::abs(shift));
  }
}

TEST("closed forms") {
  CHECK(log_sum_exp(vector({-1234.5})) == -1234.5);
  CHECK_CLOSE(log_sum_exp(VectorXd::Constant(1024, -5000)), -5000 + std::log(1024), 1e-15);
  CHECK(log_sum_exp(vector({0, -1e6})) == 0);
}

TEST("minus infinity adds nothing") {
  CHECK(log_sum_exp(vector({})) == -infinity);
  CHECK(log_sum_exp(vector({-infinity})) == -infinity);
  CHECK(log_sum_exp(vector({-infinity, -infinity, -infinity})) == -infinity);
  CHECK_CLOSE(log_sum_exp(vector({-infinity, 3, -infinity, 3})), 3 + std::log(2), 1e-15);
}

TEST("infinity is infinity, and NaN is not hidden") {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  CHECK(log_sum_exp(vector({1, infinity, 2})) == infinity);
  CHECK(log_sum_exp(vector({infinity, -infinity})) == infinity);
  for (double other : {0.0, -700.0, 5.0}) {
    CHECK(std::isnan(log_sum_exp(vector({missing, other}))));
    CHECK(std::isnan(log_sum_exp(vector({other, missing}))));
    CHECK(std::isnan(log_sum_exp(vector({other, missing, other, other, other, other}))));
  }
}
