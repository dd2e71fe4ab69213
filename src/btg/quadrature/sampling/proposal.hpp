// Proposals for importance sampling: mixtures of split t distributions, and products of
// them, drawn with quasi-random points. A split t has a scale of its own on either side of
// its centre along each axis, so that it can lean as a posterior does (Geweke 1989).
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
  // u = centre + axes * x, where x_k has scale `left[k]` below 0 and `right[k]` above.
  // Infinite `degrees_of_freedom` make it a split normal.
  SplitT(const Eigen::VectorXd& centre, const Eigen::MatrixXd& axes, const Eigen::VectorXd& left,
         const Eigen::VectorXd& right, double degrees_of_freedom);

  static SplitT standard_normal(int d);

  // N(0, precision^-1)
  static SplitT normal(const Eigen::MatrixXd& precision);

  // At each column of `points`.
  Eigen::VectorXd log_density(const Eigen::Ref<const Eigen::MatrixXd>& points) const;

  // The draw for a point of the unit cube, which has one coordinate more than u.
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

  // With the centre moved along the axes.
  SplitT shifted(const Eigen::VectorXd& x) const;
  // The same with one coordinate apart from the others and standard normal, as the prior is.
  SplitT with_free(Eigen::Index coordinate) const;

 private:
  Eigen::VectorXd centre_;
  Eigen::MatrixXd axes_, inverse_axes_;
  Eigen::VectorXd left_, right_;
  double nu_;
  double log_constant_;
};

// The element on which p falls when the shares are laid end to end; p becomes its place
// there, from 0 to 1, which is as good as a new draw.
std::size_t choose(const std::vector<double>& shares, double& p);

struct SplitMixture {
  std::vector<SplitT> components;
  std::vector<double> shares;  // sum to 1

  bool empty() const { return components.empty(); }

  // Of each component, a row, at each column of `points`.
  Eigen::MatrixXd log_terms(const Eigen::Ref<const Eigen::MatrixXd>& points) const;
  Eigen::VectorXd log_density(const Eigen::Ref<const Eigen::MatrixXd>& points) const {
    return log_sum_exp_columns(log_terms(points));
  }

  // Half of this and half of `other`.
  void blend(const SplitMixture& other);
};

// A mixture for the leading coordinates times one for the others; or, if `trailing` is
// empty, one for all.
struct ProposalPart {
  SplitMixture leading, trailing;

  Eigen::Index leading_size() const { return leading.components[0].size(); }

  // Of each leading component, a row, in a product with all of `trailing`.
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

  // The draw for a point of the unit cube, which has `extra` coordinates more than u.
  static constexpr int extra = 4;
  Eigen::VectorXd draw(const Eigen::VectorXd& uniform) const;
};

}  // namespace btg
