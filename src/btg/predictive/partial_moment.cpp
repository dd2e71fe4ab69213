#include "btg/predictive/partial_moment.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

namespace btg {

namespace {

double last_below(double y) { return std::nextafter(y, -INFINITY); }

// Panels of a tail have equal width in v, where y = centre + unit sinh(v), outwards.
struct SinhScale {
  static constexpr bool at_end = false;
  double centre, unit;  // the unit is negative for a lower tail

  double y(double v) const { return centre + unit * std::sinh(v); }
  double slope(double v) const { return std::abs(unit) * std::cosh(v); }
  double v(double y) const { return std::asinh((y - centre) / unit); }
};

// Towards an end of a domain, where F is smooth in the log distance: y = end + distance exp(-v).
struct EndScale {
  static constexpr bool at_end = true;
  double end, distance;

  double y(double v) const { return end + distance * std::exp(-v); }
  double slope(double v) const { return std::abs(distance) * std::exp(-v); }
};

// Integrates over panels from `a` outwards. A panel is halved until Gauss and Kronrod agree and the
// density at the same points integrates to the change of F, which reveals steps between the points
// and resolves derivatives. Both are relative to the tail at a; if that is below 1e-12, fewer
// digits are known. Panels do not cross a floor or an end of a domain.
class TailRule {
 public:
  TailRule(const PredictiveLaw& law, double a, bool upper) : law_(law), sign_(upper ? 1.0 : -1.0) {
    const double centre = law.rough_quantile(0.5), width = law.rough_width();
    const double unit =
        width > 0.0 && std::isfinite(width) ? width : std::fmax(std::abs(a - centre), 1e-300);
    outwards_ = {centre, sign_ * unit};
    largest_ = tail(a).tail;
    accuracy_ = std::fmax(largest_ > 1e-12 ? 1e-6 : 1e-4, law.tolerance());
    for (const Stop& stop : stops()) {
      if (!is_beyond(stop.y, a)) continue;
      if (!add_up_to(a, stop)) break;
      a = std::nextafter(stop.y, sign_ * INFINITY);
    }
  }

  double integral() const { return total_; }
  const std::vector<TailPoint>& points() const { return points_; }

 private:
  // About 200 halvings. More are needed only if F itself is not smooth.
  static constexpr std::size_t most_points = 6000;
  // Largest v; beyond it, a response would overflow.
  static constexpr double farthest = 600.0;

  // Panels end here, and the next begins at the next double.
  struct Stop {
    double y;
    bool ends_domain;
  };

  struct Value {
    double y, tail, density;
  };

  bool is_beyond(double y, double a) const { return sign_ * (y - a) > 0.0; }

  // Stops up to the end of the support, outwards. At equal y, the end of a domain comes first.
  std::vector<Stop> stops() const {
    const MixtureNodes& nodes = law_.mixture().nodes();
    const bool upper = sign_ > 0.0;
    const double floor = upper ? last_below(law_.floor()) : law_.floor();
    const double end = upper ? std::fmin(nodes.support.upper, last_below(law_.ceiling()))
                       : law_.open() > 0.0 ? nodes.support.lower
                                           : std::fmax(nodes.support.lower, floor);
    std::vector<Stop> stops{{floor, false}, {end, false}};
    for (const ModelNodes& model : nodes.models) {
      stops.push_back({upper ? model.common.upper : model.common.lower, true});
    }
    const auto beyond_end = [&](const Stop& stop) { return is_beyond(stop.y, end); };
    stops.erase(std::remove_if(stops.begin(), stops.end(), beyond_end), stops.end());
    std::sort(stops.begin(), stops.end(), [&](const Stop& p, const Stop& q) {
      return p.y == q.y ? p.ends_domain && !q.ends_domain : is_beyond(q.y, p.y);
    });
    return stops;
  }

  Value tail(double y) const {
    const MixtureValue f = law_.evaluate(y);
    return {y, sign_ > 0.0 ? f.survival : f.cdf, f.density};
  }

  // Returns whether there may be mass beyond the stop.
  bool add_up_to(double a, const Stop& stop) {
    const double to = std::isfinite(stop.y) ? outwards_.v(stop.y) : farthest;
    const bool by_distance = stop.ends_domain && to < farthest;
    const double last = std::fmin(by_distance ? to - 0.5 : to, farthest), first = outwards_.v(a);
    double from = a;
    if (first < last) {
      from = by_distance || last == farthest ? outwards_.y(last) : stop.y;
      if (add_panels(outwards_, {first, a}, {last, from}, 0.5, 2.0)) return false;
    }
    if (by_distance) {
      add_panels(EndScale{stop.y, from - stop.y}, {0.0, from}, {60.0, stop.y}, 1.0, 4.0);
    }
    return true;
  }

  struct Place {
    double v, y;
  };

  // Adds panels of growing width and returns whether they stopped contributing. Outside the centre,
  // contributions decay at least like a power of y.
  template <class Scale>
  bool add_panels(const Scale& scale, Place from, Place last, double width, double widest) {
    double v = from.v, tail_from = tail(from.y).tail;
    while (v < last.v) {
      const double before = total_, to = std::fmin(v + width, last.v);
      const double tail_to = tail(to == last.v ? last.y : scale.y(to)).tail;
      const bool one = add_panel(scale, v, to, tail_from, tail_to, 40);
      if (one) width = std::fmin(1.5 * (to - v), widest);
      if (to > 0.0 && to < last.v && total_ - before <= 1e-5 * accuracy_ * total_) return true;
      v = to;
      tail_from = tail_to;
    }
    return false;
  }

  // True if the missed mass is too close to an end to matter. For softplus, F falls to 0 as slowly
  // in y as its t does in log y.
  template <class Scale>
  bool adds_nothing(const Scale& scale, double from, double to, double missed) const {
    const double length = std::abs(scale.y(to) - scale.y(from));
    return Scale::at_end && missed * length <= 1e-3 * accuracy_ * total_;
  }

  // Integrates between two values of v. Returns whether one panel sufficed.
  template <class Scale>
  bool add_panel(const Scale& scale, double from, double to, double tail_from, double tail_to,
                 int depth) {
    using Kronrod = boost::math::quadrature::gauss_kronrod<double, 15>;
    using Gauss = boost::math::quadrature::gauss<double, 7>;
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    double kronrod = 0.0, gauss = 0.0, rise = 0.0, tail_middle = 0.0;
    const std::size_t first = points_.size();
    const auto add = [&](double v, double kronrod_weight, double gauss_weight) {
      const Value f = tail(scale.y(v));
      const double slope = half * scale.slope(v);
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
    const bool agrees =
        std::abs(kronrod - gauss) <= accuracy_ * (total_ + std::abs(kronrod)) &&
        (missed <= 0.1 * accuracy_ * largest_ || adds_nothing(scale, from, to, missed));
    if (agrees || depth == 0 || points_.size() > most_points) {
      total_ += kronrod;
      return true;
    }
    points_.resize(first);
    add_panel(scale, from, middle, tail_from, tail_middle, depth - 1);
    add_panel(scale, middle, to, tail_middle, tail_to, depth - 1);
    return false;
  }

  const PredictiveLaw& law_;
  double sign_, total_ = 0.0;
  SinhScale outwards_{0.0, 1.0};
  double largest_ = 0.0;    // the tail at a
  double accuracy_ = 1e-6;  // of Gauss; Kronrod is far more accurate
  std::vector<TailPoint> points_;
};

}  // namespace

TailIntegral integrate_tail(const PredictiveLaw& law, double a, bool upper) {
  const TailRule rule(law, a, upper);
  return {rule.integral(), rule.points()};
}

bool tail_is_integrable(const PredictiveLaw& law, bool upper) {
  const Mixture& mixture = law.mixture();
  const double df = mixture.nodes().t.degrees_of_freedom();
  const bool ends =
      upper ? std::isfinite(law.ceiling()) : std::isfinite(law.floor()) && law.open() == 0.0;
  if (std::isinf(df) || ends) return true;
  for (int i = 0; i < mixture.size(); ++i) {
    const Mixture::Origin& from = mixture.origin(i);
    const Interval& image = from.model->images[from.index];
    if (mixture.weights()[i] == 0.0 || std::isfinite(upper ? image.upper : image.lower)) continue;
    if (!(from.model->g.tail_power(from.model->parameters(from.index), upper) < df)) return false;
  }
  return true;
}

double partial_moment(const PredictiveLaw& law, double a, bool upper) {
  return tail_is_integrable(law, upper) ? TailRule(law, a, upper).integral() : NAN;
}

}  // namespace btg
