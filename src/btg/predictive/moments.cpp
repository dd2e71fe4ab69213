#include "btg/predictive/moments.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <cstddef>
#include <vector>

#include "btg/numerics/student_t.hpp"

namespace btg {

namespace {

// Integrals of 1, y - origin and its square against the density of x.
struct Moments {
  double zero = 0.0, first = 0.0, second = 0.0;

  void add(double weight, double value, double square) {
    zero += weight;
    first += weight * value;
    second += weight * square;
  }
  void add(const Moments& other) { add(1.0, other); }
  void add(double times, const Moments& other) {
    zero += times * other.zero;
    first += times * other.first;
    second += times * other.second;
  }
};

// Moments of Y at one node, by panels in v with x = 2 sinh v, from the middle outwards. A panel is
// halved until Gauss and Kronrod agree. Panels end where Y reaches the floor or the ceiling, since
// it is not smooth there.
class NodeMoments {
 public:
  NodeMoments(const Mixture& mixture, int i, double origin, const Censoring& censoring,
              bool with_square)
      : t_(mixture.nodes().t),
        c_(mixture.component(i)),
        response_(mixture.origin(i), censoring),
        origin_(origin),
        with_square_(with_square) {
    if (!(c_.mass > 0.0)) {  // all mass at an end of the image
      add_point(1.0, c_.side < 0 ? response_.image().lower : response_.image().upper, total_);
      return;
    }
    // Rounding may put the middle beyond the ends.
    const double lower = standard(response_.image().lower);
    const double upper = standard(response_.image().upper);
    const double middle = std::fmin(std::fmax(0.0, lower), upper);
    add_side(middle, upper, 1.0);
    add_side(middle, lower, -1.0);
  }

  const Moments& total() const { return total_; }

 private:
  static constexpr double accuracy = 1e-6;  // of Gauss; Kronrod is far more accurate
  static constexpr double farthest = 300.0;

  double standard(double z) const { return (z - c_.location) / c_.scale; }

  void add_point(double weight, double z, Moments& to) const {
    const double value = response_.mean(z, origin_);
    to.add(weight, value, with_square_ ? response_.square(value, origin_) : 0.0);
  }

  // Adds the integral from the middle to one end.
  void add_side(double middle, double end, double sign) {
    double from = middle;
    std::vector<double> stops{standard(response_.at_floor()), standard(response_.at_ceiling())};
    if (sign < 0.0) std::reverse(stops.begin(), stops.end());
    stops.push_back(end);
    for (const double stop : stops) {
      const double to = sign > 0.0 ? std::fmin(stop, end) : std::fmax(stop, end);
      if (!(sign * (to - from) > 0.0)) continue;
      if (is_constant(from, to)) {
        const double mass = std::abs(tail(from, sign) - tail(to, sign)) / c_.mass;
        add_point(mass, c_.location + c_.scale * (std::isinf(to) ? from + sign : to), total_);
      } else {
        add_panels(from, to, sign);
      }
      from = to;
    }
  }

  double tail(double x, double sign) const { return t_.cdf(-sign * x); }

  bool is_constant(double a, double b) const {
    const double low = std::fmin(a, b), high = std::fmax(a, b);
    return low >= standard(response_.at_ceiling()) ||
           (high <= standard(response_.at_floor()) && response_.constant_below());
  }

  void add_panels(double from, double to, double sign) {
    const double last =
        std::isinf(to) ? farthest : std::fmin(std::asinh(0.5 * sign * to), farthest);
    double v = std::asinh(0.5 * sign * from), width = 1.0;
    while (v < last) {
      const double next = std::fmin(v + width, last);
      const Moments before = total_;
      const bool one = add_panel(v, next, sign, 30);
      if (one && next > 2.0) width = std::fmin(1.5 * width, 4.0);
      // Far out, contributions decay at least like a power of x.
      if (next > 1.5 && total_.zero - before.zero <= 1e-15 * total_.zero &&
          total_.second - before.second <= 1e-13 * total_.second &&
          std::abs(total_.first - before.first) <= 1e-13 * std::abs(total_.first)) {
        return;
      }
      v = next;
    }
  }

  // Returns whether one panel sufficed.
  bool add_panel(double from, double to, double sign, int depth) {
    using Kronrod = boost::math::quadrature::gauss_kronrod<double, 15>;
    using Gauss = boost::math::quadrature::gauss<double, 7>;
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    Moments kronrod, gauss;
    const auto add = [&](double v, double kronrod_weight, double gauss_weight) {
      const double x = 2.0 * std::sinh(v), density = t_.density(x) / c_.mass;
      if (!(density > 0.0)) return;
      Moments here;
      add_point(half * 2.0 * std::cosh(v) * density, c_.location + sign * c_.scale * x, here);
      if (!std::isfinite(here.first) || !std::isfinite(here.second)) return;
      kronrod.add(kronrod_weight, here);
      gauss.add(gauss_weight, here);
    };
    for (std::size_t k = 0; k < Kronrod::abscissa().size(); ++k) {
      const double x = half * Kronrod::abscissa()[k], weight = Kronrod::weights()[k];
      const double gauss_weight = k % 2 == 0 ? Gauss::weights()[k / 2] : 0.0;
      add(middle + x, weight, gauss_weight);
      if (k > 0) add(middle - x, weight, gauss_weight);
    }
    if (depth == 0 || agree(kronrod, gauss)) {
      total_.add(kronrod);
      return true;
    }
    add_panel(from, middle, sign, depth - 1);
    add_panel(middle, to, sign, depth - 1);
    return false;
  }

  bool agree(const Moments& kronrod, const Moments& gauss) const {
    const double second = total_.second + kronrod.second;
    const double first =
        with_square_ ? std::sqrt(second) : std::abs(total_.first) + std::abs(kronrod.first);
    return !(std::abs(kronrod.zero - gauss.zero) > accuracy) &&
           !(std::abs(kronrod.first - gauss.first) > accuracy * first) &&
           !(std::abs(kronrod.second - gauss.second) > accuracy * second);
  }

  const StudentT& t_;
  const Mixture::Component& c_;
  CensoredInverse response_;
  double origin_;
  bool with_square_;
  Moments total_;
};

// The largest tail power of g^-1 over all nodes with t mass there. Moments of order k exist if k
// times it is below the degrees of freedom. Censored tails do not count.
double largest_tail_power(const Mixture& mixture, const Censoring& censoring) {
  double largest = 0.0;
  for (int i = 0; i < mixture.size(); ++i) {
    const Mixture::Origin& from = mixture.origin(i);
    const Interval& image = from.model->images[from.index];
    const double* lambda = from.model->parameters(from.index);
    if (mixture.weights()[i] == 0.0) continue;
    if (std::isinf(image.upper) && std::isinf(censoring.ceiling)) {
      largest = std::fmax(largest, from.model->g.tail_power(lambda, true));
    }
    if (std::isinf(image.lower) && (std::isinf(censoring.floor) || censoring.open > 0.0)) {
      largest = std::fmax(largest, from.model->g.tail_power(lambda, false));
    }
  }
  return largest;
}

}  // namespace

bool moment_exists(const Mixture& mixture, const Censoring& censoring, int order) {
  const double df = mixture.nodes().t.degrees_of_freedom();
  return std::isinf(df) || order * largest_tail_power(mixture, censoring) < df;
}

MeanVariance mean_variance(const Mixture& mixture, double origin, const Censoring& censoring) {
  if (!moment_exists(mixture, censoring, 1)) return {NAN, NAN};
  const bool with_square = moment_exists(mixture, censoring, 2);
  Moments total;
  for (int i = 0; i < mixture.size(); ++i) {
    if (mixture.weights()[i] == 0.0) continue;
    total.add(mixture.weights()[i],
              NodeMoments(mixture, i, origin, censoring, with_square).total());
  }
  return {origin + total.first,
          with_square ? std::fmax(total.second - total.first * total.first, 0.0) : NAN};
}

}  // namespace btg
