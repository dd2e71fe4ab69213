// Normal masses against values of 40 digits, quantiles and moments by inverting and differencing
// them, and masses of t by boost.
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "btg/base/constants.hpp"
#include "btg/numerics/truncated_normal.hpp"
#include "check.hpp"

namespace {

const double infinity = std::numeric_limits<double>::infinity();

struct Case {
  double a, b, log_mass;
};
// Computed by mpmath with 40 digits.
const Case known[] = {
    {-1.0, 2.0, -0.20016629432446258},      {3.0, 3.01, -10.0390877611568805},
    {6.0, 7.0, -20.738067003282469},        {10.0, 10.5, -53.2369693717525016},
    {30.0, 31.0, -454.321243956343252},     {40.0, infinity, -804.608442013753788},
    {45.0, 45.001, -1020.3491096034074},    {-0.001, 0.001, -7.13354679829352002},
    {-infinity, -40, -804.608442013753788}, {-infinity, infinity, 0.0}};

const double starts[] = {-42.0, -9.0, -2.0, -0.3, 0.0, 0.4, 1.6, 5.0, 24.0, 26.0, 60.0};
const double widths[] = {1e-3, 0.06, 0.4, 3.0, infinity};

}  // namespace

TEST("masses of intervals") {
  for (const Case& one : known) {
    CHECK_CLOSE(btg::log_normal_mass(one.a, one.b), one.log_mass, 1e-13);
    CHECK_CLOSE(btg::log_normal_mass(-one.b, -one.a), one.log_mass, 1e-13);
  }
  CHECK(btg::log_normal_mass(1.0, 1.0) == -infinity);
}

TEST("masses add") {
  for (const double a : starts) {
    for (const double h : {1e-3, 0.3, 2.0}) {
      const double both = btg::log_normal_mass(a, a + 2.0 * h);
      const double sum = std::exp(btg::log_normal_mass(a, a + h) - both) +
                         std::exp(btg::log_normal_mass(a + h, a + 2.0 * h) - both);
      CHECK_CLOSE(sum, 1.0, 1e-11);
    }
  }
}

TEST("quantiles invert the mass") {
  for (const double a : starts) {
    for (const double h : widths) {
      for (const double u : {1e-9, 0.01, 0.5, 0.97}) {
        const double x = btg::truncated_normal_quantile(u, a, a + h);
        CHECK(x >= a && x <= a + h);
        // Rounding of x moves the mass below it by the density.
        const double rounding = 1e-13 * std::fmax(1.0, std::abs(a)) * std::fmax(1.0, std::abs(a));
        const double below = btg::log_normal_mass(a, x) - btg::log_normal_mass(a, a + h);
        if (h > 0.01)
          CHECK_CLOSE(std::exp(below) / u, 1.0, 1e-9 + rounding / (u * std::fmin(h, 1.0)));
        CHECK_CLOSE(btg::truncated_normal_quantile(1.0 - u, -a - h, -a), -x, 1e-7);
      }
    }
  }
}

TEST("moments are derivatives of the mass") {
  for (const double a : starts) {
    for (const double h : {0.06, 0.4, 3.0}) {
      const double step = 1e-4 * h, b = a + h;
      // The derivative of log P(a - t < Z < b - t) in t is the mean, and that of the mean is the
      // variance less 1.
      const auto log_mass = [&](double t) { return btg::log_normal_mass(a - t, b - t); };
      const auto mean = [&](double t) { return btg::normal_interval(a - t, b - t).mean(); };
      const btg::NormalInterval at = btg::normal_interval(a, b);
      const double scale = std::fmax(1.0, std::abs(a));
      CHECK_CLOSE(at.mean() / scale, (log_mass(step) - log_mass(-step)) / (2 * step) / scale, 1e-5);
      const double variance = 1.0 + (mean(step) - mean(-step)) / (2 * step);
      CHECK_CLOSE(at.variance(a, b) / (h * h), variance / (h * h), 2e-3);
      CHECK_CLOSE(at.log_mass, log_mass(0.0), 0);
    }
  }
  CHECK_CLOSE(btg::normal_interval(0.0, infinity).variance(0.0, infinity), 1.0 - 2.0 / btg::pi,
              1e-12);
  CHECK_CLOSE(btg::normal_interval(-infinity, infinity).variance(-infinity, infinity), 1.0, 0);
}

TEST("masses of t") {
  for (const double nu : {1.0, 4.5, 60.0}) {
    const boost::math::students_t t(nu);
    CHECK_CLOSE(std::exp(btg::log_t_mass(-1.0, 0.5, nu)),
                boost::math::cdf(t, 0.5) - boost::math::cdf(t, -1.0), 1e-13);
    CHECK_CLOSE(btg::log_t_mass(3.0, infinity, nu),
                std::log(boost::math::cdf(boost::math::complement(t, 3.0))), 1e-13);
    CHECK_CLOSE(btg::log_t_mass(-infinity, infinity, nu), 0.0, 0);
  }
  CHECK_CLOSE(btg::log_t_mass(6.0, 7.0, infinity), -20.738067003282469, 1e-13);
}
