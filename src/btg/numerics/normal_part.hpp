// A prior in u that is a mixture of normals of mean 0.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>
#include <utility>
#include <vector>

#include "btg/numerics/log_sum_exp.hpp"

namespace btg {

// One of its parts: share * N(0, precision^-1).
struct NormalPart {
  NormalPart(double its_share, Eigen::MatrixXd its_precision)
      : share(its_share), precision(std::move(its_precision)) {
    const Eigen::LLT<Eigen::MatrixXd> llt(precision);
    log_root_ = llt.matrixLLT().diagonal().array().log().sum();
  }

  double log_density(const Eigen::VectorXd& u) const {
    return std::log(share) + log_root_ - 0.5 * u.dot(precision * u) -
           0.5 * static_cast<double>(u.size()) * std::log(2.0 * M_PI);
  }

  double share;
  Eigen::MatrixXd precision;

 private:
  double log_root_;
};

// The log density of the mixture with its first two derivatives.
struct MixtureDensity {
  double value;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd hessian;
};

inline double log_density(const std::vector<NormalPart>& parts, const Eigen::VectorXd& u) {
  Eigen::VectorXd terms(parts.size());
  for (std::size_t k = 0; k < parts.size(); ++k) terms[k] = parts[k].log_density(u);
  return log_sum_exp(terms);
}

inline MixtureDensity density_of(const std::vector<NormalPart>& parts, const Eigen::VectorXd& u) {
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
