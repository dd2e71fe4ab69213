// Lengthscales that share a level: x_j = log l_j = m + s e_j with e_j ~ N(0, 1), m ~ N(centre,
// width^2), and a spread s of any prior. Both are integrated out, m in closed form,
//
//     x | s ~ N(centre, s^2 I + width^2 1 1'),
//
// and s by a Gauss rule over its quantiles. A rule of quadrature sees v, correlated standard
// normals with x_j = centre + scale * v_j, which have the first two moments of x.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "btg/numerics/log_sum_exp.hpp"
#include "btg/numerics/one_dimensional.hpp"
#include "btg/numerics/value_gradient.hpp"
#include "btg/priors/prior.hpp"

namespace btg {

// The spread at its nodes, with their prior weights.
struct SpreadNodes {
  Eigen::ArrayXd values, weights;
};

inline SpreadNodes fixed_spread(double value) {
  return {Eigen::ArrayXd::Constant(1, value), Eigen::ArrayXd::Ones(1)};
}

inline SpreadNodes spread_nodes(const Prior& prior) {
  const OneDimensionalRule rule = gauss_legendre(48);
  return {rule.nodes.array().unaryExpr([&](double p) { return prior.quantile(p); }),
          rule.weights.array()};
}

// Given a range of the spread, u is nearly normal with mean 0: its standard deviations across and
// along (1, ..., 1), and the prior mass of the range.
struct LevelPart {
  double share, across, along;
};

class CommonLevel {
 public:
  // Of `count` lengthscales. A width of 0 is a known level.
  CommonLevel(Eigen::Index count, double centre, double width, SpreadNodes spread)
      : count_(count), centre_(centre), width_(width), spread_(std::move(spread)) {
    const double own = (spread_.weights * spread_.values.square()).sum();
    scale_ = std::sqrt(width * width + own);
    apart_ = std::sqrt(own) / scale_;
    const double d = static_cast<double>(count_);
    together_ = std::sqrt(own + d * width * width) / scale_;
  }

  Eigen::Index count() const { return count_; }
  double centre() const { return centre_; }
  double scale() const { return scale_; }

  // Independent standard normals to v, or derivatives in v to those in them: the map is the
  // symmetric root of v's correlation matrix.
  Eigen::VectorXd correlate(const Eigen::VectorXd& u) const {
    const double mean = u.mean();
    return (apart_ * (u.array() - mean) + together_ * mean).matrix();
  }
  Eigen::VectorXd decorrelate(const Eigen::VectorXd& v) const {
    const double mean = v.mean();
    return ((v.array() - mean) / apart_ + mean / together_).matrix();
  }

  // Ranges of the spread over which it hardly changes by more than a half.
  std::vector<LevelPart> parts() const {
    const Eigen::ArrayXd logs = spread_.values.log();
    const double lowest = logs.minCoeff(), range = logs.maxCoeff() - lowest;
    const int count = std::min(1 + static_cast<int>(range / std::log(1.5)), 5);
    std::vector<LevelPart> all;
    for (int k = 0; k < count; ++k) {
      double share = 0.0, sum = 0.0;
      for (Eigen::Index i = 0; i < logs.size(); ++i) {
        const int own = range > 0.0 ? static_cast<int>((logs[i] - lowest) / range * count) : 0;
        if (std::min(own, count - 1) != k) continue;
        share += spread_.weights[i];
        sum += spread_.weights[i] * logs[i];
      }
      if (share > 0.0) all.push_back(part_at(std::exp(sum / share), share));
    }
    return all;
  }

  // log density of x, and its gradient.
  ValueGradient log_density(const Eigen::VectorXd& x) const {
    const double d = static_cast<double>(count_);
    const double mean = x.mean(), away = mean - centre_;
    const Eigen::ArrayXd own = spread_.values.square();
    const Eigen::ArrayXd shared = own + d * width_ * width_;  // d times the variance of the mean
    const double squares = (x.array() - mean).square().sum();
    const Eigen::VectorXd terms = spread_.weights.log() - 0.5 * (d - 1.0) * own.log() -
                                  0.5 * shared.log() - 0.5 * squares / own -
                                  0.5 * d * away * away / shared;
    const double total = log_sum_exp(terms);
    const Eigen::ArrayXd posterior = (terms.array() - total).exp();  // of s given x
    const double pull = (posterior / own).sum(), level_pull = (posterior / shared).sum();
    return {total - 0.5 * d * std::log(2.0 * M_PI),
            (-pull * (x.array() - mean) - level_pull * away).matrix()};
  }

  // log density of x less that of the normal approximation.
  ValueGradient excess(const Eigen::VectorXd& x) const {
    ValueGradient density = log_density(x);
    const Eigen::VectorXd u = decorrelate((x.array() - centre_) / scale_);
    const double d = static_cast<double>(count_);
    density.value += 0.5 * (u.squaredNorm() + d * std::log(2.0 * M_PI)) + d * std::log(scale_) +
                     (d - 1.0) * std::log(apart_) + std::log(together_);
    density.gradient += decorrelate(u) / scale_;
    return density;
  }

 private:
  LevelPart part_at(double spread, double share) const {
    const double d = static_cast<double>(count_);
    return {share, spread / (scale_ * apart_),
            std::sqrt(spread * spread + d * width_ * width_) / (scale_ * together_)};
  }

  Eigen::Index count_;
  double centre_, width_;
  SpreadNodes spread_;
  double scale_;             // sd of each x_j
  double apart_, together_;  // of the root: its eigenvalues across and along (1, ..., 1)
};

}  // namespace btg
