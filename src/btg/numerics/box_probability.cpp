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

Eigen::VectorXd in_order(const Eigen::VectorXd& x, const std::vector<int>& order) {
  Eigen::VectorXd result(x.size());
  for (Eigen::Index k = 0; k < x.size(); ++k) result[k] = x[order[k]];
  return result;
}

// log density of chi_nu
double log_chi_density(double r, double nu) {
  return (nu - 1.0) * std::log(r) - 0.5 * r * r - (0.5 * nu - 1.0) * std::log(2.0) -
         std::lgamma(0.5 * nu);
}

// Draws R from a positive normal around its tilted value, and adds the log weights.
Eigen::VectorXd draw_radius(const BoxTilt& tilt, double nu, const Eigen::VectorXd& uniform,
                            Eigen::VectorXd& log_weights) {
  Eigen::VectorXd radius = Eigen::VectorXd::Ones(uniform.size());
  if (std::isinf(nu)) return radius;
  const double r = tilt.radius;
  // Wider than the distribution of R within the box, whose log density is more curved.
  const double sd = std::sqrt(1.1 / ((nu - 1.0) / (r * r) + 1.0));
  const double log_mass = log_normal_mass(-r / sd, INFINITY);
  for (Eigen::Index i = 0; i < uniform.size(); ++i) {
    const double u = truncated_normal_quantile(uniform[i], -r / sd, INFINITY);
    radius[i] = std::max(r + sd * u, 1e-300);
    log_weights[i] +=
        log_chi_density(radius[i], nu) + 0.5 * (u * u + log_two_pi) + std::log(sd) + log_mass;
  }
  return radius;
}

}  // namespace

BoxDraws box_probability(const Compute& compute, const BoxScale& scale, const Box& box,
                         const Eigen::MatrixXd& uniform) {
  const Eigen::Index d = box.lower.size(), count = uniform.cols();
  const double nu = box.degrees_of_freedom;
  OrderedRoot root = order_variables(scale.covariance, box);
  const Eigen::VectorXd sd = root.lower.diagonal();
  const double unit = std::isinf(nu) ? 1.0 : std::sqrt(nu);
  TiltProblem problem{Eigen::MatrixXd(d, d), in_order(box.lower, root.order),
                      in_order(box.upper, root.order), nu};
  problem.lower.array() /= unit * sd.array();
  problem.upper.array() /= unit * sd.array();
  for (Eigen::Index k = 0; k < d; ++k) {
    for (Eigen::Index j = 0; j < d; ++j) {
      problem.precision(j, k) = sd[j] * scale.precision(root.order[j], root.order[k]) * sd[k];
    }
  }
  const BoxTilt tilt = find_tilt(compute, problem);

  const Eigen::MatrixXd b = sd.cwiseInverse().asDiagonal() * root.lower;
  Eigen::VectorXd mu = Eigen::VectorXd::Zero(d);
  if (tilt.found) {
    const Eigen::VectorXd zeta = b.triangularView<Eigen::UnitLower>().solve(tilt.mean);
    mu = tilt.centre - tilt.mean + zeta;
  }
  BoxDraws result{0.0, 0.0, Eigen::MatrixXd(d, count), Eigen::VectorXd::Zero(count), tilt.found};
  Eigen::VectorXd& log_weights = result.weights;
  const Eigen::VectorXd radius = draw_radius(tilt, nu, uniform.row(d), log_weights);
  Eigen::MatrixXd zeta(count, d);
  Eigen::VectorXd before(count);
  for (Eigen::Index k = 0; k < d; ++k) {
    before.noalias() = zeta.leftCols(k) * b.row(k).head(k).transpose();
    for (Eigen::Index i = 0; i < count; ++i) {
      const double from = problem.lower[k] * radius[i] - before[i] - mu[k];
      const double to = problem.upper[k] * radius[i] - before[i] - mu[k];
      const double z = truncated_normal_quantile(uniform(k, i), from, to);
      log_weights[i] += log_normal_mass(from, to) - mu[k] * (z + 0.5 * mu[k]);
      zeta(i, k) = z + mu[k];
      result.draws(root.order[k], i) = unit * sd[k] * (zeta(i, k) + before[i]) / radius[i];
    }
  }
  log_weights = log_weights.array().isNaN().select(-INFINITY, log_weights);
  const double total = log_sum_exp(log_weights);
  result.log_probability = total - std::log(static_cast<double>(count));
  if (d == 1) {
    result.log_probability = log_t_mass(box.lower[0] / sd[0], box.upper[0] / sd[0], nu);
  }
  if (!(total > -INFINITY)) return result;
  log_weights = (log_weights.array() - total).exp();
  result.standard_error =
      std::sqrt(std::max(log_weights.squaredNorm() - 1.0 / static_cast<double>(count), 0.0));
  return result;
}

}  // namespace btg
