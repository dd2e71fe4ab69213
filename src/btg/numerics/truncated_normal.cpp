#include "btg/numerics/truncated_normal.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "btg/base/constants.hpp"
#include "btg/base/policy.hpp"

namespace btg {

namespace {

constexpr double root_half = 0.70710678118654752440;

// From here on, the upper tail is computed by its asymptotic series: erfc underflows later.
constexpr double far = 25.0;

// P(Z > x)
double upper_tail(double x) { return 0.5 * std::erfc(root_half * x); }

double log_density(double x) { return -0.5 * (x * x + log_two_pi); }

// log P(Z > x)
double log_upper_tail(double x) {
  if (x < far) return std::log(upper_tail(x));
  const double s = 1.0 / (x * x);
  return log_density(x) - std::log(x) + std::log1p(-s * (1.0 - s * (3.0 - s * (15.0 - 105.0 * s))));
}

// True if the log density is nearly a parabola on [a, b], whose mass then has a short series.
bool is_narrow(double a, double b) {
  return (b - a) * std::max(1.0, std::max(std::abs(a), std::abs(b))) < 0.1;
}

// With the midpoint m and width h, phi(m) h (1 + (m^2 - 1) h^2 / 24 + ...).
double log_narrow_mass(double a, double b) {
  const double m = 0.5 * (a + b), h = b - a, s = m * m, t = h * h;
  return log_density(m) + std::log(h) +
         std::log1p((s - 1.0) * t / 24.0 + (s * s - 6.0 * s + 3.0) * t * t / 1920.0);
}

// Wichura's AS 241: the quantile function of the normal in the upper tail, from r = sqrt(-log
// tail).
double quantile_of_root(double r) {
  if (r <= 5.0) {
    r -= 1.6;
    return (((((((7.74545014278341407640e-4 * r + 2.27238449892691845833e-2) * r +
                 2.41780725177450611770e-1) *
                    r +
                1.27045825245236838258) *
                   r +
               3.64784832476320460504) *
                  r +
              5.76949722146069140550) *
                 r +
             4.63033784615654529590) *
                r +
            1.42343711074968357734) /
           (((((((1.05075007164441684324e-9 * r + 5.47593808499534494600e-4) * r +
                 1.51986665636164571966e-2) *
                    r +
                1.48103976427480074590e-1) *
                   r +
               6.89767334985100004550e-1) *
                  r +
              1.67638483018380384940) *
                 r +
             2.05319162663775882187) *
                r +
            1.0);
  }
  r -= 5.0;
  return (((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r +
               1.24266094738807843860e-3) *
                  r +
              2.65321895265761230930e-2) *
                 r +
             2.96560571828504891230e-1) *
                r +
            1.78482653991729133580) *
               r +
           5.46378491116411436990) *
              r +
          6.65790464350110377720) /
         (((((((2.04426310338993978564e-15 * r + 1.42151175831644588870e-7) * r +
               1.84631831751005468180e-5) *
                  r +
              7.86869131145613259100e-4) *
                 r +
             1.48753612908506148525e-2) *
                r +
            1.36929880922735805310e-1) *
               r +
           5.99832206555887937690e-1) *
              r +
          1.0);
}

// The same near the median, at q = 1/2 - tail with |q| <= 0.425.
double central_quantile(double q) {
  const double r = 0.180625 - q * q;
  return q *
         (((((((2509.0809287301226727 * r + 33430.575583588128105) * r + 67265.770927008700853) *
                  r +
              45921.953931549871457) *
                 r +
             13731.693765509461125) *
                r +
            1971.5909503065514427) *
               r +
           133.14166789178437745) *
              r +
          3.387132872796366608) /
         (((((((5226.495278852854561 * r + 28729.085735721942674) * r + 39307.89580009271061) * r +
              21213.794301586595867) *
                 r +
             5394.1960214247511077) *
                r +
            687.1870074920579083) *
               r +
           42.313330701600911252) *
              r +
          1.0);
}

// Solves P(Z > x) = tail.
double upper_quantile(double tail) {
  const double q = 0.5 - tail;
  if (std::abs(q) <= 0.425) return central_quantile(q);
  return q > 0.0 ? quantile_of_root(std::sqrt(-std::log(tail)))
                 : -quantile_of_root(std::sqrt(-std::log1p(-tail)));
}

// The same from the log of a tail below 7%.
double upper_quantile_of_log(double log_tail) {
  if (log_tail > -700.0) return quantile_of_root(std::sqrt(-log_tail));
  const double square = -2.0 * log_tail - log_two_pi;
  double x = std::sqrt(square - std::log(square));
  for (int i = 0; i < 3; ++i) x += (log_upper_tail(x) - log_tail) / (x + 1.0 / x);
  return x;
}

// The quantile for 0 <= a < b.
double quantile_in_tail(double u, double a, double b) {
  if (a < 1.5) return upper_quantile((1.0 - u) * upper_tail(a) + u * upper_tail(b));
  const double log_tail = log_upper_tail(a);
  const double ratio = std::isinf(b) ? 0.0 : std::exp(log_upper_tail(b) - log_tail);
  return upper_quantile_of_log(log_tail + std::log((1.0 - u) + u * ratio));
}

}  // namespace

double log_normal_mass(double a, double b) {
  if (a > 0.0 || (a == 0.0 && b > 0.0)) return log_normal_mass(-b, -a);
  if (std::isinf(a)) return std::isinf(b) && b > 0.0 ? 0.0 : log_upper_tail(-b);
  if (is_narrow(a, b)) return log_narrow_mass(a, b);
  if (b > 0.0) return std::log1p(-(upper_tail(b) + upper_tail(-a)));
  if (b > -far) return std::log(upper_tail(-b) - upper_tail(-a));
  const double log_tail = log_upper_tail(-b);
  return log_tail + std::log1p(-std::exp(log_upper_tail(-a) - log_tail));
}

double NormalInterval::variance(double a, double b) const {
  const double lower = std::isinf(a) ? 0.0 : a * lower_density;
  const double upper = std::isinf(b) ? 0.0 : b * upper_density;
  const double m = mean();
  // Differences cancel in a narrow interval, where the distribution is nearly uniform, and in a far
  // tail, where it is nearly exponential.
  const double h = b - a;
  if (is_narrow(a, b)) return h * h / 12.0;
  const double nearest = a > 0.0 ? a : b < 0.0 ? -b : 0.0;
  const double least = 0.5 / (1.0 + nearest * nearest) * (std::isinf(h) ? 1.0 : std::min(1.0, h));
  return std::min(1.0, std::max(1.0 + lower - upper - m * m, 1e-3 * least));
}

NormalInterval normal_interval(double a, double b) {
  NormalInterval result{log_normal_mass(a, b), 0.0, 0.0};
  if (!std::isinf(a)) result.lower_density = std::exp(log_density(a) - result.log_mass);
  if (!std::isinf(b)) result.upper_density = std::exp(log_density(b) - result.log_mass);
  return result;
}

double truncated_normal_quantile(double u, double a, double b) {
  double x;
  if (a >= 0.0) {
    x = quantile_in_tail(u, a, b);
  } else if (b <= 0.0) {
    x = -quantile_in_tail(1.0 - u, -b, -a);
  } else {
    const double below = upper_tail(-a), above = upper_tail(b);
    const double tail = (1.0 - u) * (1.0 - below) + u * above;
    x = tail < 0.5 ? upper_quantile(tail) : -upper_quantile((1.0 - u) * below + u * (1.0 - above));
  }
  return std::min(std::max(x, a), b);
}

double log_t_mass(double a, double b, double degrees_of_freedom) {
  if (std::isinf(degrees_of_freedom)) return log_normal_mass(a, b);
  if (a > 0.0) return log_t_mass(-b, -a, degrees_of_freedom);
  const boost::math::students_t_distribution<double, MathPolicy> t(degrees_of_freedom);
  const auto lower_tail = [&](double x) { return std::isinf(x) ? 0.0 : boost::math::cdf(t, x); };
  const double below = lower_tail(a);
  if (b > 0.0) return std::log1p(-(below + lower_tail(-b)));
  return std::log(lower_tail(b) - below);
}

}  // namespace btg
