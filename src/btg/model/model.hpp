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
#include "btg/model/censored.hpp"
#include "btg/model/hyperparameters.hpp"
#include "btg/model/likelihood.hpp"
#include "btg/model/noise.hpp"
#include "btg/model/points.hpp"
#include "btg/model/sites.hpp"
#include "btg/model/term.hpp"
#include "btg/model/trend.hpp"
#include "btg/transforms/compose.hpp"

namespace btg {

struct Model {
  const Compute* compute;
  std::vector<Term> terms;  // of the covariance; their columns follow each other
  std::shared_ptr<const FactorMethod> factor_method = dense_method();
  NoiseModel noise;
  Composition transform;
  Eigen::MatrixXd inputs;                   // sites x columns
  std::vector<int> length_scale_of_column;  // one may serve several columns; -1 if there is none
  // The column of the data's inputs that each column is a copy of; empty if they are the same.
  std::vector<int> column_of = {};
  std::vector<Levels> levels;  // the columns that hold levels of factors
  Trend trend;                 // at the sites
  Eigen::VectorXd response;    // of all n rows
  Sites sites;                 // maps rows to sites
  Hyperparameters hyperparameters;
  Execution execution;
  Likelihood likelihood = Likelihood::integrated;
  Censored censored;  // some of the rows; their elements of `response` are ignored

  Eigen::Index site_count() const { return inputs.rows(); }
  int size() const { return hyperparameters.size(); }
  // Size of a node of the posterior: hyperparameters, then latent responses of censored rows.
  int node_size() const { return size() + censored.count(); }
  Eigen::Index exact_count() const { return response.size() - censored.count(); }

  // Parts of eta.
  const double* length_scales(const double* eta) const { return of(Role::length_scale, eta); }
  const double* noise_parameters(const double* eta) const { return of(Role::noise, eta); }
  const double* lambda(const double* eta) const { return of(Role::transform, eta); }
  const double* latent(const double* eta) const { return eta + size(); }

  Covariance covariance(const double* eta) const;

  // rho_t. The hyperparameters are the ratios rho_t / rho_1 of all terms but the first.
  Eigen::VectorXd shares(const double* eta) const;

  // Points and directions with the columns of the model's inputs, from those of the data's.
  Points expand(Points points) const;
  std::vector<Direction> expand(std::vector<Direction> directions) const;

  // The terms that the points are about.
  KeptTerms kept_terms(const Points& points) const;

  // nu in likelihood.hpp, of all rows.
  double residual_count() const;
  bool is_exact(int row) const { return censored.index_of(row) < 0; }
  // Reference rows are exact or have two finite limits: see latent_response.hpp.
  bool is_reference(int row) const;
  // Degrees of freedom of the predictive t; infinite for a profile, which takes the scale as known.
  double degrees_of_freedom() const;

 private:
  const double* of(Role role, const double* eta) const {
    return hyperparameters.segment(role).of(eta);
  }
};

// The largest R_t(x, x) of the terms at the sites, at least 1. It is the size of K, which the noise
// floor is relative to.
double largest_variance(const Model& model);

// Throws unless the parts of the model are consistent. A model may have been read from a file.
void check_model(const Model& model);

// Throws unless the columns of `etas` have one value per hyperparameter.
void check_hyperparameters(const Model& model, const Eigen::MatrixXd& etas);

// Throws unless the columns are nodes, with latent responses.
void check_nodes(const Model& model, const Eigen::MatrixXd& etas);

}  // namespace btg
