// Quantiles of a predictive mixture: bracket by the convex hull of the components'
// quantiles, then Newton's iteration kept inside the bracket.
#pragma once

#include <cmath>
#include <string>

#include "error.hpp"
#include "mixture.hpp"

namespace btg {

struct Bracket {
  double lower, upper;
};

// min_i f_i^-1(p) <= F^-1(p) <= max_i f_i^-1(p), for positive weights.
inline Bracket convex_hull(const Mixture& mixture, double p) {
  Bracket hull{INFINITY, -INFINITY};
  const double t_quantile = mixture.t_quantile(p);
  for (int i = 0; i < mixture.size(); ++i) {
    const double y = mixture.component_quantile(i, p, t_quantile);
    hull.lower = std::fmin(hull.lower, y);
    hull.upper = std::fmax(hull.upper, y);
  }
  return hull;
}

// The y with |F(y) - p| <= tolerance * min(p, 1 - p), or one double from it; infinite
// if y is too large to be a double. Steps are taken in v = asinh(y), in which a
// bracket of any width is halved in tens of steps.
inline double quantile(const Mixture& mixture, double p, double tolerance) {
  const double accuracy = tolerance * std::fmin(p, 1.0 - p);
  const double largest = 1e300;
  const Bracket hull = convex_hull(mixture, p);
  if (hull.lower == hull.upper) return hull.lower;
  const double start = std::fmax(hull.lower, -largest), end = std::fmin(hull.upper, largest);
  if (mixture.evaluate(start).cdf > p + accuracy) {
    if (start > hull.lower) return -INFINITY;
    throw Error("quantile", "No quantile at p = " + std::to_string(p) + ": bad lower bracket.");
  }
  if (mixture.evaluate(end).cdf < p - accuracy) {
    if (end < hull.upper) return INFINITY;
    throw Error("quantile", "No quantile at p = " + std::to_string(p) + ": bad upper bracket.");
  }

  double lower = std::asinh(start), upper = std::asinh(end);
  double v = 0.5 * (lower + upper);
  double last_width = INFINITY;
  for (int step = 0; step < 300; ++step) {
    const double y = std::sinh(v);
    const CdfDensity f = mixture.evaluate(y);
    const double error = f.cdf - p;
    if (std::abs(error) <= accuracy) return y;
    (error < 0.0 ? lower : upper) = v;
    const double middle = 0.5 * (lower + upper);
    if (!(lower < middle && middle < upper)) return y;
    // Newton, unless it leaves the bracket or the bracket has not halved in two steps.
    bool slow = false;
    if (step % 2 == 1) {
      slow = upper - lower > 0.5 * last_width;
      last_width = upper - lower;
    }
    const double newton = v - error / (f.density * std::cosh(v));
    v = newton > lower && newton < upper && !slow ? newton : middle;
  }
  throw Error("quantile", "The quantile at p = " + std::to_string(p) + " was not reached.");
}

}  // namespace btg
