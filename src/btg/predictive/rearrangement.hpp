// With negative weights, the "cdf" of a mixture may decrease or leave [0, 1]. Its increasing
// rearrangement does not: it sorts the values, each keeping its width on the axis of asinh(y), and
// is closer to any true cdf (Chernozhukov, Fernandez-Val and Galichon 2009). The mixture is
// evaluated on a coarse grid and interpolated by cubics with the slopes of the density.
#pragma once

#include <cmath>
#include <vector>

#include "btg/predictive/mixture.hpp"
#include "btg/predictive/quantile.hpp"

namespace btg {

class Rearrangement {
 public:
  // The grid spans all but a mass of 1e-8 at each end. It is even in asinh(y) between the brackets
  // of a few probabilities.
  explicit Rearrangement(const Mixture& mixture);

  // True if the mixture is not a cdf on the coarse grid, or if its negative weights sum to more
  // than 1, so that it is unreliable between grid points.
  bool needed() const { return needed_ && !cells_.empty(); }

  MixtureValue evaluate(double y) const;

  double quantile(double p) const;

 private:
  struct Point {
    double v, cdf, slope;
  };

  static Point evaluate_at(const Mixture& mixture, double v);

  struct Cell {
    double cdf, width;
  };

  // Adds the next point of the coarse grid, and the cells of the fine grid up to it.
  void add(const Point& next);

  static constexpr int steps = 6, between = 8;
  static constexpr double rounding = 1e-12;
  Point last_{-INFINITY, 0.0, 0.0};
  std::vector<Cell> cells_;
  std::vector<double> grid_;  // of asinh(y)
  std::vector<double> cdf_;   // sorted
  bool needed_;
};

}  // namespace btg
