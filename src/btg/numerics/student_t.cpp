#include "btg/numerics/student_t.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <limits>

#include "btg/base/error.hpp"
#include "btg/base/policy.hpp"

namespace btg {

StudentT::StudentT(double degrees_of_freedom) : nu_(degrees_of_freedom) {
  if (!(nu_ > 0.0)) throw Error("argument", "The degrees of freedom must be positive.");
  // Boost computes Gamma((nu+1)/2) / Gamma(nu/2) without cancellation for large nu.
  log_constant_ = is_normal()
                      ? -0.5 * std::log(2.0 * pi)
                      : -std::log(boost::math::tgamma_delta_ratio(0.5 * nu_, 0.5, MathPolicy())) -
                            0.5 * std::log(nu_ * pi);
  tabulate_body();
  tabulate_far();
}

double StudentT::upper_quantile(double tail) const {
  int piece = 0, beyond = body_pieces;
  while (beyond - piece > 1) {
    const int middle = (piece + beyond) / 2;
    (body_[static_cast<std::size_t>(middle) * body_order] < tail ? beyond : piece) = middle;
  }
  double x = (piece + 0.5) * body_step;
  for (int i = 0; i < 5; ++i) {
    const TailDensity f = tail_and_density(x);
    const double step = (f.tail - tail) / f.density;
    x = std::fmax(x + step, 0.0);
    if (!(x < body_end)) return exact_upper_quantile(tail);
    if (std::abs(step) <= 1e-9 * x) break;
  }
  return x;
}

double StudentT::exact_cdf(double x) const {
  if (is_normal()) {
    return boost::math::cdf(boost::math::normal_distribution<double, MathPolicy>(), x);
  }
  return boost::math::cdf(boost::math::students_t_distribution<double, MathPolicy>(nu_), x);
}

double StudentT::exact_upper_quantile(double tail) const {
  if (!(tail > 0.0)) return std::numeric_limits<double>::infinity();
  if (is_normal()) {
    return -boost::math::quantile(boost::math::normal_distribution<double, MathPolicy>(), tail);
  }
  return -boost::math::quantile(boost::math::students_t_distribution<double, MathPolicy>(nu_),
                                tail);
}

StudentT::TailDensity StudentT::far(double x) const {
  if (std::isnan(x)) return {x, x};
  if (!(x < 1e100)) return {far_tail(x), std::exp(log_density(x))};
  const double density = std::exp(log_density(x));
  const double position = (x / (1.0 + x) - far_start) / far_step;
  const int piece = position < 0.0          ? 0
                    : position < far_pieces ? static_cast<int>(position)
                                            : far_pieces - 1;
  const double t = position - piece;
  const double* c = &far_[static_cast<std::size_t>(piece) * order];
  double value = c[order - 1];
  for (int k = order - 2; k >= 0; --k) value = value * t + c[k];
  return {density * tail_factor(x) * value, density};
}

double StudentT::far_tail(double x) const {
  if (is_normal()) return 0.0;
  return std::exp(log_constant_ + 0.5 * (nu_ - 1.0) * std::log(nu_) - nu_ * std::log(x));
}

void StudentT::tabulate_body() {
  body_.resize(static_cast<std::size_t>(body_pieces) * body_order);
  double tail = exact_cdf(-body_end);
  for (int piece = body_pieces - 1; piece >= 0; --piece) {
    const auto density = interpolate<body_order - 1>(
        piece * body_step, body_step, [&](double x) { return std::exp(log_density(x)); });
    double* powers = &body_[static_cast<std::size_t>(piece) * body_order];
    for (int k = 0; k < body_order - 1; ++k) {
      powers[k + 1] = -body_step * density[k] / (k + 1);
      tail -= powers[k + 1];
    }
    powers[0] = tail;
  }
}

void StudentT::tabulate_far() {
  for (int piece = 0; piece < far_pieces; ++piece) {
    const auto powers = interpolate<order>(far_start + piece * far_step, far_step,
                                           [&](double s) { return exact_ratio(s / (1.0 - s)); });
    far_.insert(far_.end(), powers.begin(), powers.end());
  }
}

double StudentT::exact_ratio(double x) const {
  if (is_normal()) {
    double fraction = x;
    for (int i = 200; i >= 1; --i) fraction = x + i / fraction;
    return (1.0 + x) / fraction;
  }
  if (x < 20.0) return exact_cdf(-x) / (std::exp(log_density(x)) * tail_factor(x));
  const double a = 0.5 * nu_, b = 0.5, w = 1.0 / (1.0 + x * (x / nu_));
  double c = 1.0, d = 0.0, fraction = 1.0;  // modified Lentz
  for (int i = 1; i < 100000; ++i) {
    const int m = i / 2;
    const double term = i % 2 == 0 ? m * (b - m) * w / ((a + i - 1) * (a + i))
                                   : -(a + m) * (a + b + m) * w / ((a + i - 1) * (a + i));
    d = 1.0 / (1.0 + term * d);
    c = 1.0 + term / c;
    fraction *= c * d;
    if (std::abs(c * d - 1.0) < 1e-16) break;
  }
  return x / (nu_ * fraction * tail_factor(x));
}

}  // namespace btg
