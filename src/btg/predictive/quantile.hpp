// Quantiles of a predictive mixture: from a guess by a few representative nodes, a
// safeguarded iteration of high order on the logit of the cdf, which is nearly linear.
#pragma once

#include <cmath>
#include <vector>

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
Bracket hull_bracket(const Mixture& mixture, double p);

// One heavy node decides: F >= w_i F_i - W and 1 - F >= w_i (1 - F_i) - W, so
//   F^-1(p) <= f_i^-1((p + W) / w_i)   and   F^-1(p) >= f_i^-1(1 - (1 - p + W) / w_i)
// wherever these are probabilities. Infinite where no node is heavy enough.
Bracket singular_bracket(const Mixture& mixture, double p);

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
  QuantileSolver(const Mixture& mixture, double tolerance, Bound bound = Bound::automatic);

  // Near the quantile, without evaluating the mixture.
  double guess(double p) const { return scale_.to(guess_quantile(p)); }

  // The y with |F(y) - p| <= tolerance * min(p, 1 - p), or one double from it; 0 or infinite
  // if |y| is too small or too large to be a double.
  double quantile(double p) const;

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
  void choose_representatives();

  // The mean of the representatives' quantiles, on the step scale.
  double guess_quantile(double p) const;

  // Evaluates the mixture, takes the point as an end of the bracket, and as the answer if it
  // is close enough.
  Point evaluate(Search& search, double v) const;

  void take_step(Search& search, const Point& point, bool bisect) const;

  // The cubic in the logit through two points with their slopes, at 0.
  static double interpolate(const Search& search, const Point& b);

  // Inside the bracket, and half of the last step at most.
  static bool acceptable(const Search& search, double next);

  // Makes both ends finite. An end that was not evaluated before is evaluated now: brackets
  // are checked, never assumed.
  void close_bracket(Search& search) const;

  Bracket bound_bracket(double p) const;

  // One end of the bracket: where the bound puts it, as rounding may have moved the bound, or by
  // doubling steps from there; without a bound, from `start`. If F does not reach p within the
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
