// Partial moments of a predictive distribution, the integrals of its tails:
//
//   E(a - Y)+ = integral of F below a,     E(Y - a)+ = integral of 1 - F above a.
//
// The points of an adaptive rule are kept, so that derivatives of the tails are integrated by the
// same rule.
#pragma once

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <vector>

#include "btg/predictive/mixture.hpp"

namespace btg {

// The double before y.
inline double last_below(double y) { return std::nextafter(y, -INFINITY); }

// The integral of a tail is the sum of weight * tail; of its derivatives, of weight times those.
struct TailPoint {
  double y, weight;
};

// Panels in v = asinh((y - centre) / unit), from `a` outwards. A panel is halved until Gauss and
// Kronrod agree, and until the density at the same points adds up to the rise of F: a step between
// them shows there, and derivatives are as narrow as the density. Both are relative to what there
// is at a; a tail of less than 1e-12 there is known to fewer digits.
template <class Law>
class TailRule {
 public:
  TailRule(Law& law, double a, bool upper) : law_(law), sign_(upper ? 1.0 : -1.0) {
    centre_ = law.rough_quantile(0.5);
    const double width = law.rough_width();
    unit_ = width > 0.0 && std::isfinite(width) ? width : std::fmax(std::abs(a - centre_), 1e-300);
    const Interval& support = law.mixture().nodes().support;
    const double end = upper ? std::fmin(support.upper, last_below(law.ceiling()))
                             : std::fmax(support.lower, law.floor());
    if (!(sign_ * (end - a) > 0.0)) return;
    // Beyond, a response would overflow.
    const double farthest = 600.0;
    last_ = std::isfinite(end) ? std::fmin(sign_ * to_panel(end), farthest) : farthest;
    largest_ = tail(to_panel(a)).tail;
    accuracy_ = largest_ > 1e-12 ? 1e-6 : 1e-4;
    double v = sign_ * to_panel(a), tail_from = largest_, width_of_panel = 0.5;
    while (v < last_) {
      const double before = total_;
      const double to = std::fmin(v + width_of_panel, last_), tail_to = tail(sign_ * to).tail;
      if (add_panel(v, to, tail_from, tail_to, 40)) width_of_panel = std::fmin(1.5 * (to - v), 2.0);
      // Outside of the centre, panels fall off as a power of y at least.
      if (to > 0.0 && total_ - before <= 1e-11 * total_) break;
      v = to;
      tail_from = tail_to;
    }
  }

  double integral() const { return total_; }
  const std::vector<TailPoint>& points() const { return points_; }

 private:
  // As some 200 halvings: more is never needed, unless F itself is not smooth.
  static constexpr std::size_t most_points = 6000;

  struct Value {
    double y, tail, density;
  };

  double to_panel(double y) const { return std::asinh((y - centre_) / unit_); }

  Value tail(double v) const {
    double y = centre_ + unit_ * std::sinh(v);
    // A tail ends at the floor, or just below the ceiling, and not beyond it by rounding.
    y = sign_ < 0.0 ? std::fmax(y, law_.floor()) : std::fmin(y, last_below(law_.ceiling()));
    const MixtureValue f = law_.evaluate(y);
    return {y, sign_ > 0.0 ? f.survival : f.cdf, f.density};
  }

  // Whether what was missed is a step at the end of the support, too close to it to matter: F of
  // softplus, as a function of y, falls to 0 as slowly as its t does in log y.
  bool adds_nothing(double from, double to, double missed) const {
    const double width = unit_ * (std::sinh(to) - std::sinh(from));
    return to == last_ && missed * width <= 1e-3 * accuracy_ * total_;
  }

  // Between sign * v of `from` and `to`; whether it took one panel.
  bool add_panel(double from, double to, double tail_from, double tail_to, int depth) {
    using Kronrod = boost::math::quadrature::gauss_kronrod<double, 15>;
    using Gauss = boost::math::quadrature::gauss<double, 7>;
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    double kronrod = 0.0, gauss = 0.0, rise = 0.0, tail_middle = 0.0;
    const std::size_t first = points_.size();
    const auto add = [&](double v, double kronrod_weight, double gauss_weight) {
      const Value f = tail(sign_ * v);
      const double slope = unit_ * half * std::cosh(v);
      kronrod += kronrod_weight * slope * f.tail;
      gauss += gauss_weight * slope * f.tail;
      rise += kronrod_weight * slope * f.density;
      points_.push_back({f.y, kronrod_weight * slope});
      if (v == middle) tail_middle = f.tail;
    };
    for (std::size_t k = 0; k < Kronrod::abscissa().size(); ++k) {
      const double x = half * Kronrod::abscissa()[k], weight = Kronrod::weights()[k];
      const double gauss_weight = k % 2 == 0 ? Gauss::weights()[k / 2] : 0.0;
      add(middle + x, weight, gauss_weight);
      if (k > 0) add(middle - x, weight, gauss_weight);
    }
    const double missed = std::abs(rise - std::abs(tail_from - tail_to));
    const bool agrees = std::abs(kronrod - gauss) <= accuracy_ * (total_ + std::abs(kronrod)) &&
                        (missed <= 0.1 * accuracy_ * largest_ || adds_nothing(from, to, missed));
    if (agrees || depth == 0 || points_.size() > most_points) {
      total_ += kronrod;
      return true;
    }
    points_.resize(first);
    add_panel(from, middle, tail_from, tail_middle, depth - 1);
    add_panel(middle, to, tail_middle, tail_to, depth - 1);
    return false;
  }

  Law& law_;
  double sign_, centre_ = 0.0, unit_ = 1.0, total_ = 0.0;
  double last_ = 0.0;       // sign * v of the end of the support
  double largest_ = 0.0;    // the tail at a
  double accuracy_ = 1e-6;  // of Gauss; that of Kronrod is far better
  std::vector<TailPoint> points_;
};

// Whether the tail can be integrated at every node: that of g^-1 of a Student t.
template <class Law>
bool tail_is_integrable(const Law& law, bool upper) {
  const Mixture& mixture = law.mixture();
  const double df = mixture.nodes().t.degrees_of_freedom();
  if (std::isinf(df) || std::isfinite(upper ? law.ceiling() : law.floor())) return true;
  for (int i = 0; i < mixture.size(); ++i) {
    const Mixture::Origin& from = mixture.origin(i);
    const Interval& image = from.block->images[from.index];
    if (mixture.weights()[i] == 0.0 || std::isfinite(upper ? image.upper : image.lower)) continue;
    if (!(from.block->g.tail_power(from.block->parameters(from.index), upper) < df)) return false;
  }
  return true;
}

// visit(share, law) of the laws whose mixture `law` is: tails of one that lets some of Y below its
// floor have a step there, and their integrals are those of the two.
template <class Law, class Visit>
void for_each_part(const Law& law, Visit visit) {
  Law closed = law.with_closed_floor();
  visit(1.0 - law.open(), closed);
  if (law.open() == 0.0) return;
  Law open = law.without_floor();
  visit(law.open(), open);
}

// NaN where it does not exist.
template <class Law>
double partial_moment(const Law& law, double a, bool upper) {
  double sum = 0.0;
  for_each_part(law, [&](double share, Law& part) {
    sum += tail_is_integrable(part, upper) ? share * TailRule<Law>(part, a, upper).integral() : NAN;
  });
  return sum;
}

}  // namespace btg
