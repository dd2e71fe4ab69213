// All constants of the adaptive rule. Unless stated otherwise, each was chosen to give the most
// accurate ends of 95% intervals on the eight problems of bench/quadrature.R at equal work; see
// bench/README.md.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "btg/quadrature/rule.hpp"

namespace btg {

// The budget of the rule, for options left open.
struct AdaptiveBudget {
  int nodes;         // initial target
  double effective;  // draws continue until this effective number is reached
  double most;       // maximum likelihoods, where a gradient counts as `gradient_cost`
  double keep;       // nodes that represent all in predictions

  // In an average, a model's errors count by its `share`, so all models together use the nodes of
  // one. If likelihoods cost almost nothing, each model uses as many.
  AdaptiveBudget(double rows, int dimension, double share) {
    // Seconds per likelihood, measured on one machine with 20 to 400 rows. A formula instead of a
    // clock, so that the same call gives the same nodes everywhere.
    const double cost = 4e-6 + 2.5e-7 * rows + 1.2e-11 * rows * rows * rows;
    // A tenth of a second is hardly noticed. A third is acceptable with many hyperparameters, where
    // accuracy is hard to reach and the mode search takes much of the time.
    const double unnoticed = 0.1, acceptable = 0.35;
    const double d = dimension;
    const double wide = std::min(1500.0 + 100.0 * std::max(d - 10.0, 0.0), acceptable / cost);
    const double affordable = std::min(std::max({unnoticed / cost, wide, 1500.0}), 5000.0);
    // At least 15%, and more if 6000 likelihoods take less than 50 milliseconds.
    share = std::min(std::max({share, 0.15, 0.05 / (6000.0 * cost)}), 1.0);
    most = std::max(std::ceil(share * affordable), 400.0);
    nodes = static_cast<int>(std::ceil(share * std::min(std::max(256.0, 64.0 * d), 1000.0)));
    // Standard errors grow with the dimension; 300 nodes suffice up to 6 hyperparameters.
    const double wanted = 300.0 * std::max(1.0, d / 6.0) * std::max(1.0, d / 6.0);
    effective = std::ceil(share * std::min(wanted, std::max(300.0, affordable / 8.0)));
    // Matches all polynomials up to degree 2 and some beyond. Each is factored once more, to select
    // those to predict from, so there are more if rows are few. With 400 rows or more the posterior
    // is narrow. With 80 rows and 14 hyperparameters, ends of intervals moved by 0.9 of their
    // standard error with 160 of them, and by half of it with 320.
    const double by_rows = rows < 400.0 ? std::min(400.0 / rows, 3.0) : std::sqrt(400.0 / rows);
    const double limit = std::max(128.0 * by_rows, 48.0);
    keep = std::ceil(std::pow(share, 0.7) *
                     std::min(16.0 + 4.0 * d * d * std::max(100.0 / rows, 1.0), limit));
  }
};

struct AdaptiveTuning {
  explicit AdaptiveTuning(const Target& target)
      : warm(target.warm),
        has_parts(target.kernel_dimension > 0 && target.kernel_dimension < target.dimension),
        few(target.dimension <= 8),
        by_slopes(target.kernel_dimension > 20) {}

  // Up to 8 dimensions, nodes determine covariances. Beyond, refitting covariances raises the
  // effective number of nodes but loses mass (log evidence off by 0.3 to 1.5 on the problems with
  // 12 and 16 hyperparameters). Proposals there have lighter tails and adapt only their scales.
  bool warm;       // modes are known from a similar posterior
  bool has_parts;  // both kernel and transform coordinates
  bool few;        // few dimensions
  bool by_slopes;  // so many lengthscales that gradients are more informative than likelihoods

  // A known, narrow mode is nearly symmetric and the only one.
  bool is_known(const Eigen::VectorXd& curvatures) const {
    return warm && curvatures.minCoeff() > 10.0;
  }

  // The proposal.
  bool principal_axes() const { return few; }  // else the symmetric root
  // A larger share of the prior, or tails below 10 degrees of freedom, wastes draws where the
  // posterior is narrow. A smaller share misses tails in few dimensions.
  double prior_share(bool known) const { return few && !known ? 0.25 : 0.05; }
  double degrees_of_freedom() const { return few ? 10.0 : 30.0; }
  int screened_starts() const { return few ? 2 : 1; }
  double inflation = 1.2;         // of scales: too wide costs draws, too narrow costs mass
  double least_mode_share = 0.2;  // a mode may be wider than its Laplace approximation
  // The same. Given a component of the prior, Laplace's approximation is more accurate.
  double least_share(bool of_part) const { return of_part ? 0.05 : least_mode_share; }
  double reach = 1.4142135623730951;  // sds at which the drop of the posterior sets a scale
  double least_scale = 0.4, largest_scale = 2.5;  // of a side, relative to the curvature

  // Products of a kernel and a transform proposal. Without them, errors with affine + sinharcsinh
  // were 3.75% instead of 0.8%.
  double product_share = 0.8;  // of the share of the Laplace mixture
  // Copies with a free coordinate correct the bias from inputs that may not matter: 7% of upper
  // ends with 8 inputs and 30 rows.
  double free_share = 0.2;
  double narrow = 0.7;  // coordinates with a smaller spread, in prior sds, get a free copy

  // Numbers of draws, as shares of the target or of the budget.
  double first_draw = 0.4;
  double most_first_draw = 128.0;
  double draw_after_climb = 0.2;
  double draw_from_products = 0.4;                           // of the remaining budget
  int climbs_from_heaviest() const { return warm ? 0 : 2; }  // to modes that no start reached
  int most_refits = 2;                                       // more make diagnostics too optimistic
  double least_draw = 64.0;

  // Triggers of further work. 0.7 is the k-hat limit of Vehtari et al. (2024). A heavy tail with
  // little of the weight does no harm.
  double poor_k_hat = 0.5, heavy_k_hat = 0.7;
  static constexpr double few_effective = 0.35;  // ratio of effective to all nodes

  // Cost of a gradient in likelihoods; 2.2 to 5 as measured.
  double gradient_cost = 3.0;
};

}  // namespace btg
