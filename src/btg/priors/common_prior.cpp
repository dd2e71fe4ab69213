#include "btg/priors/common_prior.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "btg/base/constants.hpp"
#include "btg/numerics/log_sum_exp.hpp"
#include "btg/numerics/one_dimensional.hpp"

namespace btg {

SpreadNodes spread_nodes(const Prior& prior) {
  const OneDimensionalRule rule = gauss_legendre(48);
  return {rule.nodes.array().unaryExpr([&](double p) { return prior.quantile(p); }),
          rule.weights.array()};
}

CommonPrior::CommonPrior(Eigen::Index count, double centre, double width, SpreadNodes spread)
    : count_(count), centre_(centre), width_(width), spread_(std::move(spread)) {
  const double own = (spread_.weights * spread_.values.square()).sum();
  scale_ = std::sqrt(width * width + own);
  apart_ = std::sqrt(own) / scale_;
  const double d = static_cast<double>(count_);
  together_ = std::sqrt(own + d * width * width) / scale_;
}

Eigen::VectorXd CommonPrior::correlate(const Eigen::VectorXd& u) const {
  const double mean = u.mean();
  return (apart_ * (u.array() - mean) + together_ * mean).matrix();
}

Eigen::VectorXd CommonPrior::decorrelate(const Eigen::VectorXd& v) const {
  const double mean = v.mean();
  return ((v.array() - mean) / apart_ + mean / together_).matrix();
}

std::vector<CommonPart> CommonPrior::parts() const {
  const Eigen::ArrayXd logs = spread_.values.log();
  const double lowest = logs.minCoeff(), range = logs.maxCoeff() - lowest;
  const int count = std::min(1 + static_cast<int>(range / std::log(1.5)), 5);
  std::vector<CommonPart> all;
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

ValueGradient CommonPrior::log_density(const Eigen::VectorXd& x) const {
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
  const double pull = (posterior / own).sum(), common_pull = (posterior / shared).sum();
  return {total - 0.5 * d * log_two_pi, (-pull * (x.array() - mean) - common_pull * away).matrix()};
}

ValueGradient CommonPrior::excess(const Eigen::VectorXd& x) const {
  ValueGradient density = log_density(x);
  const Eigen::VectorXd u = decorrelate((x.array() - centre_) / scale_);
  const double d = static_cast<double>(count_);
  density.value += 0.5 * (u.squaredNorm() + d * log_two_pi) + d * std::log(scale_) +
                   (d - 1.0) * std::log(apart_) + std::log(together_);
  density.gradient += decorrelate(u) / scale_;
  return density;
}

CommonPart CommonPrior::part_at(double spread, double share) const {
  const double d = static_cast<double>(count_);
  return {share, spread / (scale_ * apart_),
          std::sqrt(spread * spread + d * width_ * width_) / (scale_ * together_)};
}

}  // namespace btg
