#include "btg/quadrature/sampling/proposal.hpp"

#include <algorithm>
#include <cmath>

#include "btg/base/constants.hpp"
#include "btg/numerics/decompositions.hpp"
#include "btg/numerics/log_sum_exp.hpp"
#include "btg/numerics/normal_points.hpp"

namespace btg {

Eigen::VectorXd log_sum_exp_columns(const Eigen::MatrixXd& terms) {
  if (terms.rows() == 1) return terms.row(0).transpose();
  Eigen::VectorXd result(terms.cols());
  for (Eigen::Index i = 0; i < terms.cols(); ++i) result[i] = log_sum_exp(terms.col(i));
  return result;
}

SplitT::SplitT(const Eigen::VectorXd& centre, const Eigen::MatrixXd& axes,
               const Eigen::VectorXd& left, const Eigen::VectorXd& right, double degrees_of_freedom)
    : centre_(centre), axes_(axes), left_(left), right_(right), nu_(degrees_of_freedom) {
  Inverse inverse = invert(axes);
  inverse_axes_ = std::move(inverse.matrix);
  const double d = static_cast<double>(centre.size());
  log_constant_ = -inverse.log_abs_det - (0.5 * (left + right)).array().log().sum();
  log_constant_ += std::isinf(nu_) ? -0.5 * d * log_two_pi
                                   : std::lgamma(0.5 * (nu_ + d)) - std::lgamma(0.5 * nu_) -
                                         0.5 * d * std::log(nu_ * pi);
}

SplitT SplitT::standard_normal(int d) {
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(d);
  return SplitT(Eigen::VectorXd::Zero(d), Eigen::MatrixXd::Identity(d, d), ones, ones, INFINITY);
}

SplitT SplitT::normal(const Eigen::MatrixXd& precision) {
  const Eigen::Index d = precision.rows();
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(d);
  const CholeskyRoot root(precision);
  return SplitT(Eigen::VectorXd::Zero(d), root.whiten_transposed(Eigen::MatrixXd::Identity(d, d)),
                ones, ones, INFINITY);
}

Eigen::VectorXd SplitT::log_density(const Eigen::Ref<const Eigen::MatrixXd>& points) const {
  const Eigen::MatrixXd x = inverse_axes_ * (points.colwise() - centre_);
  const Eigen::VectorXd per_left = left_.cwiseInverse(), per_right = right_.cwiseInverse();
  const double power = 0.5 * (nu_ + static_cast<double>(x.rows()));
  Eigen::VectorXd result(x.cols());
  for (Eigen::Index i = 0; i < x.cols(); ++i) {
    double r2 = 0.0;
    for (Eigen::Index k = 0; k < x.rows(); ++k) {
      // One of the two is 0, which avoids a branch.
      const double e = std::min(x(k, i), 0.0) * per_left[k] + std::max(x(k, i), 0.0) * per_right[k];
      r2 += e * e;
    }
    result[i] = log_constant_ - (std::isinf(nu_) ? 0.5 * r2 : power * std::log1p(r2 / nu_));
  }
  return result;
}

Eigen::VectorXd SplitT::draw(const Eigen::VectorXd& uniform) const {
  const Eigen::Index d = centre_.size();
  double spread = 1.0;
  if (!std::isinf(nu_)) {
    spread = std::sqrt(nu_ / chi_square_quantile(uniform[d], nu_));
  }
  Eigen::VectorXd x(d);
  for (Eigen::Index k = 0; k < d; ++k) {
    // Each side has mass proportional to its scale, which keeps the density continuous.
    const double p = uniform[k], below = left_[k] / (left_[k] + right_[k]);
    const bool is_left = p < below;
    const double tail = is_left ? p / below : (1.0 - p) / (1.0 - below);
    const double size = -normal_quantile(0.5 * tail);
    x[k] = spread * size * (is_left ? -left_[k] : right_[k]);
  }
  return centre_ + axes_ * x;
}

SplitT SplitT::shifted(const Eigen::VectorXd& x) const {
  SplitT moved = *this;
  moved.centre_ += axes_ * x;
  return moved;
}

SplitT SplitT::with_free(Eigen::Index coordinate) const {
  SplitT free = *this;
  free.centre_[coordinate] = 0.0;
  free.axes_.row(coordinate).setZero();
  free.axes_.col(coordinate).setZero();
  free.axes_(coordinate, coordinate) = 1.0;
  free.left_[coordinate] = free.right_[coordinate] = 1.0;
  return SplitT(free.centre_, free.axes_, free.left_, free.right_, nu_);
}

std::size_t choose(const std::vector<double>& shares, double& p) {
  std::size_t k = 0;
  while (k + 1 < shares.size() && p >= shares[k]) p -= shares[k++];
  p = std::min(p / shares[k], 1.0);
  return k;
}

Eigen::MatrixXd SplitMixture::log_terms(const Eigen::Ref<const Eigen::MatrixXd>& points) const {
  Eigen::MatrixXd terms(components.size(), points.cols());
  for (std::size_t k = 0; k < components.size(); ++k) {
    terms.row(k) = components[k].log_density(points).array() + std::log(shares[k]);
  }
  return terms;
}

void SplitMixture::blend(const SplitMixture& other) {
  for (double& share : shares) share *= 0.5;
  for (std::size_t k = 0; k < other.components.size(); ++k) {
    components.push_back(other.components[k]);
    shares.push_back(0.5 * other.shares[k]);
  }
}

Eigen::MatrixXd ProposalPart::log_terms(const Eigen::MatrixXd& points) const {
  if (trailing.empty()) return leading.log_terms(points);
  const Eigen::Index k = leading_size();
  Eigen::MatrixXd terms = leading.log_terms(points.topRows(k));
  terms.rowwise() += trailing.log_density(points.bottomRows(points.rows() - k)).transpose();
  return terms;
}

void Proposal::add(const ProposalPart& part, double share) {
  parts.push_back(part);
  shares.push_back(share);
}

Eigen::VectorXd Proposal::log_density(const Eigen::MatrixXd& points) const {
  Eigen::MatrixXd terms(parts.size(), points.cols());
  for (std::size_t b = 0; b < parts.size(); ++b) {
    terms.row(b) = parts[b].log_density(points).array() + std::log(shares[b]);
  }
  return log_sum_exp_columns(terms);
}

Eigen::VectorXd Proposal::draw(const Eigen::VectorXd& uniform) const {
  const Eigen::Index d = uniform.size() - extra;
  double place = uniform[0];
  const ProposalPart& part = parts[choose(shares, place)];
  const SplitT& first = part.leading.components[choose(part.leading.shares, place)];
  const Eigen::Index k = first.size();
  Eigen::VectorXd cube(k + 1);
  cube << uniform.segment(1, k), uniform[d + 1];
  if (k == d) return first.draw(cube);
  place = uniform[d + 3];
  const SplitT& second = part.trailing.components[choose(part.trailing.shares, place)];
  Eigen::VectorXd rest(d - k + 1);
  rest << uniform.segment(1 + k, d - k), uniform[d + 2];
  Eigen::VectorXd u(d);
  u << first.draw(cube), second.draw(rest);
  return u;
}

}  // namespace btg
