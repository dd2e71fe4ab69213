#include "btg/numerics/normal_part.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

#include "btg/base/constants.hpp"
#include "btg/numerics/decompositions.hpp"
#include "btg/numerics/log_sum_exp.hpp"

namespace btg {

NormalPart::NormalPart(double its_share, Eigen::MatrixXd its_precision)
    : share(its_share), precision(std::move(its_precision)) {
  log_root_ = CholeskyRoot(precision).half_log_det();
}

double NormalPart::log_density(const Eigen::VectorXd& u) const {
  return std::log(share) + log_root_ - 0.5 * u.dot(precision * u) -
         0.5 * static_cast<double>(u.size()) * log_two_pi;
}

double log_density(const std::vector<NormalPart>& parts, const Eigen::VectorXd& u) {
  Eigen::VectorXd terms(parts.size());
  for (std::size_t k = 0; k < parts.size(); ++k) terms[k] = parts[k].log_density(u);
  return log_sum_exp(terms);
}

MixtureDensity density_of(const std::vector<NormalPart>& parts, const Eigen::VectorXd& u) {
  MixtureDensity result{log_density(parts, u), Eigen::VectorXd::Zero(u.size()),
                        Eigen::MatrixXd::Zero(u.size(), u.size())};
  for (const NormalPart& part : parts) {
    const double belongs = std::exp(part.log_density(u) - result.value);
    const Eigen::VectorXd slope = -part.precision * u;
    result.gradient += belongs * slope;
    result.hessian += belongs * (slope * slope.transpose() - part.precision);
  }
  result.hessian -= result.gradient * result.gradient.transpose();
  return result;
}

}  // namespace btg
