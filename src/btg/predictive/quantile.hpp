// Quantiles of a predictive mixture: from a guess by a few representative nodes, a
// safeguarded iteration of high order on the logit of the cdf, which is nearly linear.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/predictive/mixture.hpp"

namespace btg {

// Where a quantile is known to be before the mixture is evaluated. `automatic` begins without
// a bracket and takes the convex hull when the iteration needs one.
enum class Bound { automatic, none, hull, singular, both };

struct Bracket {
  double lower = -INFINITY, upper = INFINITY;
};

// The convex hull: min_i f_i^-1(p) <= F^-1(p) <= max_i f_i^-1(p). If W, the sum of the
// |negative weights|, is not 0, over the nodes of positive weight:
//   [min f_i^-1(p / (1 + W)), max f_i^-1((p + W) / (1 + W))]
inline Bracket hull_bracket(const Mixture& mixture, double p) {
  const double negative = mixture.negative_mass();
  const double p_lower = p / (1.0 + negative), p_upper = (p + negative) / (1.0 + negative);
  const StudentT& t = mixture.nodes().t;
  const double t_lower = t.quantile(p_lower), t_upper = t.quantile(p_upper);
  Bracket bracket{INFINITY, -INFINITY};
  for (int i = 0; i < mixture.size(); ++i) {
    if (!(mixture.weights()[i] > 0.0)) continue;
    const double lower = mixture.component_quantile(i, p_lower, t_lower);
    const double upper = negative > 0.0 ? mixture.component_quantile(i, p_upper, t_upper) : lower;
    bracket.lower = std::fmin(bracket.lower, lower);
    bracket.upper = std::fmax(bracket.upper, upper);
  }
  return bracket;
}

// One heavy node decides: F >= w_i F_i - W and 1 - F >= w_i (1 - F_i) - W, so
//   F^-1(p) <= f_i^-1((p + W) / w_i)   and   F^-1(p) >= f_i^-1(1 - (1 - p + W) / w_i)
// wherever these are probabilities. Infinite where no node is heavy enough.
inline Bracket singular_bracket(const Mixture& mixture, double p) {
  const double negative = mixture.negative_mass();
  const StudentT& t = mixture.nodes().t;
  Bracket bracket;
  for (int i = 0; i < mixture.size(); ++i) {
    const double weight = mixture.weights()[i];
    const double p_upper = (p + negative) / weight, p_lower = 1.0 - (1.0 - p + negative) / weight;
    if (weight > 0.0 && p_upper < 1.0) {
      bracket.upper =
          std::fmin(bracket.upper, mixture.component_quantile(i, p_upper, t.quantile(p_upper)));
    }
    if (weight > 0.0 && p_lower > 0.0) {
      bracket.lower =
          std::fmax(bracket.lower, mixture.component_quantile(i, p_lower, t.quantile(p_lower)));
    }
  }
  return bracket;
}

// Where the steps of the iteration are taken: in log y if the support is positive, so that
// quantiles close to 0 are found to their own relative accuracy, else in asinh(y). In either a
// bracket of any width is halved in tens of steps.
struct StepScale {
  bool positive;
  double from(double y) const { return positive ? std::log(y) : std::asinh(y); }
  double to(double v) const { return positive ? std::exp(v) : std::sinh(v); }
  double slope(double v) const { return positive ? std::exp(v) : std::cosh(v); }
  // The range in which y and its slope are doubles.
  double least() const { return -690.0; }
  double most() const { return 690.0; }
};

class QuantileSolver {
 public:
  QuantileSolver(const Mixture& mixture, double tolerance, Bound bound = Bound::automatic)
      : mixture_(mixture),
        tolerance_(tolerance),
        bound_(bound),
        scale_{mixture.nodes().support.lower >= 0.0} {
    choose_representatives();
  }

  // Near the quantile, without evaluating the mixture.
  double guess(double p) const { return scale_.to(guess_quantile(p)); }

  // The y with |F(y) - p| <= tolerance * min(p, 1 - p), or one double from it; 0 or infinite
  // if |y| is too small or too large to be a double.
  double quantile(double p) const {
    Search search{p, tolerance_ * std::fmin(p, 1.0 - p)};
    search.v = guess_quantile(p);
    if (bound_ == Bound::hull || bound_ == Bound::singular || bound_ == Bound::both) {
      close_bracket(search);
      if (!search.found && !(search.below < search.v && search.v < search.above)) {
        search.v = 0.5 * (search.below + search.above);
      }
    }
    for (int iteration = 0; iteration < 300 && !search.found; ++iteration) {
      const Point point = evaluate(search, search.v);
      // Good steps need few; where they do not arrive, every other one is a bisection.
      const bool bisect = iteration >= 6 && iteration % 2 == 0;
      if (!search.found) take_step(search, point, bisect);
    }
    if (!search.found) {
      throw Error("quantile", "The quantile at p = " + std::to_string(p) + " was not reached.");
    }
    return search.answer;
  }

 private:
  // At v: the logit of F less that of p, and its slope.
  struct Point {
    double v, logit, slope;
  };

  struct Search {
    double p, accuracy;
    double v = 0.0;
    double below = -INFINITY, above = INFINITY;  // F is less than p at `below`, more at `above`
    double last_step = 4.0;
    Point previous{0.0, NAN, NAN};
    bool found = false;
    double answer = NAN;
  };

  // Up to 16 nodes that stand for all: one for each sixteenth of the weight.
  void choose_representatives() {
    const int most = 16;
    const Eigen::VectorXd& w = mixture_.weights();
    if (mixture_.size() <= most) {
      for (int i = 0; i < mixture_.size(); ++i) {
        if (w[i] > 0.0) representatives_.push_back(i);
      }
      return;
    }
    const double total = w.cwiseMax(0.0).sum();
    double sum = 0.0;
    for (int i = 0; i < mixture_.size(); ++i) {
      sum += std::fmax(w[i], 0.0);
      const double next = (static_cast<double>(representatives_.size()) + 0.5) / most;
      if (sum >= next * total) representatives_.push_back(i);
    }
  }

  // The mean of the representatives' quantiles, on the step scale.
  double guess_quantile(double p) const {
    const double t_quantile = mixture_.nodes().t.quantile(p);
    const bool all = mixture_.size() <= 16;
    double sum = 0.0, total = 0.0;
    for (const int i : representatives_) {
      const double v = scale_.from(mixture_.component_quantile(i, p, t_quantile));
      const double weight = all ? mixture_.weights()[i] : 1.0;
      sum += weight * std::fmin(std::fmax(v, scale_.least()), scale_.most());
      total += weight;
    }
    return sum / total;
  }

  // Evaluates the mixture, takes the point as an end of the bracket, and as the answer if it
  // is close enough.
  Point evaluate(Search& search, double v) const {
    const double y = scale_.to(v);
    const MixtureValue f = mixture_.evaluate(y);
    const double error =
        search.p < 0.5 ? f.cdf - search.p : (1.0 - search.p) - f.survival;  // no cancellation
    if (std::abs(error) <= search.accuracy) {
      search.found = true;
      search.answer = y;
    }
    (error < 0.0 ? search.below : search.above) = v;
    return {v, std::log(f.cdf / f.survival) - std::log(search.p / (1.0 - search.p)),
            f.density * scale_.slope(v) / (f.cdf * f.survival)};
  }

  void take_step(Search& search, const Point& point, bool bisect) const {
    double next = interpolate(search, point);
    if (!acceptable(search, next)) next = search.v - point.logit / point.slope;
    if (bisect || !acceptable(search, next)) {
      close_bracket(search);
      if (search.found) return;
      next = 0.5 * (search.below + search.above);
      // Doubles near 0 are finer than responses are, and a mixture may jump there: where one model
      // puts mass at less than the smallest double and another goes below 0.
      if (search.above - search.below < 1e-30) {
        next = search.v = std::abs(search.v) < 1e-29 ? 0.0 : search.v;
      }
      if (next == search.below || next == search.above) next = search.v;
    }
    search.last_step = std::abs(next - search.v);
    search.previous = point;
    if (next == search.v) {
      search.found = true;
      search.answer = scale_.to(search.v);
    }
    search.v = next;
  }

  // The cubic in the logit through two points with their slopes, at 0.
  static double interpolate(const Search& search, const Point& b) {
    const Point& a = search.previous;
    const double width = b.logit - a.logit, t = -a.logit / width, s = 1.0 - t;
    return s * s * (1.0 + 2.0 * t) * a.v + t * t * (3.0 - 2.0 * t) * b.v +
           t * s * width * (s / a.slope - t / b.slope);
  }

  // Inside the bracket, and half of the last step at most.
  static bool acceptable(const Search& search, double next) {
    return search.below < next && next < search.above &&
           std::abs(next - search.v) < 0.5 * search.last_step;
  }

  // Makes both ends finite. An end that was not evaluated before is evaluated now: brackets
  // are checked, never assumed.
  void close_bracket(Search& search) const {
    if (std::isfinite(search.below) && std::isfinite(search.above)) return;
    const Bracket bracket = bound_bracket(search.p);
    const double start = std::fmin(std::fmax(search.v, scale_.least()), scale_.most());
    if (!std::isfinite(search.below)) close_end(search, bracket.lower, start, -1.0);
    if (!search.found && !std::isfinite(search.above)) close_end(search, bracket.upper, start, 1.0);
  }

  Bracket bound_bracket(double p) const {
    Bracket hull, singular;
    if (bound_ == Bound::automatic || bound_ == Bound::hull || bound_ == Bound::both) {
      hull = hull_bracket(mixture_, p);
    }
    if (bound_ == Bound::singular || bound_ == Bound::both) {
      singular = singular_bracket(mixture_, p);
    }
    return {std::fmax(hull.lower, singular.lower), std::fmin(hull.upper, singular.upper)};
  }

  // One end of the bracket: where the bound puts it, as rounding may have moved the bound, or by
  // doubling steps from there; without a bound, from `start`. If F does not reach p within the
  // range of doubles, the quantile is the end of that range.
  void close_end(Search& search, double bound, double start, double direction) const {
    const double limit = direction < 0.0 ? scale_.least() : scale_.most();
    const double& end = direction < 0.0 ? search.below : search.above;
    double step = 1.0;
    if (std::isfinite(bound) && direction * (scale_.from(bound) - limit) < 0.0) {
      start = scale_.from(bound);
      step = 1e-14 * std::fmax(1.0, std::abs(start));
    }
    for (; !search.found && !std::isfinite(end); step *= 2.0) {
      const double v = start + direction * step;
      if (direction * (v - limit) < 0.0) {
        evaluate(search, v);
        continue;
      }
      evaluate(search, limit);
      if (!search.found && !std::isfinite(end)) {
        search.found = true;
        search.answer = direction > 0.0 ? INFINITY : scale_.positive ? 0.0 : -INFINITY;
      }
    }
  }

  const Mixture& mixture_;
  double tolerance_;
  Bound bound_;
  StepScale scale_;
  std::vector<int> representatives_;
};

inline double quantile(const Mixture& mixture, double p, double tolerance,
                       Bound bound = Bound::automatic) {
  return QuantileSolver(mixture, tolerance, bound).quantile(p);
}

}  // namespace btg
