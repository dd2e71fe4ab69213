// Central composite design around the mode, as in INLA (Rue, Martino and Chopin 2009): the mode,
// and n points on the sphere of radius f0 sqrt(d), two on each axis and the others on the diagonals
// of a fractional factorial design. By symmetry, the weights
//
//     1 / (n f0^2) on the sphere,     1 - 1 / f0^2 at the mode,
//
// are exact for 1, x_k and x_k x_l against N(0, I). They are positive for f0 > 1.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/quadrature/grids/factorial_design.hpp"
#include "btg/quadrature/grids/laplace_frame.hpp"
#include "btg/quadrature/modes.hpp"
#include "btg/quadrature/rule.hpp"
#include "btg/quadrature/rule_options.hpp"

namespace btg {

class CentralCompositeRule final : public Rule {
 public:
  std::string name() const override { return "ccd"; }
  RuleOptions default_options() const override { return {{"f0", 1.1}, {"most", 20000.0}}; }

  WeightedPoints integrate(const Target& target, const RuleOptions& options) const override {
    const int d = target.dimension;
    if (!(options.number("f0") > 1.0)) throw Error("quadrature", "`f0` must be larger than 1.");
    if (d == 0) return integrate_nothing(target);
    const std::vector<std::uint32_t> columns = walsh_columns(d);
    check_node_count(name(), 1.0 + 2.0 * d + factorial_runs(columns), options);
    const Grid design = central_composite_design(columns, options.number("f0"));
    return integrate_around_mode(target, find_modes(target, ModeSearch{}), design);
  }

 private:
  static Grid central_composite_design(const std::vector<std::uint32_t>& columns, double f0) {
    const Eigen::Index d = static_cast<Eigen::Index>(columns.size());
    const double radius = f0 * std::sqrt(double(d));
    // In one dimension, the diagonals coincide with the axis.
    const Eigen::MatrixXd diagonals = d == 1 ? Eigen::MatrixXd(1, 0) : factorial_design(columns);
    const Eigen::Index on_sphere = 2 * d + diagonals.cols();
    Grid design{Eigen::MatrixXd::Zero(d, 1 + on_sphere),
                Eigen::VectorXd::Constant(1 + on_sphere, 1.0 / (on_sphere * f0 * f0))};
    design.weights[0] = 1.0 - 1.0 / (f0 * f0);
    for (Eigen::Index k = 0; k < d; ++k) {
      design.points(k, 1 + 2 * k) = -radius;
      design.points(k, 2 + 2 * k) = radius;
    }
    design.points.rightCols(diagonals.cols()) = f0 * diagonals;
    return design;
  }
};

}  // namespace btg
