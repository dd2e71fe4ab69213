#include "btg/predictive/functionals.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <vector>

namespace btg {

namespace {

// Integrates F^2, or (1 - F)^2, over panels in v = asinh((y - centre) / unit), where distant panels
// are as short as central ones. A panel is halved until Gauss and Kronrod agree and the density at
// the same points integrates to the change of F, which reveals steps between the points. Far out,
// where rounding prevents that, agreement relative to the panel suffices.
class SquaredTail {
 public:
  SquaredTail(const PredictiveLaw& law, bool upper, double centre, double unit, double accuracy)
      : law_(law), upper_(upper), centre_(centre), unit_(unit), accuracy_(accuracy) {}

  double integrate(double lower, double upper) const {
    if (!(lower < upper)) return 0.0;
    const double a = std::asinh((lower - centre_) / unit_);
    const double b = std::asinh((upper - centre_) / unit_);
    return panel(a, b, tail(law_.evaluate(lower)), tail(law_.evaluate(upper)), 40);
  }

 private:
  double tail(const MixtureValue& f) const { return upper_ ? f.survival : f.cdf; }

  double panel(double a, double b, double tail_a, double tail_b, int depth) const {
    using Kronrod = boost::math::quadrature::gauss_kronrod<double, 15>;
    using Gauss = boost::math::quadrature::gauss<double, 7>;
    const double middle = 0.5 * (a + b), half = 0.5 * (b - a);
    double kronrod = 0.0, gauss = 0.0, rise = 0.0, tail_middle = 0.0;
    const auto add = [&](double v, double kronrod_weight, double gauss_weight) {
      const MixtureValue f = law_.evaluate(centre_ + unit_ * std::sinh(v));
      const double slope = unit_ * half * std::cosh(v);
      const double square = slope * tail(f) * tail(f);
      kronrod += kronrod_weight * square;
      gauss += gauss_weight * square;
      rise += kronrod_weight * slope * f.density;
      if (v == middle) tail_middle = tail(f);
    };
    for (std::size_t k = 0; k < Kronrod::abscissa().size(); ++k) {
      const double x = half * Kronrod::abscissa()[k], weight = Kronrod::weights()[k];
      const double gauss_weight = k % 2 == 0 ? Gauss::weights()[k / 2] : 0.0;
      add(middle + x, weight, gauss_weight);
      if (k > 0) add(middle - x, weight, gauss_weight);
    }
    const double width = unit_ * (std::sinh(b) - std::sinh(a));
    const double missed = std::abs(rise - std::abs(tail_b - tail_a));
    const double error =
        std::fmax(std::abs(kronrod - gauss), 3.0 * missed * std::fmax(tail_a, tail_b) * width);
    if (depth == 0 || !(error > accuracy_ + 1e-9 * kronrod)) return kronrod;
    return panel(a, middle, tail_a, tail_middle, depth - 1) +
           panel(middle, b, tail_middle, tail_b, depth - 1);
  }

  const PredictiveLaw& law_;
  bool upper_;
  double centre_, unit_, accuracy_;
};

// Minimises f on [a, b] by golden section search, to the given width.
template <class F>
double golden_section(F f, double a, double b, double width) {
  const double ratio = 0.6180339887498949;
  double x = b - ratio * (b - a), y = a + ratio * (b - a), fx = f(x), fy = f(y);
  while (b - a > width) {
    if (fx <= fy) {
      b = y, y = x, fy = fx;
      fx = f(x = b - ratio * (b - a));
    } else {
      a = x, x = y, fx = fy;
      fy = f(y = a + ratio * (b - a));
    }
  }
  return fx <= fy ? x : y;
}

// Minimises f over the probabilities 0 < p < 1: takes the best of `count` values, then searches
// between its neighbours by golden section.
template <class F>
double least_over_probabilities(F f, int count, double width) {
  int best = 0;
  double least = INFINITY;
  for (int k = 0; k < count; ++k) {
    const double value = f((k + 0.5) / count);
    if (value < least) best = k, least = value;
  }
  const double lower = std::fmax((best - 0.5) / count, 1e-6);
  const double upper = std::fmin((best + 1.5) / count, 1.0 - 1e-6);
  return golden_section(f, lower, upper, width);
}

// Intervals of one probability, by the share of the rest that lies below.
template <class Quantile>
struct IntervalEnds {
  double probability;
  Quantile quantile;

  std::array<double, 2> at(double part) const {
    const double p = part * (1.0 - probability);
    return {quantile(p), quantile(std::fmin(p + probability, 1.0))};
  }
  double width(double part) const {
    const std::array<double, 2> interval = at(part);
    return interval[1] - interval[0];
  }
};
template <class Quantile>
IntervalEnds(double, Quantile) -> IntervalEnds<Quantile>;

}  // namespace

double crps(PredictiveLaw& law, double y) {
  double lower = law.rough_quantile(1e-6), upper = law.rough_quantile(1.0 - 1e-6);
  if (law.evaluate(lower).cdf > 1e-5) lower = law.quantile(1e-6);
  if (law.evaluate(upper).survival > 1e-5) upper = law.quantile(1.0 - 1e-6);
  const double centre = law.rough_quantile(0.5), width = upper - lower;
  // The tails, or the response, exceed the range of a double.
  if (!std::isfinite(width) || std::isinf(y)) return INFINITY;
  const double unit = width > 0.0 ? 0.1 * width : std::fmax(std::abs(y - centre), 1e-300);
  const double accuracy = 1e-6 * unit;  // of Gauss; Kronrod is far more accurate
  const SquaredTail below(law, false, centre, unit, accuracy);
  const SquaredTail above(law, true, centre, unit, accuracy);
  double total = 0.0;
  std::vector<double> ends{lower, upper, y, std::fmin(std::fmax(centre, lower), upper)};
  const double least = std::fmin(lower, y), most = std::fmax(upper, y);
  // Panels end just before a step and begin at it.
  for (const double step : {law.floor(), law.ceiling()}) {
    if (least < step && step <= most) {
      ends.insert(ends.end(), {std::nextafter(step, -INFINITY), step});
    }
  }
  std::sort(ends.begin(), ends.end());
  for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
    total += (ends[k] >= y ? above : below).integrate(ends[k], ends[k + 1]);
  }
  return total;
}

double mode(PredictiveLaw& law) {
  const auto less_density = [&](double p) { return -law.evaluate(law.quantile(p)).density; };
  return law.quantile(least_over_probabilities(less_density, 40, 1e-7));
}

std::array<double, 2> shortest_interval(PredictiveLaw& law, double probability) {
  const IntervalEnds ends{probability, [&](double p) { return law.quantile(p); }};
  double best = least_over_probabilities([&](double part) { return ends.width(part); }, 12, 1e-5);
  const double below_floor = law.evaluate(std::nextafter(law.floor(), -INFINITY)).cdf;
  for (const double part : {std::fmin(below_floor / (1.0 - probability), 1.0), 1.0}) {
    if (ends.width(part) < ends.width(best)) best = part;
  }
  return ends.at(best);
}

std::array<double, 2> shortest_interval(const ConditionalMean& mean, double probability) {
  const IntervalEnds ends{probability, [&](double p) { return mean.quantile(p); }};
  return ends.at(least_over_probabilities([&](double part) { return ends.width(part); }, 12, 1e-4));
}

}  // namespace btg
