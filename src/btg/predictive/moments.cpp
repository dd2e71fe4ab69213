#include "btg/predictive/moments.hpp"

#include <algorithm>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>
#include <vector>

namespace btg {

namespace {

// Moments of y - origin, where `origin` is a y in the middle of the distribution.
struct Moments {
  double first = 0.0, second = 0.0;
};

// Expectations under the t distribution by the trapezoidal rule in v, with w = 2 sinh v. On the
// whole line x = w; beyond a cut, x = cut + log(1 + exp(w - cut)), which approaches w far above the
// cut and the cut exponentially. For smooth functions, about 30 points give ten digits. Otherwise
// the step is halved.
class TExpectation {
 public:
  explicit TExpectation(const StudentT& t) : t_(t) {}

  // Integrates h(x) and h(x)^2. Returns false if the last two rules disagree.
  template <class H>
  bool moments(H h, Moments& result) const {
    const auto term_at = [&](const GridPoint& at) {
      return Term{at.slope * t_.density(at.w), h(at.w)};
    };
    return integrate(reach, 1.0, term_at, result);
  }

  // The same over x > cut, where the t has this mass.
  template <class H>
  bool moments_above(double cut, double mass, H h, Moments& result) const {
    const auto term_at = [&](const GridPoint& at) {
      const double above = at.w - cut, e = std::exp(-std::abs(above));
      const double x = cut + std::fmax(above, 0.0) + std::log1p(e);
      return Term{at.slope * (above > 0.0 ? 1.0 : e) / (1.0 + e) * t_.density(x), h(x)};
    };
    const double v = std::asinh(0.5 * std::fmax(cut, 0.0));
    const int middle = reach + widest * static_cast<int>(std::ceil(v / (step * widest)));
    return integrate(std::min(middle, 2 * reach), mass, term_at, result);
  }

 private:
  // The finest rule has points v = step * k, |k| <= reach; the first uses every eighth.
  static constexpr double step = 0.05;
  static constexpr int reach = 800, widest = 8;

  struct GridPoint {
    double w, slope;  // dw/dv
  };
  struct Term {
    double weight, value;
  };
  struct Sums {
    double zero = 0.0, first = 0.0, second = 0.0;
    void add(const Term& term) {
      zero += term.weight;
      first += term.weight * term.value;
      second += term.weight * term.value * term.value;
    }
    void add(const Sums& other) {
      zero += other.zero, first += other.first, second += other.second;
    }
    Sums times(double factor) const { return {factor * zero, factor * first, factor * second}; }
  };

  static const std::vector<GridPoint>& grid();

  template <class TermAt>
  bool integrate(int middle, double mass, TermAt term_at, Moments& result) const {
    int first = middle, last = middle;
    Sums sums;
    if (!add_outwards(middle, mass, term_at, first, last, sums)) return false;
    Sums coarse = sums.times(widest * step);
    for (int stride = widest / 2; stride >= 1; stride /= 2) {
      for (int k = first + stride; k < last; k += 2 * stride) {
        const Term term = term_at(grid()[k]);
        if (!std::isfinite(term.value)) return false;
        sums.add(term);
      }
      const Sums fine = sums.times(stride * step);
      result = {fine.first, fine.second};
      if (agree(fine, coarse, mass)) return true;
      coarse = fine;
    }
    return false;
  }

  // Applies the widest rule outwards from the middle until terms are negligible.
  template <class TermAt>
  bool add_outwards(int middle, double mass, TermAt term_at, int& first, int& last,
                    Sums& sums) const {
    for (const int direction : {widest, -widest}) {
      int negligible = 0;
      int k = direction > 0 ? middle : middle - widest;
      for (; k >= 0 && k <= 2 * reach && negligible < 2; k += direction) {
        const Term term = term_at(grid()[k]);
        if (!(term.weight > 0.0)) break;
        if (!std::isfinite(term.value)) return false;
        sums.add(term);
        const double square = term.value * term.value;
        const bool small = term.weight < 1e-17 * mass && term.weight * square < 1e-17 * sums.second;
        negligible = small ? negligible + 1 : 0;
      }
      (direction > 0 ? last : first) = k - direction;
    }
    return true;
  }

  // If the two agree, the finer rule is better by orders of magnitude.
  static bool agree(const Sums& fine, const Sums& coarse, double mass);

  const StudentT& t_;
};

}  // namespace

const std::vector<TExpectation::GridPoint>& TExpectation::grid() {
  static const std::vector<GridPoint> points = [] {
    std::vector<GridPoint> made;
    for (int k = -reach; k <= reach; ++k) {
      made.push_back({2.0 * std::sinh(step * k), 2.0 * std::cosh(step * k)});
    }
    return made;
  }();
  return points;
}

bool TExpectation::agree(const Sums& fine, const Sums& coarse, double mass) {
  return std::abs(fine.zero - mass) <= 1e-9 * mass &&
         std::abs(fine.second - coarse.second) <= 1e-6 * fine.second &&
         std::abs(fine.first - coarse.first) <= 1e-6 * std::sqrt(fine.second * mass);
}

namespace {

// Integrates f, of location 0 and scale 1, from `lower` to `upper`, which may be infinite. Works in
// pieces of v with x = 2 sinh v, so that distant ends do not hide the middle. Adaptive, for cases
// where the trapezoidal rule fails.
template <class F>
double integrate_between(double lower, double upper, F f) {
  using boost::math::quadrature::exp_sinh;
  using boost::math::quadrature::tanh_sinh;
  const double tolerance = 1e-10, far = 2.0 * std::sinh(5.0);
  const auto by_v = [&](double v) { return f(2.0 * std::sinh(v)) * 2.0 * std::cosh(v); };
  const auto piece = [&](double a, double b) {
    a = std::fmax(a, lower), b = std::fmin(b, upper);
    if (!(a < b)) return 0.0;
    if (std::isinf(a) || std::isinf(b)) {
      return exp_sinh<double>().integrate(f, a, b, tolerance);
    }
    return tanh_sinh<double>().integrate(by_v, std::asinh(0.5 * a), std::asinh(0.5 * b), tolerance);
  };
  double sum = 0.0;
  const double ends[] = {-INFINITY, -far, -2.0, 0.0, 2.0, far, INFINITY};
  for (int k = 0; k + 1 < 7; ++k) sum += piece(ends[k], ends[k + 1]);
  return sum;
}

// Moments of one node, with Y clamped to the interval `within`.
Moments component_moments(const Mixture& mixture, const TExpectation& rule, int i, double origin,
                          const Interval& within) {
  const StudentT& t = mixture.nodes().t;
  const Mixture::Component& c = mixture.component(i);
  const Mixture::Origin& from = mixture.origin(i);
  const auto at = [&](double x) {
    const double y = from.model->inverse(from.index, c.location + c.scale * x);
    return std::fmin(std::fmax(y, within.lower), within.upper) - origin;
  };
  Moments result;
  if (!(c.mass > 0.0)) {
    result.first = at(c.side < 0 ? -INFINITY : INFINITY);
    result.second = result.first * result.first;
    return result;
  }
  double lower = (from.model->images[from.index].lower - c.location) / c.scale;
  double upper = (from.model->images[from.index].upper - c.location) / c.scale;
  const Interval& domain = from.model->domains[from.index];
  const auto latent = [&](double y) {
    return (from.model->forward(from.index, y) - c.location) / c.scale;
  };
  // If `within` is beyond the domain, all mass is at one of its ends.
  if (within.upper <= domain.lower || within.lower >= domain.upper) {
    result.first = (within.upper <= domain.lower ? within.upper : within.lower) - origin;
    result.second = result.first * result.first;
    return result;
  }
  if (within.lower > domain.lower) lower = latent(within.lower);
  if (within.upper < domain.upper) upper = latent(within.upper);
  const double at_lower = t.cdf(lower) - c.below, at_upper = t.cdf(-upper) - c.above;
  // Adds the masses at the ends to the moments of the interior, and divides by the total mass.
  const auto with_ends = [&](Moments inside, bool lower_end, bool upper_end) {
    const auto add = [&](double mass, double end) {
      if (!(mass > 0.0)) return;
      inside.first += mass * end;
      inside.second += mass * end * end;
    };
    if (lower_end) add(at_lower, within.lower - origin);
    if (upper_end) add(at_upper, within.upper - origin);
    return Moments{inside.first / c.mass, inside.second / c.mass};
  };
  const double below = t.cdf(lower), above = t.cdf(-upper);
  if (below + above < 1e-14) {
    if (rule.moments(at, result)) return result;
  } else if (above < 1e-14) {
    if (rule.moments_above(lower, t.cdf(-lower), at, result)) return with_ends(result, true, false);
  } else if (below < 1e-14) {
    const auto mirrored = [&](double x) { return at(-x); };
    if (rule.moments_above(-upper, t.cdf(upper), mirrored, result)) {
      return with_ends(result, false, true);
    }
  }

  const auto integrate = [&](auto h) {
    return integrate_between(lower, upper, [&](double x) {
      const double value = h(x) * t.density(std::abs(x));
      return std::isfinite(value) ? value : 0.0;
    });
  };
  return with_ends({integrate(at), integrate([&](double x) { return at(x) * at(x); })}, true, true);
}

// The largest tail power of g^-1 over all nodes with t mass there. Moments of order k exist if k
// times it is below the degrees of freedom. Tails cut off by `within` do not count.
double largest_tail_power(const Mixture& mixture, const Interval& within) {
  double largest = 0.0;
  for (int i = 0; i < mixture.size(); ++i) {
    const Mixture::Origin& from = mixture.origin(i);
    const Interval& image = from.model->images[from.index];
    const double* lambda = from.model->parameters(from.index);
    if (mixture.weights()[i] == 0.0) continue;
    if (std::isinf(image.upper) && std::isinf(within.upper))
      largest = std::fmax(largest, from.model->g.tail_power(lambda, true));
    if (std::isinf(image.lower) && std::isinf(within.lower)) {
      largest = std::fmax(largest, from.model->g.tail_power(lambda, false));
    }
  }
  return largest;
}

}  // namespace

MeanVariance mean_variance(const Mixture& mixture, double origin, const Interval& within) {
  const TExpectation rule(mixture.nodes().t);
  const double power = largest_tail_power(mixture, within);
  const double df = mixture.nodes().t.degrees_of_freedom();
  const auto exists = [&](int order) { return order * power < df || std::isinf(df); };
  if (!exists(1)) return {NAN, NAN};
  Moments total;
  for (int i = 0; i < mixture.size(); ++i) {
    if (mixture.weights()[i] == 0.0) continue;
    const Moments part = component_moments(mixture, rule, i, origin, within);
    total.first += mixture.weights()[i] * part.first;
    total.second += mixture.weights()[i] * part.second;
  }
  return {origin + total.first,
          exists(2) ? std::fmax(total.second - total.first * total.first, 0.0) : NAN};
}

}  // namespace btg
