#include "btg/numerics/nonnegative_path.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "btg/numerics/decompositions.hpp"

namespace btg {

NonnegativePath::NonnegativePath(Eigen::MatrixXd gram, Eigen::VectorXd target)
    : gram_(std::move(gram)),
      target_(std::move(target)),
      x_(Eigen::VectorXd::Zero(target_.size())) {
  // Keeps systems of equal columns solvable.
  gram_.diagonal().array() += 1e-12 * gram_.diagonal().maxCoeff();
}

bool NonnegativePath::extend() {
  Eigen::VectorXd descent = target_ - gram_ * x_;
  for (const Eigen::Index j : used_) descent[j] = -INFINITY;
  Eigen::Index steepest;
  if (!(descent.maxCoeff(&steepest) > 1e-10 * target_.cwiseAbs().maxCoeff())) return false;
  used_.push_back(steepest);
  Eigen::VectorXd best = minimum_over_used();
  if (!(best.array().isFinite().all() && best[best.size() - 1] > 0.0)) {
    used_.pop_back();
    return false;  // rounding error
  }
  while (!used_.empty() && !(best.minCoeff() > 0.0)) {
    move_towards(best);
    best = minimum_over_used();
  }
  x_.setZero();
  for (std::size_t k = 0; k < used_.size(); ++k) x_[used_[k]] = best[k];
  return !used_.empty();
}

Eigen::VectorXd NonnegativePath::minimum_over_used() const {
  const Eigen::Index size = static_cast<Eigen::Index>(used_.size());
  Eigen::MatrixXd gram(size, size);
  Eigen::VectorXd target(size);
  for (Eigen::Index k = 0; k < size; ++k) {
    target[k] = target_[used_[k]];
    for (Eigen::Index j = 0; j < size; ++j) gram(j, k) = gram_(used_[j], used_[k]);
  }
  return CholeskyRoot(gram).solve(target);
}

void NonnegativePath::move_towards(const Eigen::VectorXd& best) {
  double step = 1.0;
  for (std::size_t k = 0; k < used_.size(); ++k) {
    const double now = x_[used_[k]];
    if (!(best[k] > 0.0)) step = std::min(step, now / (now - best[k]));
  }
  std::vector<Eigen::Index> kept;
  for (std::size_t k = 0; k < used_.size(); ++k) {
    const Eigen::Index j = used_[k];
    const double moved = x_[j] + step * (best[k] - x_[j]);
    const bool emptied = !(best[k] > 0.0) && !(moved > 1e-14 * std::abs(best[k]));
    x_[j] = emptied ? 0.0 : moved;
    if (!emptied) kept.push_back(j);
  }
  used_ = kept;
}

}  // namespace btg
