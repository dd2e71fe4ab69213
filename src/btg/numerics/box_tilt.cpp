#include "btg/numerics/box_tilt.hpp"

#include <algorithm>
#include <cmath>

#include "btg/numerics/truncated_normal.hpp"

namespace btg {

bool RadialDensity::fixed() const { return std::isinf(nu); }

double RadialDensity::log(double r) const {
  return (nu - 1.0) * std::log(r) - 0.5 * quadratic * r * r;
}

double RadialDensity::slope(double r) const { return (nu - 1.0) / r - quadratic * r; }

double RadialDensity::curvature(double r) const { return -(nu - 1.0) / (r * r) - quadratic; }

namespace {

// The objective and its derivatives at t and R. With p and P the densities at the limits l and u
// over the mass, v = dx/dt is the variance of the truncated normal and
//
//   g = d log p_k / dR = u P - l p,   kappa = dx/dR = dg/dt.
struct TiltState {
  Eigen::VectorXd centre, mean, variance, kappa;
  double radius, value;
  double radius_slope, radius_curvature;  // of the terms in R, given t
};

double finite_or_zero(double x) { return std::isinf(x) ? 0.0 : x; }

TiltState state_at(const TiltProblem& problem, const Eigen::VectorXd& centre, double radius) {
  const Eigen::Index d = centre.size();
  TiltState state{
      centre, Eigen::VectorXd(d), Eigen::VectorXd(d), Eigen::VectorXd(d), radius, 0.0, 0.0, 0.0};
  for (Eigen::Index k = 0; k < d; ++k) {
    const double l = finite_or_zero(problem.lower[k]), u = finite_or_zero(problem.upper[k]);
    const double a = problem.lower[k] * radius - centre[k];
    const double b = problem.upper[k] * radius - centre[k];
    const NormalInterval at = normal_interval(a, b);
    const double p_lower = at.lower_density, p_upper = at.upper_density;
    const double g = u * p_upper - l * p_lower;
    const double a_part = finite_or_zero(a) * p_lower, b_part = finite_or_zero(b) * p_upper;
    state.mean[k] = centre[k] + at.mean();
    state.variance[k] = at.variance(a, b);
    state.kappa[k] = u * b_part - l * a_part - g * at.mean();
    state.radius_slope += g;
    state.radius_curvature += l * l * a_part - u * u * b_part - g * g;
    const double moved = at.mean();
    state.value += 0.5 * moved * moved + at.log_mass;
  }
  state.value -= 0.5 * state.mean.dot(problem.precision * state.mean);
  if (problem.radial.fixed()) return state;
  state.value += problem.radial.log(radius);
  state.radius_slope += problem.radial.slope(radius);
  state.radius_curvature += problem.radial.curvature(radius);
  return state;
}

struct TiltStep {
  Eigen::VectorXd centre;
  double radius = 0.0;
  double precision = 0.0;      // of R
  double promise = -INFINITY;  // twice the predicted gain
};

// Newton's step in x and R,
//
//   (P + diag(1/v - 1)) dx - (kappa / v) dR = x - t - P x,
//
// turned into a step of t by v dt = dx - kappa dR.
TiltStep newton_step(const Compute& compute, const TiltProblem& problem, const TiltState& state) {
  const Eigen::Index d = state.centre.size();
  const int size = static_cast<int>(d);
  TiltStep step;
  Eigen::MatrixXd factor = problem.precision;
  factor.diagonal().array() += state.variance.array().inverse() - 1.0;
  if (compute.cholesky(factor.data(), size) != 0) return step;
  const Eigen::VectorXd slope = state.mean - state.centre - problem.precision * state.mean;
  const Eigen::VectorXd border = state.kappa.cwiseQuotient(state.variance);
  Eigen::MatrixXd solved(d, 2);
  solved << slope, border;
  compute.solve_lower(factor.data(), size, solved.data(), 2);
  compute.solve_lower_transposed(factor.data(), size, solved.data(), 2);
  if (!problem.radial.fixed()) {
    step.precision = -state.radius_curvature + state.kappa.dot(border) - border.dot(solved.col(1));
    const double reduced = state.radius_slope + border.dot(solved.col(0));
    if (!(step.precision > 0.0)) return step;
    step.radius = reduced / step.precision;
  }
  const Eigen::VectorXd mean_step = solved.col(0) + step.radius * solved.col(1);
  step.centre = (mean_step - step.radius * state.kappa).cwiseQuotient(state.variance);
  step.promise = slope.dot(mean_step) + state.radius_slope * step.radius;
  return step;
}

// The state that the search starts from. If R has no proper density, x is in the middle of its
// limits, where R would follow from x'P x alone.
TiltState first_state(const TiltProblem& problem) {
  const Eigen::Index d = problem.lower.size();
  const RadialDensity& radial = problem.radial;
  if (radial.fixed()) return state_at(problem, Eigen::VectorXd::Zero(d), 1.0);
  if (radial.quadratic > 0.0) {
    return state_at(problem, Eigen::VectorXd::Zero(d), std::sqrt(std::max(radial.nu - 1.0, 0.5)));
  }
  Eigen::VectorXd middle(d);
  for (Eigen::Index k = 0; k < d; ++k) {
    const double l = problem.lower[k], u = problem.upper[k];
    middle[k] = std::isinf(l) ? finite_or_zero(u) : std::isinf(u) ? l : l + 0.5 * (u - l);
  }
  const double count = std::max(static_cast<double>(d) + radial.nu, 1.0);
  const double first = std::sqrt(count / std::max(middle.dot(problem.precision * middle), 1e-300));
  return state_at(problem, first * middle, first);
}

}  // namespace

BoxTilt find_tilt(const Compute& compute, const TiltProblem& problem) {
  TiltState state = first_state(problem);
  BoxTilt none{state.centre, state.mean, state.radius, 0.0, false};
  for (int iteration = 0; iteration < 50; ++iteration) {
    const TiltStep step = newton_step(compute, problem, state);
    if (!std::isfinite(step.promise) || !step.centre.allFinite()) return none;
    double length = 1.0;
    if (step.radius < 0.0) length = std::min(1.0, -0.5 * state.radius / step.radius);
    bool better = false;
    for (int halving = 0; halving < 30 && !better; ++halving, length *= 0.5) {
      TiltState next = state_at(problem, state.centre + length * step.centre,
                                state.radius + length * step.radius);
      better = next.value >= state.value + 1e-4 * length * step.promise - 1e-9;
      if (better) state = std::move(next);
    }
    if (!better) return none;
    // Tilts need not be exact: the weights of the draws correct for them.
    if (step.promise < 1e-8) {
      return {state.centre, state.mean, state.radius, step.precision, true};
    }
  }
  return none;
}

}  // namespace btg
