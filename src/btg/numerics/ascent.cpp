#include "btg/numerics/ascent.hpp"

#include <algorithm>
#include <cmath>

namespace btg {

Ascent::Ascent(const Eigen::VectorXd& start, const Eigen::MatrixXd& metric,
               const AscentOptions& options)
    : options_(options), point_(start), metric_(metric) {
  if (boxed()) point_ = into_box(start);
  trial_ = point_;
}

void Ascent::take(const ValueGradient& at_trial) {
  if (halvings_ < 0) {
    at_ = at_trial;
    done_ = !std::isfinite(at_.value);
    if (!done_) turn();
    return;
  }
  if (at_trial.value >= at_.value + 1e-4 * step_ * slope_ || ++halvings_ == options_.halvings) {
    move_to(at_trial);
    return;
  }
  // Goes to the maximum of the parabola through both values and the slope, within [0.1, 0.5] steps.
  const double fall = at_.value + step_ * slope_ - at_trial.value;
  const double parabola = std::isfinite(fall) ? 0.5 * step_ * step_ * slope_ / fall : 0.0;
  const double step = std::min(0.5 * step_, std::max(0.1 * step_, parabola));
  // At a wall, beyond which there is no value, the rest of the step may promise too little.
  if (!std::isfinite(at_trial.value) && 0.5 * step * slope_ < least_promise_) {
    done_ = converged_ = true;
    return;
  }
  try_step(step);
}

// Chooses a new direction, or stops. Coordinates blocked by the box stay fixed.
void Ascent::turn() {
  if (iteration_++ == options_.iterations) {
    done_ = true;
    return;
  }
  Eigen::VectorXd gradient = at_.gradient;
  if (boxed()) gradient.array() *= free_coordinates();
  const double steepest = gradient.size() > 0 ? gradient.cwiseAbs().maxCoeff() : 0.0;
  const bool unknown = metric_.size() == 0;
  if (unknown && steepest > 0.0) {
    metric_ = options_.longest / 6.0 / steepest *
              Eigen::MatrixXd::Identity(gradient.size(), gradient.size());
    guessed_ = true;
  }
  direction_ = steepest > 0.0 ? Eigen::VectorXd(metric_ * gradient) : gradient;
  if (boxed()) direction_.array() *= free_coordinates();
  const double promise = 0.5 * direction_.dot(gradient);
  least_promise_ = unknown ? 1e-300 : options_.tolerance;
  if (promise < least_promise_) {
    done_ = converged_ = true;
    return;
  }
  direction_ *= std::min(1.0, options_.longest / direction_.norm());
  slope_ = direction_.dot(gradient);
  halvings_ = 0;
  try_step(1.0);
}

void Ascent::try_step(double step) {
  step_ = step;
  trial_ = point_ + step * direction_;
  if (boxed()) trial_ = into_box(trial_);
}

void Ascent::move_to(const ValueGradient& next) {
  if (!(next.value > at_.value)) {
    done_ = true;
    return;
  }
  const Eigen::VectorXd moved = boxed() ? Eigen::VectorXd(trial_ - point_) : step_ * direction_;
  const Eigen::VectorXd change = at_.gradient - next.gradient;
  point_ = trial_;  // to the bit: a sum could leave an end of the box by rounding
  at_ = next;
  update_metric(moved, change);
  turn();
}

void Ascent::update_metric(const Eigen::VectorXd& moved, const Eigen::VectorXd& change) {
  const double curvature = moved.dot(change);
  if (curvature <= 1e-10 * moved.norm() * change.norm()) return;
  if (iteration_ == 1) {
    const double ratio = curvature / change.dot(metric_ * change);
    metric_ *= guessed_ ? ratio : std::min(1.0, ratio);
  }
  const Eigen::VectorXd hy = metric_ * change;
  const double yhy = change.dot(hy);
  metric_ += (1.0 + yhy / curvature) / curvature * moved * moved.transpose() -
             (hy * moved.transpose() + moved * hy.transpose()) / curvature;
}

Eigen::VectorXd Ascent::into_box(const Eigen::VectorXd& x) const {
  return x.cwiseMax(options_.lower).cwiseMin(options_.upper);
}

// 0 for a coordinate at an end of the box whose gradient points outwards, else 1.
Eigen::ArrayXd Ascent::free_coordinates() const {
  Eigen::ArrayXd free = Eigen::ArrayXd::Ones(point_.size());
  for (Eigen::Index j = 0; j < free.size(); ++j) {
    const double slope = at_.gradient[j];
    if ((point_[j] <= options_.lower[j] && slope < 0.0) ||
        (point_[j] >= options_.upper[j] && slope > 0.0)) {
      free[j] = 0.0;
    }
  }
  return free;
}

Maximum maximise(const std::function<ValueGradient(const Eigen::VectorXd&)>& function,
                 const Eigen::VectorXd& start, const Eigen::MatrixXd& metric,
                 const AscentOptions& options,
                 const std::function<bool(const Eigen::VectorXd&, double)>& give_up) {
  Ascent ascent(start, metric, options);
  while (!ascent.done()) {
    if (ascent.turns() && give_up(ascent.point(), ascent.at().value)) break;
    ascent.take(function(ascent.trial()));
  }
  return {ascent.point(), ascent.at(), ascent.converged()};
}

}  // namespace btg
