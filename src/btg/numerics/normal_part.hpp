// A prior in u that is a mixture of zero-mean normals.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace btg {

// One component: share * N(0, precision^-1).
struct NormalPart {
  NormalPart(double its_share, Eigen::MatrixXd its_precision);

  double log_density(const Eigen::VectorXd& u) const;

  double share;
  Eigen::MatrixXd precision;

 private:
  double log_root_;
};

// Log density of the mixture, with its gradient and Hessian.
struct MixtureDensity {
  double value;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd hessian;
};

double log_density(const std::vector<NormalPart>& parts, const Eigen::VectorXd& u);

MixtureDensity density_of(const std::vector<NormalPart>& parts, const Eigen::VectorXd& u);

}  // namespace btg
