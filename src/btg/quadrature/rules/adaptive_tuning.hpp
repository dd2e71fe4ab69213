// The constants of the adaptive rule, in one place. Unless another reason is given, each is what
// made the ends of 95% intervals most accurate on the eight problems of bench/quadrature.R at equal
// work; bench/README.md has their figures.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "btg/quadrature/rule.hpp"

namespace btg {

// What the rule may spend, where options leave it open.
struct AdaptiveBudget {
  int nodes;         // aimed at first
  double effective;  // nodes are drawn until they are worth so many
  double most;       // likelihoods, where a gradient counts as `gradient_cost`
  double keep;       // nodes to predict from

  // Errors of a model of an average count by its `share`, so that the nodes of all models together
  // are those of one; where likelihoods cost almost nothing, each has as many.
  AdaptiveBudget(double rows, int dimension, double share) {
    // Seconds of a likelihood, as measured on one machine with 20 to 400 rows: a rule, not a clock,
    // so that the same call gives the same nodes everywhere.
    const double cost = 4e-6 + 2.5e-7 * rows + 1.2e-11 * rows * rows * rows;
    // A tenth of a second is hardly noticed, a third is accepted where accuracy is hard to have:
    // with many hyperparameters the search for modes takes a good part of it.
    const double unnoticed = 0.1, acceptable = 0.35;
    const double d = dimension;
    const double wide = std::min(1500.0 + 100.0 * std::max(d - 10.0, 0.0), acceptable / cost);
    const double affordable = std::min(std::max({unnoticed / cost, wide, 1500.0}), 5000.0);
    // At least 15%, and more where 6000 likelihoods take less than 50 milliseconds.
    share = std::min(std::max({share, 0.15, 0.05 / (6000.0 * cost)}), 1.0);
    most = std::max(std::ceil(share * affordable), 400.0);
    nodes = static_cast<int>(std::ceil(share * std::min(std::max(256.0, 64.0 * d), 1000.0)));
    // Standard errors grow with the dimension: 300 nodes suffice up to 6 hyperparameters.
    const double wanted = 300.0 * std::max(1.0, d / 6.0) * std::max(1.0, d / 6.0);
    effective = std::ceil(share * std::min(wanted, std::max(300.0, affordable / 8.0)));
    // All polynomials up to degree 2 and some beyond; with few rows nodes are cheap.
    const double few_rows = std::min(std::max(100.0 / rows, 1.0), 1.5);
    keep = std::ceil(std::pow(share, 0.7) * std::min(16.0 + 5.0 * d * d, 192.0 * few_rows));
  }
};

struct AdaptiveTuning {
  explicit AdaptiveTuning(const Target& target)
      : warm(target.warm),
        has_parts(target.kernel_dimension > 0 && target.kernel_dimension < target.dimension),
        few(target.dimension <= 8),
        by_slopes(target.kernel_dimension > 20) {}

  // What depends on the problem. Up to 8 dimensions covariances can be told from the nodes; beyond,
  // refitting them raises the effective number of nodes and loses mass (log evidence off by 0.3 to
  // 1.5 on the problems with 12 and 16 hyperparameters), so that proposals there are lighter
  // tailed and only their scales move.
  bool warm;       // modes are known from a posterior much like this one
  bool has_parts;  // coordinates of a kernel and of a transform
  bool few;        // dimensions
  bool by_slopes;  // so many lengthscales that a few gradients say more than many likelihoods

  // A mode that was looked for before and is narrow is nearly as wide on either side, and there is
  // no other.
  bool is_known(const Eigen::VectorXd& curvatures) const {
    return warm && curvatures.minCoeff() > 10.0;
  }

  // The proposal.
  bool principal_axes() const { return few; }  // else the symmetric root
  // A heavier slice of the prior, or tails below 10, waste draws where the posterior is narrow; a
  // lighter one misses tails in few dimensions.
  double prior_share(bool known) const { return few && !known ? 0.25 : 0.05; }
  double degrees_of_freedom() const { return few ? 10.0 : 30.0; }
  int screened_starts() const { return few ? 2 : 1; }
  double inflation = 1.2;         // of scales: too wide costs draws, too narrow costs mass
  double least_mode_share = 0.2;  // a mode may be wider than Laplace's approximation says
  // The same; given a part of its prior, that says more.
  double least_share(bool of_part) const { return of_part ? 0.05 : least_mode_share; }
  double reach = 1.4142135623730951;  // in sds, where the drop of the posterior tells a scale
  double least_scale = 0.4, largest_scale = 2.5;  // of a side, relative to the curvature's

  // The products of a kernel's proposal and a transform's: without them, affine + sinharcsinh was
  // off by 3.75% where it is by 0.8%.
  double product_share = 0.8;  // of what the Laplace mixture had
  // Copies with a free coordinate mend the bias of an input that seems to matter and may not: 7%
  // of upper ends with 8 inputs and 30 rows.
  double free_share = 0.2;
  double narrow = 0.7;  // below this spread, in sds of the prior, a coordinate gets such a copy

  // How draws are spent, as shares of the aim or of the budget.
  double first_draw = 0.4;
  double most_first_draw = 128.0;
  double draw_after_climb = 0.2;
  double draw_from_products = 0.4;                           // of what is left of the budget
  int climbs_from_heaviest() const { return warm ? 0 : 2; }  // to modes that no start leads to
  int most_refits = 2;                                       // more flatter their own diagnostics
  double least_draw = 64.0;

  // When more is done. k-hat of 0.7 is the limit of Vehtari et al. (2024); a heavy tail that takes
  // little of the weight does no harm.
  double poor_k_hat = 0.5, heavy_k_hat = 0.7;
  static constexpr double few_effective = 0.35;  // effective nodes over all

  // Of a gradient, in likelihoods: 2.2 to 5 as measured.
  double gradient_cost = 3.0;
};

}  // namespace btg
