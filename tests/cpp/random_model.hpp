// Small random models, with their naive counterparts.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "btg/compute/compute.hpp"
#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "problems.hpp"

namespace btg {
struct DrawPlan;
struct LatentValues;
}  // namespace btg

namespace problems {

// Returns the kernels of btg::eigen_compute() that are valid for several inputs.
const std::vector<btg_compute::Kernel>& kernels();

// Points of a model whose noise is the same everywhere.
btg::Points points_at(const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& trend,
                      const Eigen::VectorXd& relative_noise);
btg::Points points_at(const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& trend,
                      bool observation);

// Returns locations and scales at the points. Callers include btg/predictive/latent.hpp.
btg::LatentValues latent_values(const btg::Model& model, const Eigen::MatrixXd& etas,
                                const btg::Points& points);

// Draws from one model. Callers include btg/predictive/joint_draws.hpp.
Eigen::MatrixXd joint_draws(const btg::Model& model, const Eigen::MatrixXd& etas,
                            const btg::Points& points, const btg::DrawPlan& plan);

struct RandomModel {
  btg::Model model;
  Eigen::MatrixXd trend;

  // Lengthscales, noise and parameters in the middle of their ranges.
  Eigen::VectorXd random_eta(Random& random) const;

  // Where the noise is in eta.
  int noise_index() const { return model.hyperparameters.segment(btg::Role::noise).first; }

  // Between the data and `points`.
  Eigen::MatrixXd correlation(const Eigen::MatrixXd& points, const Eigen::VectorXd& eta) const;

  NaiveFit naive(const Eigen::VectorXd& eta) const;

  // The profile, if that is the model's likelihood.
  double naive_log_marginal(const Eigen::VectorXd& eta) const;
};

// A positive response, p trend columns and three input columns, of which the first and
// last share a lengthscale. All hyperparameters are fixed at 1.
RandomModel random_model(Random& random, const btg_compute::Kernel& kernel, btg::Form form,
                         const std::vector<std::string>& transform, int p);

// A term over the next columns of a model with terms; see with_terms().
struct TermPlan {
  btg::Form form;
  int columns;  // without those of groups
  int groups;   // 0 if there are none
  int kernel;   // in kernels(), if the form has one
  std::vector<int> input_ends = {};
  std::vector<int> mapped = {};  // as in btg::Term; both columns have one lengthscale
};

// The model with these terms over n sites instead of its own, each column with a lengthscale of its
// own except for those of input maps. All hyperparameters are fixed at 1.
void set_terms(Random& random, const std::vector<TermPlan>& plans, int n, RandomModel& made);

}  // namespace problems
