// The prior families, by their textbook formulas. Boost supplies the harder quantiles.
#pragma once

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/inverse_gamma.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <utility>

#include "btg/base/constants.hpp"
#include "btg/base/policy.hpp"
#include "btg/priors/family.hpp"

namespace btg {

struct NormalFamily : Family {
  NormalFamily(double mean_, double sd_) : mean(mean_), sd(sd_) {}
  double log_density(double x) const override {
    const double u = (x - mean) / sd;
    return -0.5 * (log_two_pi + u * u) - std::log(sd);
  }
  double cdf(double x) const override { return 0.5 * std::erfc((mean - x) / (sd * sqrt_two)); }
  double quantile(double p) const override {
    return mean - sd * sqrt_two * boost::math::erfc_inv(2.0 * p, MathPolicy());
  }
  double upper_quantile(double p) const override {
    return mean + sd * sqrt_two * boost::math::erfc_inv(2.0 * p, MathPolicy());
  }
  double mean, sd;
};

struct UniformFamily : Family {
  UniformFamily(double lower_, double upper_) : lower(lower_), upper(upper_) {}
  double log_density(double x) const override {
    return lower <= x && x <= upper ? -std::log(upper - lower) : -INFINITY;
  }
  double cdf(double x) const override {
    return std::fmin(std::fmax((x - lower) / (upper - lower), 0.0), 1.0);
  }
  double quantile(double p) const override { return lower + p * (upper - lower); }
  double upper_quantile(double p) const override { return upper - p * (upper - lower); }
  double lower, upper;
};

// The distribution of exp(X).
template <class Base>
struct ExpOf : Family {
  ExpOf(double first, double second) : base(first, second) {}
  double log_density(double x) const override {
    return x > 0.0 ? base.log_density(std::log(x)) - std::log(x) : -INFINITY;
  }
  double cdf(double x) const override { return x > 0.0 ? base.cdf(std::log(x)) : 0.0; }
  double quantile(double p) const override { return std::exp(base.quantile(p)); }
  double upper_quantile(double p) const override { return std::exp(base.upper_quantile(p)); }
  Base base;
};

struct HalfNormalFamily : Family {
  explicit HalfNormalFamily(double sd_) : sd(sd_) {}
  double log_density(double x) const override {
    if (x < 0.0) return -INFINITY;
    const double u = x / sd;
    return std::log(2.0) - 0.5 * (log_two_pi + u * u) - std::log(sd);
  }
  double cdf(double x) const override { return x > 0.0 ? std::erf(x / (sd * sqrt_two)) : 0.0; }
  double quantile(double p) const override {
    return sd * sqrt_two * boost::math::erf_inv(p, MathPolicy());
  }
  double upper_quantile(double p) const override {
    return sd * sqrt_two * boost::math::erfc_inv(p, MathPolicy());
  }
  double sd;
};

struct ExponentialFamily : Family {
  explicit ExponentialFamily(double rate_) : rate(rate_) {}
  double log_density(double x) const override {
    return x >= 0.0 ? std::log(rate) - rate * x : -INFINITY;
  }
  double cdf(double x) const override { return x > 0.0 ? -std::expm1(-rate * x) : 0.0; }
  double quantile(double p) const override { return -std::log1p(-p) / rate; }
  double upper_quantile(double p) const override { return -std::log(p) / rate; }
  double rate;
};

// A Boost distribution on the positive numbers.
template <class Distribution>
struct PositiveFamily : Family {
  PositiveFamily(double shape, double scale) : distribution(shape, scale) {}
  double cdf(double x) const override {
    if (x <= 0.0) return 0.0;
    return std::isinf(x) ? 1.0 : boost::math::cdf(distribution, x);
  }
  double quantile(double p) const override { return boost::math::quantile(distribution, p); }
  double upper_quantile(double p) const override {
    return boost::math::quantile(boost::math::complement(distribution, p));
  }
  Distribution distribution;
};

struct GammaFamily : PositiveFamily<boost::math::gamma_distribution<double, MathPolicy>> {
  GammaFamily(double shape, double rate_) : PositiveFamily(shape, 1.0 / rate_), rate(rate_) {}
  double log_density(double x) const override {
    if (!(x > 0.0)) return -INFINITY;
    const double shape = distribution.shape();
    return shape * std::log(rate) - std::lgamma(shape) + (shape - 1.0) * std::log(x) - rate * x;
  }
  double rate;
};

struct InverseGammaFamily
    : PositiveFamily<boost::math::inverse_gamma_distribution<double, MathPolicy>> {
  using PositiveFamily::PositiveFamily;
  double log_density(double x) const override {
    if (!(x > 0.0)) return -INFINITY;
    const double shape = distribution.shape(), scale = distribution.scale();
    return shape * std::log(scale) - std::lgamma(shape) - (shape + 1.0) * std::log(x) - scale / x;
  }
};

// The odds x = v / (1 - v) of v ~ Beta(alpha, beta). Boost returns v and 1 - v separately, so both
// tails keep their digits.
struct BetaPrimeFamily : Family {
  BetaPrimeFamily(double alpha_, double beta_) : alpha(alpha_), beta(beta_) {}
  double log_density(double x) const override {
    if (!(x > 0.0)) return -INFINITY;
    const double log_beta = std::lgamma(alpha) + std::lgamma(beta) - std::lgamma(alpha + beta);
    return (alpha - 1.0) * std::log(x) - (alpha + beta) * std::log1p(x) - log_beta;
  }
  double cdf(double x) const override {
    if (x <= 0.0) return 0.0;
    return std::isinf(x) ? 1.0 : boost::math::ibeta(alpha, beta, x / (1.0 + x), MathPolicy());
  }
  double quantile(double p) const override {
    double rest;
    const double v = boost::math::ibeta_inv(alpha, beta, p, &rest, MathPolicy());
    return v / rest;
  }
  double upper_quantile(double p) const override {
    double rest;
    const double v = boost::math::ibetac_inv(alpha, beta, p, &rest, MathPolicy());
    return v / rest;
  }
  double alpha, beta;
};

struct StudentTFamily : Family {
  StudentTFamily(double df, double location_, double scale_)
      : standard(df), location(location_), scale(scale_) {}
  double log_density(double x) const override {
    return student_t_log_density(standard.degrees_of_freedom(), (x - location) / scale) -
           std::log(scale);
  }
  double cdf(double x) const override { return boost::math::cdf(standard, (x - location) / scale); }
  double quantile(double p) const override {
    return location + scale * boost::math::quantile(standard, p);
  }
  double upper_quantile(double p) const override {
    return location - scale * boost::math::quantile(standard, p);
  }
  static double student_t_log_density(double df, double u) {
    const double log_beta = std::lgamma(0.5 * df) - std::lgamma(0.5 * (df + 1.0));
    return -0.5 * (df + 1.0) * std::log1p(u * (u / df)) - log_beta -
           0.5 * std::log(df * std::acos(-1.0));
  }
  boost::math::students_t_distribution<double, MathPolicy> standard;
  double location, scale;
};

// The distribution of |X| for a t variable X around 0. X^2 / (df scale^2) is the odds of a
// Beta(1/2, df/2) variable, which keeps the digits of small values.
struct HalfStudentTFamily : Family {
  HalfStudentTFamily(double df_, double scale_) : odds(0.5, 0.5 * df_), df(df_), scale(scale_) {}
  double log_density(double x) const override {
    if (x < 0.0) return -INFINITY;
    return std::log(2.0 / scale) + StudentTFamily::student_t_log_density(df, x / scale);
  }
  double cdf(double x) const override {
    const double u = x / scale;
    return x > 0.0 ? odds.cdf(u * (u / df)) : 0.0;
  }
  double quantile(double p) const override { return scale * std::sqrt(df * odds.quantile(p)); }
  double upper_quantile(double p) const override {
    return scale * std::sqrt(df * odds.upper_quantile(p));
  }
  BetaPrimeFamily odds;
  double df, scale;
};

}  // namespace btg
