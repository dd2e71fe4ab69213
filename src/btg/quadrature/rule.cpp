#include "btg/quadrature/rule.hpp"

namespace btg {

std::vector<ValueGradient> gradients_at(const Target& target, const Eigen::MatrixXd& points) {
  if (target.log_posterior_gradients) return target.log_posterior_gradients(points);
  std::vector<ValueGradient> all;
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    all.push_back(target.log_posterior_gradient(points.col(i)));
  }
  return all;
}

}  // namespace btg
