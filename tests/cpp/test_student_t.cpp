// Student's t against Boost in long double, and against closed forms.
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cstdio>
#include <limits>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/numerics/student_t.hpp"
#include "check.hpp"

using btg::StudentT;
using Long = long double;

namespace {

using Oracle = boost::math::students_t_distribution<Long>;

const double infinity = std::numeric_limits<double>::infinity();
const std::vector<double> all_degrees{1, 2, 3.5, 5, 30, 200, 1000, 1e6};

// Zero and both signs of magnitudes from 1e-10 to 1e6, densest around 1.
std::vector<double> points() {
  std::vector<double> xs{0};
  for (double exponent = -10; exponent <= 6; exponent += std::abs(exponent) < 1.2 ? 0.01 : 0.07) {
    xs.push_back(std::pow(10, exponent));
    xs.push_back(-xs.back());
  }
  return xs;
}

// Closed forms where there are any (Boost's long double loses half its digits near 0 at
// one degree of freedom), without cancellation in the lower tail.
Long exact_cdf(double degrees_of_freedom, Long x) {
  if (degrees_of_freedom == 1) {
    const Long pi = 3.14159265358979323846264338327950288L;
    return x < -1 ? std::atan(-1 / x) / pi : 0.5L + std::atan(x) / pi;
  }
  if (degrees_of_freedom == 2) {
    const Long root = std::sqrt(2 + x * x);
    return x < 0 ? 1 / (root * (root - x)) : (1 + x / root) / 2;
  }
  return boost::math::cdf(Oracle(degrees_of_freedom), x);
}

// 1e-12 in the body, 1e-9 in the tails; a tail too small for a double may be anything
// that small.
void check_relative(double actual, Long expected, bool body, const char* what, double x,
                    double degrees_of_freedom) {
  bool ok = std::abs(actual - expected) <= (body ? 1e-12L : 1e-9L) * std::abs(expected);
  if (std::abs(expected) < 1e-300L) ok = std::abs(actual) <= 1e-300;
  if (ok) return;
  char message[200];
  std::snprintf(message, sizeof message, "%s(%g), df %g: %.17g, expected %.17g", what, x,
                degrees_of_freedom, actual, double(expected));
  check::report(false, __FILE__, __LINE__, message);
}

bool in_body(double x) { return std::abs(x) < 5; }

}  // namespace

TEST("the degrees of freedom are those given") {
  for (double df : all_degrees) CHECK(StudentT(df).degrees_of_freedom() == df);
}

TEST("cdf, with relative accuracy in both tails") {
  for (double df : all_degrees) {
    const StudentT t(df);
    for (double x : points()) {
      check_relative(t.cdf(x), exact_cdf(df, x), in_body(x), "cdf", x, df);
      // The upper tail is the lower tail of -x.
      CHECK_CLOSE(t.cdf(x) + t.cdf(-x), 1, 1e-12);
    }
  }
}

TEST("density") {
  for (double df : all_degrees) {
    const StudentT t(df);
    const Oracle oracle(df);
    for (double x : points()) {
      check_relative(t.density(x), boost::math::pdf(oracle, Long(x)), in_body(x), "density", x, df);
      CHECK(t.density(x) == t.density(-x));
    }
  }
}

TEST("quantile, from the far lower tail to the upper one") {
  std::vector<double> ps{1e-180, 1e-100, 1e-30};
  for (double exponent = -15; exponent < -0.302; exponent += 0.1) {
    ps.push_back(std::pow(10, exponent));
    ps.push_back(1 - ps.back());
  }
  for (double df : all_degrees) {
    const StudentT t(df);
    const Oracle oracle(df);
    for (double p : ps) {
      const bool body = p > 1e-4 && p < 1 - 1e-4;
      const Long expected = p < 0.5 ? boost::math::quantile(oracle, Long(p))
                                    : boost::math::quantile(complement(oracle, 1 - Long(p)));
      check_relative(t.quantile(p), expected, body, "quantile", p, df);
    }
    CHECK_CLOSE(t.quantile(0.5), 0, 1e-15);
  }
}

TEST("the cdf of a quantile is p") {
  for (double df : all_degrees) {
    const StudentT t(df);
    for (double p = 1e-12; p < 0.5; p *= 1.3) {
      CHECK_CLOSE(t.cdf(t.quantile(p)) / p, 1, 1e-9);
      CHECK_CLOSE(t.cdf(-t.quantile(1 - p)) / p, 1, 1e-9 + 1e-15 / p);
    }
  }
}

TEST("the cdf never decreases, and its slope is the density") {
  for (double df : all_degrees) {
    const StudentT t(df);
    double previous = 0;
    for (double x = -40; x <= 40; x += 0.01) {
      const double cdf = t.cdf(x);
      CHECK(previous <= cdf && cdf <= 1);
      previous = cdf;
    }
    for (double x : {-7.3, -2.0, -0.4, 0.0, 0.9, 3.1}) {
      const double h = 1e-4;
      CHECK_CLOSE((t.cdf(x + h) - t.cdf(x - h)) / (2 * h), t.density(x), 1e-8);
    }
  }
}

TEST("many degrees of freedom are nearly normal") {
  for (double x : {-6.0, -3.0, -1.0, 0.0, 0.5, 2.0}) {
    const double normal = 0.5 * std::erfc(-x / std::sqrt(2.0));
    CHECK_CLOSE(StudentT(1e9).cdf(x) / normal, 1, 1e-6);
  }
}

TEST("infinite degrees of freedom are the normal distribution") {
  const StudentT normal(infinity);
  const boost::math::normal_distribution<Long> oracle;
  for (double x : points()) {
    check_relative(normal.cdf(x), cdf(oracle, Long(x)), in_body(x), "cdf", x, infinity);
    check_relative(normal.density(x), pdf(oracle, Long(x)), in_body(x), "density", x, infinity);
  }
  for (double p : {1e-300, 1e-20, 1e-6, 0.025, 0.3, 0.5, 0.9}) {
    check_relative(normal.quantile(p), boost::math::quantile(oracle, Long(p)), true, "quantile", p,
                   infinity);
  }
  CHECK(normal.cdf(-infinity) == 0 && normal.cdf(infinity) == 1 && normal.density(infinity) == 0);
}

TEST("the degrees of freedom must be positive") {
  CHECK_THROWS(StudentT(0), btg::Error);
  CHECK_THROWS(StudentT(-1), btg::Error);
  CHECK_THROWS(StudentT(std::numeric_limits<double>::quiet_NaN()), btg::Error);
}

TEST("far out and at infinity") {
  for (double df : all_degrees) {
    const StudentT t(df);
    for (double x : {1e8, 1e20, 1e100, 1e150, 1e154, 1e160, 1e200, 1e300}) {
      CHECK(0 <= t.cdf(-x) && t.cdf(-x) <= 1 / x);
      CHECK(t.cdf(x) <= 1 && t.cdf(x) >= 1 - 1 / x);
      CHECK(0 <= t.density(x) && t.density(x) <= 1 / x);
    }
    CHECK(t.cdf(-infinity) == 0);
    CHECK(t.cdf(infinity) == 1);
    CHECK(t.density(infinity) == 0);
    CHECK(t.density(-infinity) == 0);
    CHECK(t.quantile(0) == -infinity);
    CHECK(t.quantile(1) == infinity);
  }
}
