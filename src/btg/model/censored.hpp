// Rows whose responses are only known to lie in intervals. At a node without latent responses they
// are integrated out; a node of a posterior has one latent response z = g(y) for each, behind the
// hyperparameters. Given those, the data are complete.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/transforms/compose.hpp"

namespace btg {

class Censored {
 public:
  Censored() = default;

  // With 32 points, log probabilities of 20 to 140 rows had standard deviations of 0.01 to 0.07
  // over scrambles, little beside the spread of log weights over nodes.
  static constexpr int default_points = 32;

  // Rows in increasing order, with limits in the units of the model's response, possibly infinite.
  Censored(std::vector<int> rows, Eigen::VectorXd lower, Eigen::VectorXd upper,
           int points = default_points);

  bool empty() const { return rows_.empty(); }
  int count() const { return static_cast<int>(rows_.size()); }
  const std::vector<int>& rows() const { return rows_; }
  const Eigen::VectorXd& lower() const { return lower_; }
  const Eigen::VectorXd& upper() const { return upper_; }

  // The middle of the limits of a row, by its index; NaN if one of them is infinite.
  double middle(int index) const;

  // Index of `row` among the censored rows, or -1.
  int index_of(int row) const;

  // The limits of z of some of the rows, given by their indices, clamped to the image of g.
  struct Limits {
    Eigen::VectorXd lower, upper;
  };
  Limits latent_limits(const Composition& g, const double* lambda,
                       const std::vector<int>& indices) const;
  Limits latent_limits(const Composition& g, const double* lambda) const;

  // Points of the unit cube that all likelihoods share; see box_probability.hpp.
  const Eigen::MatrixXd& points() const { return points_; }

 private:
  std::vector<int> rows_;
  Eigen::VectorXd lower_, upper_;
  Eigen::MatrixXd points_;
};

}  // namespace btg
