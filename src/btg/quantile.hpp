// Quantiles of a predictive mixture: a bracket from the components' quantiles, then
// Newton's iteration kept inside it.
#pragma once

#include <cmath>
#include <string>

#include "error.hpp"
#include "mixture.hpp"

namespace btg {

struct Bracket {
  double lower, upper;
  double guess;  // between them: the weighted mean of the components' quantiles
};

// With positive weights, the convex hull: min_i f_i^-1(p) <= F^-1(p) <= max_i f_i^-1(p).
// With W the sum of the |negative weights|, over the nodes of positive weight:
//   [min f_i^-1(p / (1 + W)), max f_i^-1((p + W) / (1 + W))]
inline Bracket bracket_quantile(const Mixture& mixture, double p) {
  const double negative = mixture.negative_mass();
  const double p_lower = p / (1.0 + negative), p_upper = (p + negative) / (1.0 + negative);
  const double t_lower = mixture.t_quantile(p_lower), t_upper = mixture.t_quantile(p_upper);
  Bracket bracket{INFINITY, -INFINITY, 0.0};
  for (int i = 0; i < mixture.size(); ++i) {
    if (!(mixture.weight(i) > 0.0)) continue;
    const double lower = mixture.component_quantile(i, p_lower, t_lower);
    const double upper = negative > 0.0 ? mixture.component_quantile(i, p_upper, t_upper) : lower;
    bracket.lower = std::fmin(bracket.lower, lower);
    bracket.upper = std::fmax(bracket.upper, upper);
    bracket.guess += mixture.weight(i) * (0.5 * lower + 0.5 * upper);
  }
  bracket.guess /= 1.0 + negative;
  return bracket;
}

// Where the steps of the iteration are taken: in log|y| if the bracket has one sign, so
// that quantiles close to 0 are found to their own relative accuracy, else in asinh(y).
// In either a bracket of any width is halved in tens of steps.
struct StepScale {
  double sign;  // of all y, or 0 if both signs occur
  double from(double y) const { return sign == 0.0 ? std::asinh(y) : std::log(sign * y); }
  double to(double v) const { return sign == 0.0 ? std::sinh(v) : sign * std::exp(v); }
  double slope(double v) const { return sign == 0.0 ? std::cosh(v) : sign * std::exp(v); }
};

// The y with |F(y) - p| <= tolerance * min(p, 1 - p), or one double from it; 0 or infinite
// if |y| is too small or too large to be a double.
inline double quantile(const Mixture& mixture, double p, double tolerance) {
  const double accuracy = tolerance * std::fmin(p, 1.0 - p);
  const double largest = 1e300, smallest = 1e-300;
  const Bracket hull = bracket_quantile(mixture, p);
  if (hull.lower == hull.upper) return hull.lower;
  Bracket bracket{std::fmax(hull.lower, -largest), std::fmin(hull.upper, largest), hull.guess};
  const StepScale scale{hull.lower >= 0.0 ? 1.0 : hull.upper <= 0.0 ? -1.0 : 0.0};
  if (scale.sign > 0.0) bracket.lower = std::fmax(bracket.lower, smallest);
  if (scale.sign < 0.0) bracket.upper = std::fmin(bracket.upper, -smallest);
  if (mixture.evaluate(bracket.lower).cdf > p + accuracy) {
    if (bracket.lower > hull.lower) return scale.sign > 0.0 ? 0.0 : -INFINITY;
    throw Error("quantile", "No quantile at p = " + std::to_string(p) + ": bad lower bracket.");
  }
  if (mixture.evaluate(bracket.upper).cdf < p - accuracy) {
    if (bracket.upper < hull.upper) return scale.sign < 0.0 ? 0.0 : INFINITY;
    throw Error("quantile", "No quantile at p = " + std::to_string(p) + ": bad upper bracket.");
  }

  // v runs with y, or against it if y is negative.
  double below = scale.from(bracket.lower), above = scale.from(bracket.upper);
  double v = bracket.lower < hull.guess && hull.guess < bracket.upper ? scale.from(hull.guess)
                                                                      : 0.5 * (below + above);
  double last_step = INFINITY;
  for (int iteration = 0; iteration < 300; ++iteration) {
    const double y = scale.to(v);
    const CdfDensity f = mixture.evaluate(y);
    const double error = f.cdf - p;
    if (std::abs(error) <= accuracy) return y;
    (error < 0.0 ? below : above) = v;
    const double middle = 0.5 * (below + above);
    if (middle == below || middle == above) return y;
    // Newton, unless it leaves the bracket or does not halve its last step.
    const double step = -error / (f.density * scale.slope(v));
    const bool inside = std::fmin(below, above) < v + step && v + step < std::fmax(below, above);
    const double next = inside && std::abs(step) < 0.5 * last_step ? v + step : middle;
    last_step = std::abs(next - v);
    if (next == v) return y;
    v = next;
  }
  throw Error("quantile", "The quantile at p = " + std::to_string(p) + " was not reached.");
}

}  // namespace btg
