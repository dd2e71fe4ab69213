// The model: data, covariance, transform and hyperparameters.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "btg/base/parallel.hpp"
#include "btg/compute/compute.hpp"
#include "btg/factor/covariance.hpp"
#include "btg/factor/dense_factor.hpp"
#include "btg/factor/factor.hpp"
#include "btg/factor/input_space.hpp"
#include "btg/model/hyperparameters.hpp"
#include "btg/model/likelihood.hpp"
#include "btg/model/noise.hpp"
#include "btg/model/sites.hpp"
#include "btg/model/trend.hpp"
#include "btg/transforms/compose.hpp"

namespace btg {

struct Model {
  const Compute* compute;
  const btg_compute::Kernel* kernel;
  Form form;
  std::shared_ptr<const FactorMethod> factor_method = dense_method();
  NoiseModel noise;
  Composition transform;
  Eigen::MatrixXd inputs;                   // sites x columns
  std::vector<int> length_scale_of_column;  // one lengthscale may serve several columns
  std::vector<Levels> levels;               // the columns that hold levels of factors
  Trend trend;                              // at the sites
  Eigen::VectorXd response;                 // of all n rows
  Sites sites;                              // maps rows to sites
  Hyperparameters hyperparameters;
  Execution execution;
  Likelihood likelihood = Likelihood::integrated;

  Eigen::Index site_count() const { return inputs.rows(); }
  int size() const { return hyperparameters.size(); }

  // Parts of eta.
  const double* length_scales(const double* eta) const { return of(Role::length_scale, eta); }
  const double* noise_parameters(const double* eta) const { return of(Role::noise, eta); }
  const double* lambda(const double* eta) const { return of(Role::transform, eta); }

  Covariance covariance(const double* eta) const;

  // nu in likelihood.hpp.
  double residual_count() const;
  // Degrees of freedom of the predictive t; infinite for a profile, which takes the scale as known.
  double degrees_of_freedom() const;

 private:
  const double* of(Role role, const double* eta) const {
    return hyperparameters.segment(role).of(eta);
  }
};

// Throws unless the parts of the model are consistent. A model may have been read from a file.
void check_model(const Model& model);

// Throws unless the columns of `etas` have one value per hyperparameter.
void check_nodes(const Model& model, const Eigen::MatrixXd& etas);

}  // namespace btg
