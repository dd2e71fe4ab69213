// Proposals for importance sampling: mixtures of split t distributions, and products of
// them, drawn with quasi-random points. A split t has a scale of its own on either side of
// its centre along each axis, so that it can lean as a posterior does (Geweke 1989).
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <vector>

#include "btg/base/policy.hpp"
#include "btg/numerics/log_sum_exp.hpp"
#include "btg/quadrature/rule.hpp"

namespace btg {

// log_sum_exp of each column.
inline Eigen::VectorXd log_sum_exp_columns(const Eigen::MatrixXd& terms) {
  if (terms.rows() == 1) return terms.row(0).transpose();
  Eigen::VectorXd result(terms.cols());
  for (Eigen::Index i = 0; i < terms.cols(); ++i) result[i] = log_sum_exp(terms.col(i));
  return result;
}

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

  // N(0, precision^-1)
  static SplitT normal(const Eigen::MatrixXd& precision) {
    const Eigen::Index d = precision.rows();
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(d);
    const Eigen::LLT<Eigen::MatrixXd> llt(precision);
    return SplitT(Eigen::VectorXd::Zero(d), llt.matrixU().solve(Eigen::MatrixXd::Identity(d, d)),
                  ones, ones, INFINITY);
  }

  // At each column of `points`.
  Eigen::VectorXd log_density(const Eigen::Ref<const Eigen::MatrixXd>& points) const {
    const Eigen::MatrixXd x = inverse_axes_ * (points.colwise() - centre_);
    const Eigen::VectorXd per_left = left_.cwiseInverse(), per_right = right_.cwiseInverse();
    const double power = 0.5 * (nu_ + static_cast<double>(x.rows()));
    Eigen::VectorXd result(x.cols());
    for (Eigen::Index i = 0; i < x.cols(); ++i) {
      double r2 = 0.0;
      for (Eigen::Index k = 0; k < x.rows(); ++k) {
        // One of the two is 0: no branch.
        const double e =
            std::min(x(k, i), 0.0) * per_left[k] + std::max(x(k, i), 0.0) * per_right[k];
        r2 += e * e;
      }
      result[i] = log_constant_ - (std::isinf(nu_) ? 0.5 * r2 : power * std::log1p(r2 / nu_));
    }
    return result;
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

  Eigen::VectorXd slopes_along_axes(const Eigen::VectorXd& gradient) const {
    return axes_.transpose() * gradient;
  }

  Eigen::Index size() const { return centre_.size(); }
  double spread_of(Eigen::Index coordinate) const { return axes_.row(coordinate).norm(); }
  const Eigen::VectorXd& left() const { return left_; }
  const Eigen::VectorXd& right() const { return right_; }
  SplitT with_scales(const Eigen::VectorXd& left, const Eigen::VectorXd& right) const {
    return SplitT(centre_, axes_, left, right, nu_);
  }

  // With the centre moved along the axes.
  SplitT shifted(const Eigen::VectorXd& x) const {
    SplitT moved = *this;
    moved.centre_ += axes_ * x;
    return moved;
  }
  // The same with one coordinate apart from the others and standard normal, as the prior is.
  SplitT with_free(Eigen::Index coordinate) const {
    SplitT free = *this;
    free.centre_[coordinate] = 0.0;
    free.axes_.row(coordinate).setZero();
    free.axes_.col(coordinate).setZero();
    free.axes_(coordinate, coordinate) = 1.0;
    free.left_[coordinate] = free.right_[coordinate] = 1.0;
    return SplitT(free.centre_, free.axes_, free.left_, free.right_, nu_);
  }

 private:
  Eigen::VectorXd centre_;
  Eigen::MatrixXd axes_, inverse_axes_;
  Eigen::VectorXd left_, right_;
  double nu_;
  double log_constant_;
};

// The element on which p falls when the shares are laid end to end; p becomes its place
// there, from 0 to 1, which is as good as a new draw.
inline std::size_t choose(const std::vector<double>& shares, double& p) {
  std::size_t k = 0;
  while (k + 1 < shares.size() && p >= shares[k]) p -= shares[k++];
  p = std::min(p / shares[k], 1.0);
  return k;
}

struct SplitMixture {
  std::vector<SplitT> components;
  std::vector<double> shares;  // sum to 1

  bool empty() const { return components.empty(); }

  // Of each component, a row, at each column of `points`.
  Eigen::MatrixXd log_terms(const Eigen::Ref<const Eigen::MatrixXd>& points) const {
    Eigen::MatrixXd terms(components.size(), points.cols());
    for (std::size_t k = 0; k < components.size(); ++k) {
      terms.row(k) = components[k].log_density(points).array() + std::log(shares[k]);
    }
    return terms;
  }
  Eigen::VectorXd log_density(const Eigen::Ref<const Eigen::MatrixXd>& points) const {
    return log_sum_exp_columns(log_terms(points));
  }

  // Half of this and half of `other`.
  void blend(const SplitMixture& other) {
    for (double& share : shares) share *= 0.5;
    for (std::size_t k = 0; k < other.components.size(); ++k) {
      components.push_back(other.components[k]);
      shares.push_back(0.5 * other.shares[k]);
    }
  }
};

// A mixture for the leading coordinates times one for the others; or, if `trailing` is
// empty, one for all.
struct Block {
  SplitMixture leading, trailing;

  Eigen::Index leading_size() const { return leading.components[0].size(); }

  // Of each leading component, a row, in a product with all of `trailing`.
  Eigen::MatrixXd log_terms(const Eigen::MatrixXd& points) const {
    if (trailing.empty()) return leading.log_terms(points);
    const Eigen::Index k = leading_size();
    Eigen::MatrixXd terms = leading.log_terms(points.topRows(k));
    terms.rowwise() += trailing.log_density(points.bottomRows(points.rows() - k)).transpose();
    return terms;
  }
  Eigen::VectorXd log_density(const Eigen::MatrixXd& points) const {
    return log_sum_exp_columns(log_terms(points));
  }
};

struct Proposal {
  std::vector<Block> blocks;
  std::vector<double> shares;  // sum to 1

  void add(const Block& block, double share) {
    blocks.push_back(block);
    shares.push_back(share);
  }

  Eigen::VectorXd log_density(const Eigen::MatrixXd& points) const {
    Eigen::MatrixXd terms(blocks.size(), points.cols());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      terms.row(b) = blocks[b].log_density(points).array() + std::log(shares[b]);
    }
    return log_sum_exp_columns(terms);
  }

  // The draw for a point of the unit cube, which has `extra` coordinates more than u.
  static constexpr int extra = 4;
  Eigen::VectorXd draw(const Eigen::VectorXd& uniform) const {
    const Eigen::Index d = uniform.size() - extra;
    double place = uniform[0];
    const Block& block = blocks[choose(shares, place)];
    const SplitT& first = block.leading.components[choose(block.leading.shares, place)];
    const Eigen::Index k = first.size();
    Eigen::VectorXd cube(k + 1);
    cube << uniform.segment(1, k), uniform[d + 1];
    if (k == d) return first.draw(cube);
    place = uniform[d + 3];
    const SplitT& second = block.trailing.components[choose(block.trailing.shares, place)];
    Eigen::VectorXd rest(d - k + 1);
    rest << uniform.segment(1 + k, d - k), uniform[d + 2];
    Eigen::VectorXd u(d);
    u << first.draw(cube), second.draw(rest);
    return u;
  }
};

}  // namespace btg
