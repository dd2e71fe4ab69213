// A mixture with negative weights may have a "cdf" that falls, or leaves [0, 1]. Its
// increasing rearrangement does not: its values, sorted, each taking as much of the axis of
// asinh(y) as before (Chernozhukov, Fernandez-Val and Galichon 2009, who show that it is closer to
// any true cdf). The mixture is evaluated on a coarse grid; between its points are cubics with the
// slopes of the density.
#pragma once

#include <cmath>
#include <vector>

#include "btg/predictive/mixture.hpp"
#include "btg/predictive/quantile.hpp"

namespace btg {

class Rearrangement {
 public:
  // The grid spans the bracket of all but a mass of 1e-8 at either end, evenly in asinh(y)
  // between the brackets of a few probabilities.
  explicit Rearrangement(const Mixture& mixture);

  // Whether the mixture itself is not a cdf on the coarse grid; or is not to be trusted between its
  // points, as more than half of what is added up cancels.
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

  // The next point of the coarse grid, and the cells of the fine grid up to it.
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
