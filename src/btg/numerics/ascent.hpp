// Maximises a smooth function of a few variables by BFGS with a backtracking line search,
// optionally in a box. The caller supplies one value at a time, so that several ascents can run
// side by side and be evaluated together.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "btg/numerics/value_gradient.hpp"

namespace btg {

struct AscentOptions {
  double tolerance;              // stops when a quasi-Newton step predicts a smaller gain
  int iterations;                // maximum number
  double longest;                // maximum length of a step
  Eigen::VectorXd lower, upper;  // the box; empty for none
  int halvings = 12;             // of a step before the ascent ends
};

class Ascent {
 public:
  // `metric` is a first guess of the inverse negative Hessian. If it is empty, a short first step
  // uphill sets its scale.
  Ascent(const Eigen::VectorXd& start, const Eigen::MatrixXd& metric, const AscentOptions& options);

  bool done() const { return done_; }
  bool converged() const { return converged_; }
  const Eigen::VectorXd& trial() const { return trial_; }  // the point to evaluate next
  void take(const ValueGradient& at_trial);

  // True where a new direction begins, which is where a caller may stop.
  bool turns() const { return halvings_ == 0; }
  const Eigen::VectorXd& point() const { return point_; }  // the best so far
  const ValueGradient& at() const { return at_; }
  const Eigen::MatrixXd& metric() const { return metric_; }

 private:
  void turn();
  void try_step(double step);
  void move_to(const ValueGradient& next);
  void update_metric(const Eigen::VectorXd& moved, const Eigen::VectorXd& change);
  bool boxed() const { return options_.lower.size() > 0; }
  Eigen::VectorXd into_box(const Eigen::VectorXd& x) const;
  Eigen::ArrayXd free_coordinates() const;

  AscentOptions options_;
  Eigen::VectorXd point_, trial_, direction_;
  ValueGradient at_;
  Eigen::MatrixXd metric_;
  double step_ = 0.0, slope_ = 0.0, least_promise_ = 0.0;
  int iteration_ = 0, halvings_ = -1;  // -1 before the first value
  bool done_ = false, converged_ = false, guessed_ = false;
};

struct Maximum {
  Eigen::VectorXd point;
  ValueGradient at;
  bool converged = false;
};

// Runs one ascent. It also ends when `give_up(point, value)` is true. If the value at the start is
// not finite, the start is returned.
Maximum maximise(const std::function<ValueGradient(const Eigen::VectorXd&)>& function,
                 const Eigen::VectorXd& start, const Eigen::MatrixXd& metric,
                 const AscentOptions& options,
                 const std::function<bool(const Eigen::VectorXd&, double)>& give_up);

}  // namespace btg
