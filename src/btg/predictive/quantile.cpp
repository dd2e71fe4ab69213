#include "btg/predictive/quantile.hpp"

#include <Eigen/Core>
#include <string>

#include "btg/base/error.hpp"
#include "btg/numerics/student_t.hpp"

namespace btg {

Bracket hull_bracket(const Mixture& mixture, double p) {
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

Bracket singular_bracket(const Mixture& mixture, double p) {
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

QuantileSolver::QuantileSolver(const Mixture& mixture, double tolerance, Bound bound)
    : mixture_(mixture),
      tolerance_(tolerance),
      bound_(bound),
      scale_{mixture.nodes().support.lower >= 0.0} {
  choose_representatives();
}

double QuantileSolver::quantile(double p) const {
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
    // Good steps converge quickly. If they do not, every other step is a bisection.
    const bool bisect = iteration >= 6 && iteration % 2 == 0;
    if (!search.found) take_step(search, point, bisect);
  }
  if (!search.found) {
    throw Error("quantile", "The quantile at p = " + std::to_string(p) + " was not reached.");
  }
  return search.answer;
}

void QuantileSolver::choose_representatives() {
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

double QuantileSolver::guess_quantile(double p) const {
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

QuantileSolver::Point QuantileSolver::evaluate(Search& search, double v) const {
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

void QuantileSolver::take_step(Search& search, const Point& point, bool bisect) const {
  double next = interpolate(search, point);
  if (!acceptable(search, next)) next = search.v - point.logit / point.slope;
  if (bisect || !acceptable(search, next)) {
    close_bracket(search);
    if (search.found) return;
    next = 0.5 * (search.below + search.above);
    // Doubles near 0 are finer than responses, and a mixture may jump there if one model has mass
    // below the smallest double and another has mass below 0.
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

double QuantileSolver::interpolate(const Search& search, const Point& b) {
  const Point& a = search.previous;
  const double width = b.logit - a.logit, t = -a.logit / width, s = 1.0 - t;
  return s * s * (1.0 + 2.0 * t) * a.v + t * t * (3.0 - 2.0 * t) * b.v +
         t * s * width * (s / a.slope - t / b.slope);
}

bool QuantileSolver::acceptable(const Search& search, double next) {
  return search.below < next && next < search.above &&
         std::abs(next - search.v) < 0.5 * search.last_step;
}

void QuantileSolver::close_bracket(Search& search) const {
  if (std::isfinite(search.below) && std::isfinite(search.above)) return;
  const Bracket bracket = bound_bracket(search.p);
  const double start = std::fmin(std::fmax(search.v, scale_.least()), scale_.most());
  if (!std::isfinite(search.below)) close_end(search, bracket.lower, start, -1.0);
  if (!search.found && !std::isfinite(search.above)) close_end(search, bracket.upper, start, 1.0);
}

Bracket QuantileSolver::bound_bracket(double p) const {
  Bracket hull, singular;
  if (bound_ == Bound::automatic || bound_ == Bound::hull || bound_ == Bound::both) {
    hull = hull_bracket(mixture_, p);
  }
  if (bound_ == Bound::singular || bound_ == Bound::both) {
    singular = singular_bracket(mixture_, p);
  }
  return {std::fmax(hull.lower, singular.lower), std::fmin(hull.upper, singular.upper)};
}

void QuantileSolver::close_end(Search& search, double bound, double start, double direction) const {
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

double quantile(const Mixture& mixture, double p, double tolerance, Bound bound) {
  return QuantileSolver(mixture, tolerance, bound).quantile(p);
}

}  // namespace btg
