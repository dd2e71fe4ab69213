#include "btg/predictive/rearrangement.hpp"

#include <algorithm>
#include <cstddef>

namespace btg {

Rearrangement::Rearrangement(const Mixture& mixture) : needed_(mixture.negative_mass() > 1.0) {
  std::vector<double> knots;
  for (const double p : {1e-8, 1e-4, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.9999, 1.0 - 1e-8}) {
    const Bracket bracket = hull_bracket(mixture, p);
    for (const double y : {bracket.lower, bracket.upper}) {
      knots.push_back(std::asinh(std::fmin(std::fmax(y, -1e300), 1e300)));
    }
  }
  std::sort(knots.begin(), knots.end());
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    if (!(knots[k] < knots[k + 1])) continue;
    for (int i = 0; i < steps; ++i) {
      add(evaluate_at(mixture, knots[k] + (knots[k + 1] - knots[k]) * i / steps));
    }
  }
  add(evaluate_at(mixture, knots.back()));
  std::sort(cells_.begin(), cells_.end(),
            [](const Cell& a, const Cell& b) { return a.cdf < b.cdf; });
  double start = knots.front();
  for (const Cell& cell : cells_) {
    grid_.push_back(start + 0.5 * cell.width);
    cdf_.push_back(std::fmin(std::fmax(cell.cdf, 0.0), 1.0));
    start += cell.width;
  }
}

MixtureValue Rearrangement::evaluate(double y) const {
  const double v = std::asinh(y);
  if (v <= grid_.front()) return {0.0, 1.0, 0.0};
  if (v >= grid_.back()) return {1.0, 0.0, 0.0};
  const std::size_t k = std::upper_bound(grid_.begin(), grid_.end(), v) - grid_.begin() - 1;
  const double slope = (cdf_[k + 1] - cdf_[k]) / (grid_[k + 1] - grid_[k]);
  const double cdf = cdf_[k] + slope * (v - grid_[k]);
  return {cdf, 1.0 - cdf, slope / std::cosh(v)};
}

double Rearrangement::quantile(double p) const {
  const auto above = std::lower_bound(cdf_.begin(), cdf_.end(), p);
  if (above == cdf_.begin()) return std::sinh(grid_.front());
  if (above == cdf_.end()) return std::sinh(grid_.back());
  const std::size_t k = above - cdf_.begin() - 1;
  const double part = (p - cdf_[k]) / (cdf_[k + 1] - cdf_[k]);
  return std::sinh(grid_[k] + part * (grid_[k + 1] - grid_[k]));
}

Rearrangement::Point Rearrangement::evaluate_at(const Mixture& mixture, double v) {
  const MixtureValue f = mixture.evaluate(std::sinh(v));
  return {v, f.cdf, f.density * std::cosh(v)};
}

void Rearrangement::add(const Point& next) {
  if (std::fmin(next.cdf - last_.cdf, next.slope) < -rounding || next.cdf > 1.0 + rounding) {
    needed_ = true;
  }
  const double width = next.v - last_.v;
  for (int i = 0; i < between && width < INFINITY; ++i) {
    const double t = (i + 0.5) / between, s = 1.0 - t;
    const double cdf = s * s * (1.0 + 2.0 * t) * last_.cdf + t * t * (3.0 - 2.0 * t) * next.cdf +
                       t * s * width * (s * last_.slope - t * next.slope);
    cells_.push_back({cdf, width / between});
  }
  last_ = next;
}

}  // namespace btg
