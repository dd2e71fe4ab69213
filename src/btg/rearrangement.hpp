// A mixture with negative weights may have a "cdf" that falls, or leaves [0, 1]. Its
// increasing rearrangement does not: the values on a fine grid, sorted (Chernozhukov,
// Fernandez-Val and Galichon 2009, who show that it is closer to any true cdf).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "mixture.hpp"
#include "quantile.hpp"

namespace btg {

class Rearrangement {
 public:
  // The grid spans the bracket of all but a mass of 1e-8 at either end, evenly in asinh(y)
  // between the brackets of a few probabilities.
  explicit Rearrangement(const Mixture& mixture) {
    std::vector<double> knots;
    for (const double p : {1e-8, 1e-4, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.9999, 1.0 - 1e-8}) {
      const Bracket bracket = hull_bracket(mixture, p);
      for (const double y : {bracket.lower, bracket.upper}) {
        knots.push_back(std::asinh(std::fmin(std::fmax(y, -1e300), 1e300)));
      }
    }
    std::sort(knots.begin(), knots.end());
    for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
      for (int i = 0; i < steps; ++i) {
        grid_.push_back(knots[k] + (knots[k + 1] - knots[k]) * i / steps);
      }
    }
    grid_.push_back(knots.back());
    for (const double v : grid_) cdf_.push_back(mixture.evaluate(std::sinh(v)).cdf);
    needed_ = !std::is_sorted(cdf_.begin(), cdf_.end()) || cdf_.front() < 0.0 || cdf_.back() > 1.0;
    std::sort(cdf_.begin(), cdf_.end());
    for (double& value : cdf_) value = std::fmin(std::fmax(value, 0.0), 1.0);
  }

  // Whether the mixture itself is not a cdf on the grid.
  bool needed() const { return needed_; }

  MixtureValue evaluate(double y) const {
    const double v = std::asinh(y);
    if (v <= grid_.front()) return {0.0, 1.0, 0.0};
    if (v >= grid_.back()) return {1.0, 0.0, 0.0};
    const std::size_t k = std::upper_bound(grid_.begin(), grid_.end(), v) - grid_.begin() - 1;
    const double slope = (cdf_[k + 1] - cdf_[k]) / (grid_[k + 1] - grid_[k]);
    const double cdf = cdf_[k] + slope * (v - grid_[k]);
    return {cdf, 1.0 - cdf, slope / std::cosh(v)};
  }

  double quantile(double p) const {
    const auto above = std::lower_bound(cdf_.begin(), cdf_.end(), p);
    if (above == cdf_.begin()) return std::sinh(grid_.front());
    if (above == cdf_.end()) return std::sinh(grid_.back());
    const std::size_t k = above - cdf_.begin() - 1;
    const double part = (p - cdf_[k]) / (cdf_[k + 1] - cdf_[k]);
    return std::sinh(grid_[k] + part * (grid_[k + 1] - grid_[k]));
  }

 private:
  static constexpr int steps = 48;
  std::vector<double> grid_;  // of asinh(y)
  std::vector<double> cdf_;   // sorted
  bool needed_;
};

}  // namespace btg
