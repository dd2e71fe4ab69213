// Mean and variance of a predictive mixture, node by node: E h(Y) is an integral over
// Student's t. Both exist only where the tails of g^-1 grow slowly enough.
#pragma once

#include <Eigen/Core>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>
#include <vector>

#include "btg/predictive/mixture.hpp"

namespace btg {

// Of y - origin, where `origin` is a y in the middle of the distribution.
struct Moments {
  double first = 0.0, second = 0.0;
};

// NaN where a moment does not exist.
struct MeanVariance {
  double mean, variance;
};

// The double-exponential rule for the t distribution on the whole line: x = sinh(pi/2 sinh v) at
// equal steps of v. Its weights include the density; every other point is a rule of its own.
class TExpectation {
 public:
  explicit TExpectation(const StudentT& t) {
    const double half_pi = 1.57079632679489661923;
    for (int k = -steps; k <= steps; ++k) {
      const double v = k * (reach / steps), inner = half_pi * std::sinh(v);
      const double x = std::sinh(inner);
      const double log_weight = t.log_density(x) + std::log(half_pi * std::cosh(v) * reach / steps);
      x_.push_back(x);
      weight_.push_back(std::exp(log_weight + std::log(std::cosh(inner))));
    }
  }

  // The integrals of h(x) and h(x)^2; false if the rule of every other point differs.
  template <class H>
  bool moments(H h, Moments& result) const {
    Moments fine, coarse;
    for (std::size_t k = 0; k < x_.size(); ++k) {
      if (!(weight_[k] > 0.0)) continue;
      const double value = h(x_[k]), part = weight_[k] * value;
      if (!std::isfinite(value)) return false;
      fine.first += part;
      fine.second += part * value;
      if (k % 2 == 0) coarse.first += 2.0 * part, coarse.second += 2.0 * part * value;
    }
    result = fine;
    return std::abs(fine.second - coarse.second) <= 1e-6 * fine.second &&
           std::abs(fine.first - coarse.first) <= 1e-6 * std::sqrt(fine.second);
  }

 private:
  static constexpr int steps = 48;
  static constexpr double reach = 4.5;
  std::vector<double> x_, weight_;
};

// Of one node, Y not below `floor`.
inline Moments component_moments(const Mixture& mixture, const TExpectation& whole_line, int i,
                                 double origin, double floor) {
  const StudentT& t = mixture.nodes().t;
  const Mixture::Component& c = mixture.component(i);
  const Mixture::Origin& from = mixture.origin(i);
  const auto at = [&](double x) {
    return std::fmax(from.block->inverse(from.index, c.location + c.scale * x), floor) - origin;
  };
  Moments result;
  if (!(c.mass > 0.0)) {
    result.first = at(c.side < 0 ? -INFINITY : INFINITY);
    result.second = result.first * result.first;
    return result;
  }
  double lower = (from.block->images[from.index].lower - c.location) / c.scale;
  const double upper = (from.block->images[from.index].upper - c.location) / c.scale;
  if (floor > from.block->domains[from.index].lower) {
    lower = (from.block->forward(from.index, floor) - c.location) / c.scale;
  }
  const double cut = t.cdf(lower) - c.below;  // mass at the floor
  if (t.cdf(lower) + t.cdf(-upper) < 1e-14 && whole_line.moments(at, result)) return result;

  using boost::math::quadrature::exp_sinh;
  using boost::math::quadrature::tanh_sinh;
  const auto integrate = [&](auto h) {
    const auto integrand = [&](double x) {
      const double value = h(x) * t.density(std::abs(x));
      return std::isfinite(value) ? value : 0.0;
    };
    const double a = std::fmax(lower, -1e300), b = std::fmin(upper, 1e300);
    if (std::isfinite(lower) && std::isfinite(upper))
      return tanh_sinh<double>().integrate(integrand, a, b, 1e-9);
    const double middle = std::isfinite(lower) ? lower : std::isfinite(upper) ? upper : 0.0;
    double sum = 0.0;
    if (!std::isfinite(upper))
      sum += exp_sinh<double>().integrate(integrand, middle, INFINITY, 1e-9);
    if (!std::isfinite(lower))
      sum += exp_sinh<double>().integrate(integrand, -INFINITY, middle, 1e-9);
    return sum;
  };
  const double at_floor = cut > 0.0 ? cut * (floor - origin) : 0.0;
  result.first = (integrate(at) + at_floor) / c.mass;
  result.second = (integrate([&](double x) { return at(x) * at(x); }) +
                   at_floor * (cut > 0.0 ? floor - origin : 0.0)) /
                  c.mass;
  return result;
}

// The largest power of the tails of g^-1 over all nodes, where the t has mass: moments of order
// k exist if k times it is less than the degrees of freedom. A floor bounds the lower tail.
inline double largest_tail_power(const Mixture& mixture, double floor) {
  double largest = 0.0;
  for (int i = 0; i < mixture.size(); ++i) {
    const Mixture::Origin& from = mixture.origin(i);
    const Interval& image = from.block->images[from.index];
    const double* lambda = from.block->parameters(from.index);
    if (mixture.weights()[i] == 0.0) continue;
    if (std::isinf(image.upper))
      largest = std::fmax(largest, from.block->g.tail_power(lambda, true));
    if (std::isinf(image.lower) && floor == -INFINITY) {
      largest = std::fmax(largest, from.block->g.tail_power(lambda, false));
    }
  }
  return largest;
}

inline MeanVariance mean_variance(const Mixture& mixture, const TExpectation& whole_line,
                                  double origin, double floor) {
  const double power = largest_tail_power(mixture, floor);
  const double df = mixture.nodes().t.degrees_of_freedom();
  const auto exists = [&](int order) { return order * power < df || std::isinf(df); };
  if (!exists(1)) return {NAN, NAN};
  Moments total;
  for (int i = 0; i < mixture.size(); ++i) {
    if (mixture.weights()[i] == 0.0) continue;
    const Moments part = component_moments(mixture, whole_line, i, origin, floor);
    total.first += mixture.weights()[i] * part.first;
    total.second += mixture.weights()[i] * part.second;
  }
  return {origin + total.first,
          exists(2) ? std::fmax(total.second - total.first * total.first, 0.0) : NAN};
}

}  // namespace btg
