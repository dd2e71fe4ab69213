#include "btg/numerics/box_probability.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "btg/base/constants.hpp"
#include "btg/numerics/box_tilt.hpp"
#include "btg/numerics/log_sum_exp.hpp"
#include "btg/numerics/truncated_normal.hpp"

namespace btg {

namespace {

// Orders coordinates so that each is the least likely inside its limits, given the means of those
// before it (Gibson, Glasbey and Elston 1994), and factors Sigma in this order.
struct OrderedRoot {
  std::vector<int> order;
  Eigen::MatrixXd lower;  // Cholesky factor of Sigma in this order
};

OrderedRoot order_variables(const Eigen::MatrixXd& covariance, const Box& box) {
  const Eigen::Index d = covariance.rows();
  OrderedRoot result{std::vector<int>(d), Eigen::MatrixXd::Zero(d, d)};
  std::vector<int>& order = result.order;
  std::iota(order.begin(), order.end(), 0);
  Eigen::MatrixXd& l = result.lower;
  Eigen::VectorXd variance = covariance.diagonal(), centre = Eigen::VectorXd::Zero(d);
  for (Eigen::Index j = 0; j < d; ++j) {
    Eigen::Index least = j;
    double least_mass = INFINITY;
    for (Eigen::Index i = j; i < d; ++i) {
      const double sd = std::sqrt(variance[i]);
      const double mass = log_normal_mass((box.lower[order[i]] - centre[i]) / sd,
                                          (box.upper[order[i]] - centre[i]) / sd);
      if (mass < least_mass) {
        least_mass = mass;
        least = i;
      }
    }
    std::swap(order[j], order[least]);
    std::swap(variance[j], variance[least]);
    std::swap(centre[j], centre[least]);
    l.row(j).swap(l.row(least));
    const double sd = std::sqrt(variance[j]);
    l(j, j) = sd;
    const Eigen::Index rest = d - j - 1;
    if (rest == 0) break;
    for (Eigen::Index i = j + 1; i < d; ++i) l(i, j) = covariance(order[i], order[j]);
    l.col(j).tail(rest).noalias() -= l.block(j + 1, 0, rest, j) * l.row(j).head(j).transpose();
    l.col(j).tail(rest) /= sd;
    const double mean = normal_interval((box.lower[order[j]] - centre[j]) / sd,
                                        (box.upper[order[j]] - centre[j]) / sd)
                            .mean();
    centre.tail(rest) += (std::isfinite(mean) ? mean : 0.0) * l.col(j).tail(rest);
    const Eigen::ArrayXd left = variance.tail(rest).array() - l.col(j).tail(rest).array().square();
    for (Eigen::Index i = j + 1; i < d; ++i) {
      variance[i] = std::max(left[i - j - 1], 1e-14 * covariance(order[i], order[i]));
    }
  }
  return result;
}

Eigen::VectorXd select(const Eigen::VectorXd& x, const std::vector<int>& indices) {
  Eigen::VectorXd result(indices.size());
  for (std::size_t k = 0; k < indices.size(); ++k) {
    result[static_cast<Eigen::Index>(k)] = x[indices[k]];
  }
  return result;
}

// The proposal of a free coordinate is wider than its distribution given the means of the others.
constexpr double free_width = 2.0;

// Coordinates in the order in which they are drawn, the first `free` of which have no distribution
// of their own: x = D B zeta with D = diag(sd).
struct Sequence {
  std::vector<int> order;
  Eigen::VectorXd sd;
  Eigen::MatrixXd b;
  int free;
};

// D P D in the order of the sequence.
Eigen::MatrixXd scaled_precision(const Sequence& sequence, const Eigen::MatrixXd& precision) {
  const Eigen::Index d = sequence.sd.size();
  Eigen::MatrixXd scaled(d, d);
  for (Eigen::Index k = 0; k < d; ++k) {
    for (Eigen::Index j = 0; j < d; ++j) {
      scaled(j, k) =
          sequence.sd[j] * precision(sequence.order[j], sequence.order[k]) * sequence.sd[k];
    }
  }
  return scaled;
}

// log of the constant of the density of chi_nu
double log_chi_constant(double nu) {
  return -(0.5 * nu - 1.0) * std::log(2.0) - std::lgamma(0.5 * nu);
}

// Draws R from a positive normal around its tilted value, and adds the log weights.
Eigen::VectorXd draw_radius(const BoxTilt& tilt, const RadialDensity& radial,
                            const Eigen::VectorXd& uniform, Eigen::VectorXd& log_weights) {
  Eigen::VectorXd radius = Eigen::VectorXd::Ones(uniform.size());
  if (radial.fixed()) return radius;
  const double r = tilt.radius;
  // Wider than the distribution of R within the box: a proper density of R is less curved, and the
  // approximation of an improper one is rough.
  const double sd =
      std::sqrt(radial.quadratic > 0.0 ? -1.1 / radial.curvature(r) : 1.5 / tilt.precision);
  const double log_mass = log_normal_mass(-r / sd, INFINITY);
  for (Eigen::Index i = 0; i < uniform.size(); ++i) {
    const double u = truncated_normal_quantile(uniform[i], -r / sd, INFINITY);
    radius[i] = std::max(r + sd * u, 1e-300);
    log_weights[i] += radial.log(radius[i]) + 0.5 * (u * u + log_two_pi) + std::log(sd) + log_mass;
  }
  return radius;
}

// Draws the coordinates in turn. `unit` scales them to T.
BoxDraws draw_box(const Sequence& sequence, const TiltProblem& problem, const BoxTilt& tilt,
                  double unit, const Eigen::MatrixXd& uniform) {
  const Eigen::Index d = problem.lower.size(), count = uniform.cols();
  const Eigen::MatrixXd& b = sequence.b;
  Eigen::VectorXd mu = Eigen::VectorXd::Zero(d);
  if (tilt.found) {
    const Eigen::VectorXd zeta = b.triangularView<Eigen::UnitLower>().solve(tilt.mean);
    mu = tilt.centre - tilt.mean + zeta;
  }
  mu.head(sequence.free) = tilt.centre.head(sequence.free);
  BoxDraws result{0.0, 0.0, Eigen::MatrixXd(d, count), Eigen::VectorXd::Zero(count), tilt.found};
  Eigen::VectorXd& log_weights = result.weights;
  const Eigen::VectorXd radius = draw_radius(tilt, problem.radial, uniform.row(d), log_weights);
  Eigen::MatrixXd zeta(count, d);
  Eigen::VectorXd before(count);
  for (Eigen::Index k = 0; k < d; ++k) {
    const bool free = k < sequence.free;
    const double width = free ? free_width : 1.0;
    before.noalias() = zeta.leftCols(k) * b.row(k).head(k).transpose();
    for (Eigen::Index i = 0; i < count; ++i) {
      const double from = (problem.lower[k] * radius[i] - before[i] - mu[k]) / width;
      const double to = (problem.upper[k] * radius[i] - before[i] - mu[k]) / width;
      const double z = truncated_normal_quantile(uniform(k, i), from, to);
      log_weights[i] += log_normal_mass(from, to);
      log_weights[i] += free ? 0.5 * (z * z + log_two_pi) + std::log(width * sequence.sd[k])
                             : -mu[k] * (z + 0.5 * mu[k]);
      zeta(i, k) = width * z + mu[k];
      result.draws(sequence.order[k], i) =
          unit * sequence.sd[k] * (zeta(i, k) + before[i]) / radius[i];
    }
  }
  log_weights = log_weights.array().isNaN().select(-INFINITY, log_weights);
  const double total = log_sum_exp(log_weights);
  result.log_probability = total - std::log(static_cast<double>(count));
  if (!(total > -INFINITY)) return result;
  log_weights = (log_weights.array() - total).exp();
  result.standard_error =
      std::sqrt(std::max(log_weights.squaredNorm() - 1.0 / static_cast<double>(count), 0.0));
  return result;
}

TiltProblem tilt_problem(const Sequence& sequence, const Eigen::MatrixXd& precision, const Box& box,
                         double unit, const RadialDensity& radial) {
  TiltProblem problem{scaled_precision(sequence, precision), select(box.lower, sequence.order),
                      select(box.upper, sequence.order), radial};
  problem.lower.array() /= unit * sequence.sd.array();
  problem.upper.array() /= unit * sequence.sd.array();
  return problem;
}

}  // namespace

BoxDraws box_probability(const Compute& compute, const BoxScale& scale, const Box& box,
                         const Eigen::MatrixXd& uniform) {
  const double nu = box.degrees_of_freedom;
  const double unit = std::isinf(nu) ? 1.0 : std::sqrt(nu);
  OrderedRoot root = order_variables(scale.covariance, box);
  const Eigen::VectorXd sd = root.lower.diagonal();
  const Sequence sequence{std::move(root.order), sd, sd.cwiseInverse().asDiagonal() * root.lower,
                          0};
  const TiltProblem problem = tilt_problem(sequence, scale.precision, box, unit, {nu, 1.0});
  BoxDraws result = draw_box(sequence, problem, find_tilt(compute, problem), unit, uniform);
  if (std::isfinite(nu)) result.log_probability += log_chi_constant(nu);
  if (sd.size() == 1) {
    result.log_probability = log_t_mass(box.lower[0] / sd[0], box.upper[0] / sd[0], nu);
  }
  return result;
}

BoxDraws free_box_integral(const Compute& compute, const FreeScale& scale, const Box& box,
                           const Eigen::MatrixXd& uniform) {
  const int free = static_cast<int>(scale.free.size());
  const Eigen::Index others = scale.covariance.rows(), d = free + others;
  // Orders the others at about the radius that the middle of the box has.
  Eigen::VectorXd middle(d);
  for (Eigen::Index k = 0; k < d; ++k) {
    const double l = box.lower[k], u = box.upper[k];
    middle[k] = std::isfinite(l) && std::isfinite(u) ? l + 0.5 * (u - l)
                : std::isfinite(l)                   ? l
                : std::isfinite(u)                   ? u
                                                     : 0.0;
  }
  const double radius =
      std::sqrt(static_cast<double>(others) / middle.dot(scale.precision * middle));
  const Eigen::VectorXd mean = scale.weights * select(middle, scale.free);
  const OrderedRoot root = order_variables(
      scale.covariance, {radius * (select(box.lower, scale.others) - mean),
                         radius * (select(box.upper, scale.others) - mean), INFINITY});
  Sequence sequence{scale.free, Eigen::VectorXd(d), Eigen::MatrixXd::Identity(d, d), free};
  for (const int k : root.order) sequence.order.push_back(scale.others[k]);
  for (int k = 0; k < free; ++k) {
    sequence.sd[k] = 1.0 / std::sqrt(scale.precision(scale.free[k], scale.free[k]));
  }
  sequence.sd.tail(others) = root.lower.diagonal();
  const Eigen::VectorXd inverse = root.lower.diagonal().cwiseInverse();
  sequence.b.bottomRightCorner(others, others) = inverse.asDiagonal() * root.lower;
  for (Eigen::Index k = 0; k < others; ++k) {
    for (int j = 0; j < free; ++j) {
      sequence.b(free + k, j) = inverse[k] * scale.weights(root.order[k], j) * sequence.sd[j];
    }
  }
  const TiltProblem problem =
      tilt_problem(sequence, scale.precision, box, 1.0, {-static_cast<double>(free), 0.0});
  BoxTilt tilt = find_tilt(compute, problem);
  if (!tilt.found) tilt.precision = 2.0 * static_cast<double>(others) / (tilt.radius * tilt.radius);
  return draw_box(sequence, problem, tilt, 1.0, uniform);
}

}  // namespace btg
