// Nonnegative least squares, one column at a time (Lawson and Hanson 1974): minimises
// x' G x - 2 c' x over x >= 0, and visits sparse solutions on the way.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace btg {

class NonnegativePath {
 public:
  // G = A'A and c = A'b for columns A and a target b. Starts from x = 0.
  NonnegativePath(Eigen::MatrixXd gram, Eigen::VectorXd target);

  // Adds the column along which the objective decreases fastest. Then x minimises the objective
  // over the columns in use, all of which are positive. Returns false at the minimum over all
  // columns.
  bool extend();

  const Eigen::VectorXd& solution() const { return x_; }
  const std::vector<Eigen::Index>& used() const { return used_; }

 private:
  Eigen::VectorXd minimum_over_used() const;
  // Moves x towards `best` until an element is 0, and drops the columns at 0.
  void move_towards(const Eigen::VectorXd& best);

  Eigen::MatrixXd gram_;
  Eigen::VectorXd target_, x_;
  std::vector<Eigen::Index> used_;
};

}  // namespace btg
