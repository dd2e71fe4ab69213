// Proposals for importance sampling: mixtures and products of split t distributions, drawn with
// quasi-random points. A split t has separate scales on the two sides of its centre along each
// axis, so that it can be skewed like a posterior (Geweke 1989).
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "btg/numerics/normal_part.hpp"

namespace btg {

// log_sum_exp of each column.
Eigen::VectorXd log_sum_exp_columns(const Eigen::MatrixXd& terms);

class SplitT {
 public:
  // u = centre + axes * x, where x_k has scale `left[k]` below 0 and `right[k]` above. Infinite
  // `degrees_of_freedom` give a split normal.
  SplitT(const Eigen::VectorXd& centre, const Eigen::MatrixXd& axes, const Eigen::VectorXd& left,
         const Eigen::VectorXd& right, double degrees_of_freedom);

  static SplitT standard_normal(int d);

  // N(0, precision^-1)
  static SplitT normal(const Eigen::MatrixXd& precision);

  // Evaluates at each column of `points`.
  Eigen::VectorXd log_density(const Eigen::Ref<const Eigen::MatrixXd>& points) const;

  // Maps a point of the unit cube, with one coordinate more than u, to a draw.
  Eigen::VectorXd draw(const Eigen::VectorXd& uniform) const;

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

  // Moves the centre along the axes.
  SplitT shifted(const Eigen::VectorXd& x) const;
  // Makes one coordinate independent of the others and standard normal, like the prior.
  SplitT with_free(Eigen::Index coordinate) const;

 private:
  Eigen::VectorXd centre_;
  Eigen::MatrixXd axes_, inverse_axes_;
  Eigen::VectorXd left_, right_;
  double nu_;
  double log_constant_;
};

// Selects the element in which p falls when the shares are laid end to end. Replaces p by its
// relative position there, which is again uniform on (0, 1).
std::size_t choose(const std::vector<double>& shares, double& p);

struct SplitMixture {
  std::vector<SplitT> components;
  std::vector<double> shares;  // sum to 1

  bool empty() const { return components.empty(); }

  // One row per component, evaluated at each column of `points`.
  Eigen::MatrixXd log_terms(const Eigen::Ref<const Eigen::MatrixXd>& points) const;
  Eigen::VectorXd log_density(const Eigen::Ref<const Eigen::MatrixXd>& points) const {
    return log_sum_exp_columns(log_terms(points));
  }

  // Mixes this and `other` half and half.
  void blend(const SplitMixture& other);
};

// The product of a mixture for the leading coordinates and one for the others. If `trailing` is
// empty, `leading` covers all coordinates.
struct ProposalPart {
  SplitMixture leading, trailing;

  Eigen::Index leading_size() const { return leading.components[0].size(); }

  // One row per leading component, multiplied by the whole `trailing` mixture.
  Eigen::MatrixXd log_terms(const Eigen::MatrixXd& points) const;
  Eigen::VectorXd log_density(const Eigen::MatrixXd& points) const {
    return log_sum_exp_columns(log_terms(points));
  }
};

struct Proposal {
  std::vector<ProposalPart> parts;
  std::vector<double> shares;  // sum to 1

  void add(const ProposalPart& part, double share);

  Eigen::VectorXd log_density(const Eigen::MatrixXd& points) const;

  // Maps a point of the unit cube, with `extra` coordinates more than u, to a draw.
  static constexpr int extra = 4;
  Eigen::VectorXd draw(const Eigen::VectorXd& uniform) const;
};

}  // namespace btg
