// Proposals for importance sampling: mixtures of split t distributions, drawn with
// quasi-random points. A split t has a scale of its own on either side of its centre
// along each axis, so that it can lean as a posterior does (Geweke 1989).
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <vector>

#include "../log_sum_exp.hpp"
#include "../policy.hpp"
#include "rule.hpp"

namespace btg {

class SplitT {
 public:
  // u = centre + axes * x, where x_k has scale `left[k]` below 0 and `right[k]` above.
  // Infinite `degrees_of_freedom` make it a split normal.
  SplitT(const Eigen::VectorXd& centre, const Eigen::MatrixXd& axes, const Eigen::VectorXd& left,
         const Eigen::VectorXd& right, double degrees_of_freedom)
      : centre_(centre), axes_(axes), left_(left), right_(right), nu_(degrees_of_freedom) {
    const Eigen::PartialPivLU<Eigen::MatrixXd> lu(axes);
    inverse_axes_ = lu.inverse();
    const double d = static_cast<double>(centre.size());
    log_constant_ = -lu.matrixLU().diagonal().array().abs().log().sum() -
                    (0.5 * (left + right)).array().log().sum();
    log_constant_ += std::isinf(nu_) ? -0.5 * d * std::log(2.0 * M_PI)
                                     : std::lgamma(0.5 * (nu_ + d)) - std::lgamma(0.5 * nu_) -
                                           0.5 * d * std::log(nu_ * M_PI);
  }

  static SplitT standard_normal(int d) {
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(d);
    return SplitT(Eigen::VectorXd::Zero(d), Eigen::MatrixXd::Identity(d, d), ones, ones, INFINITY);
  }

  double log_density(const Eigen::VectorXd& u) const {
    const Eigen::VectorXd x = along_axes(u);
    double r2 = 0.0;
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      const double e = x[k] / (x[k] < 0.0 ? left_[k] : right_[k]);
      r2 += e * e;
    }
    if (std::isinf(nu_)) return log_constant_ - 0.5 * r2;
    return log_constant_ - 0.5 * (nu_ + static_cast<double>(x.size())) * std::log1p(r2 / nu_);
  }

  // The draw for a point of the unit cube, which has one coordinate more than u.
  Eigen::VectorXd draw(const Eigen::VectorXd& uniform) const {
    const Eigen::Index d = centre_.size();
    double spread = 1.0;
    if (!std::isinf(nu_)) {
      const double chi2 = 2.0 * boost::math::gamma_p_inv(0.5 * nu_, uniform[d], MathPolicy());
      spread = std::sqrt(nu_ / chi2);
    }
    Eigen::VectorXd x(d);
    for (Eigen::Index k = 0; k < d; ++k) {
      // Each side has a mass in proportion to its scale, which keeps the density continuous.
      const double p = uniform[k], below = left_[k] / (left_[k] + right_[k]);
      const bool is_left = p < below;
      const double tail = is_left ? p / below : (1.0 - p) / (1.0 - below);
      const double size = std::sqrt(2.0) * boost::math::erfc_inv(tail, MathPolicy());
      x[k] = spread * size * (is_left ? -left_[k] : right_[k]);
    }
    return centre_ + axes_ * x;
  }

  // The coordinates of u along the axes.
  Eigen::VectorXd along_axes(const Eigen::VectorXd& u) const {
    return inverse_axes_ * (u - centre_);
  }

  const Eigen::VectorXd& left() const { return left_; }
  const Eigen::VectorXd& right() const { return right_; }
  SplitT with_scales(const Eigen::VectorXd& left, const Eigen::VectorXd& right) const {
    return SplitT(centre_, axes_, left, right, nu_);
  }

 private:
  Eigen::VectorXd centre_;
  Eigen::MatrixXd axes_, inverse_axes_;
  Eigen::VectorXd left_, right_;
  double nu_;
  double log_constant_;
};

struct Proposal {
  std::vector<SplitT> components;
  std::vector<double> shares;  // sum to 1

  // The component on which p falls when the shares are laid end to end.
  std::size_t choose(double p) const {
    std::size_t k = 0;
    while (k + 1 < shares.size() && p >= shares[k]) p -= shares[k++];
    return k;
  }

  // The probability that u belongs to component k, of the first `among`.
  double responsibility(std::size_t k, std::size_t among, const Eigen::VectorXd& u) const {
    Eigen::VectorXd terms(among);
    for (std::size_t j = 0; j < among; ++j) {
      terms[j] = std::log(shares[j]) + components[j].log_density(u);
    }
    return std::exp(terms[k] - log_sum_exp(terms));
  }

  double log_density(const Eigen::VectorXd& u) const {
    Eigen::VectorXd terms(components.size());
    for (std::size_t k = 0; k < components.size(); ++k) {
      terms[k] = std::log(shares[k]) + components[k].log_density(u);
    }
    return log_sum_exp(terms);
  }
};

}  // namespace btg
