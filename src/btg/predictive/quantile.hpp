// Quantiles of a predictive mixture. Starts from a guess by a few representative nodes, and
// iterates with a safeguarded high-order method on the logit of the cdf, which is nearly linear.
#pragma once

#include <cmath>
#include <vector>

#include "btg/predictive/mixture.hpp"

namespace btg {

// The initial bracket of a quantile. `automatic` starts without one and uses the convex hull when
// the iteration needs it.
enum class Bound { automatic, none, hull, singular, both };

struct Bracket {
  double lower = -INFINITY, upper = INFINITY;
};

// The convex hull: min_i f_i^-1(p) <= F^-1(p) <= max_i f_i^-1(p). If W, the sum of |negative
// weights|, is not 0, it is over the nodes of positive weight:
//   [min f_i^-1(p / (1 + W)), max f_i^-1((p + W) / (1 + W))]
Bracket hull_bracket(const Mixture& mixture, double p);

// A bracket from one heavy node: F >= w_i F_i - W and 1 - F >= w_i (1 - F_i) - W, so
//   F^-1(p) <= f_i^-1((p + W) / w_i)   and   F^-1(p) >= f_i^-1(1 - (1 - p + W) / w_i)
// where these are probabilities. Infinite if no node is heavy enough.
Bracket singular_bracket(const Mixture& mixture, double p);

// The scale of the steps: log y if the support is positive, so that quantiles near 0 have relative
// accuracy, else asinh(y). On either scale, bisection takes only tens of steps for any bracket.
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
  QuantileSolver(const Mixture& mixture, double tolerance, Bound bound = Bound::automatic);

  // Approximates the quantile without evaluating the mixture.
  double guess(double p) const { return scale_.to(guess_quantile(p)); }

  // The y with |F(y) - p| <= tolerance * min(p, 1 - p), or one double from it. Returns 0 or
  // infinity if |y| is too small or too large for a double.
  double quantile(double p) const;

 private:
  // At v, the logit of F minus the logit of p, and its slope.
  struct Point {
    double v, logit, slope;
  };

  struct Search {
    double p, accuracy;
    double v = 0.0;
    double below = -INFINITY, above = INFINITY;  // F < p at `below` and F > p at `above`
    double last_step = 4.0;
    Point previous{0.0, NAN, NAN};
    bool found = false;
    double answer = NAN;
  };

  // Chooses up to 16 nodes, one per sixteenth of the weight.
  void choose_representatives();

  // Mean quantile of the representatives, on the step scale.
  double guess_quantile(double p) const;

  // Evaluates the mixture and makes v an end of the bracket, and the answer if it is close enough.
  Point evaluate(Search& search, double v) const;

  void take_step(Search& search, const Point& point, bool bisect) const;

  // The cubic in the logit through two points with their slopes, at 0.
  static double interpolate(const Search& search, const Point& b);

  // True if inside the bracket and less than half the last step away.
  static bool acceptable(const Search& search, double next);

  // Makes both ends finite. An end not evaluated before is evaluated here, so brackets are always
  // verified.
  void close_bracket(Search& search) const;

  Bracket bound_bracket(double p) const;

  // Finds one end of the bracket: near the bound, which rounding may have moved, or by doubling
  // steps from there. Without a bound it starts from `start`. If F does not reach p within the
  // range of doubles, the quantile is the end of that range.
  void close_end(Search& search, double bound, double start, double direction) const;

  const Mixture& mixture_;
  double tolerance_;
  Bound bound_;
  StepScale scale_;
  std::vector<int> representatives_;
};

double quantile(const Mixture& mixture, double p, double tolerance, Bound bound = Bound::automatic);

}  // namespace btg
