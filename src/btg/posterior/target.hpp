// The posterior of a model in the form that quadrature rules use: in u, where the prior of every
// free hyperparameter is standard normal.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "btg/model/model.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/node/gradient.hpp"
#include "btg/numerics/value_gradient.hpp"
#include "btg/quadrature/rule.hpp"

namespace btg {

// Counts of evaluations.
struct Work {
  int likelihoods = 0, gradients = 0;
};

Eigen::VectorXd eta_from_normal(const Model& model, const Eigen::VectorXd& u);

Eigen::MatrixXd etas_from_normal(const Model& model, const Eigen::MatrixXd& points);

// Evaluates a model at values of its hyperparameters, one per column.
struct Evaluator {
  std::function<Eigen::VectorXd(const Eigen::MatrixXd& etas)> likelihoods;
  std::function<std::vector<MarginalGradient>(const Eigen::MatrixXd& etas)> gradients;

  explicit operator bool() const { return likelihoods && gradients; }
};

// Log prior density relative to N(u; 0, I) at each column; targets add it to the likelihood.
Eigen::VectorXd prior_excess(const Model& model, const Eigen::MatrixXd& etas);

ValueGradient log_posterior_gradient(const Model& model, const Eigen::VectorXd& u);

// Points with short lengthscales, as for a periodic series, or with hardly any noise. They are too
// far out for most data.
std::vector<Eigen::VectorXd> far_starts(const Model& model);

// Kernel coordinates without noise. Smooth functions without noise have ridges of low noise and
// long lengthscales. A maximum without noise can be far higher, and no ascent gets there from a
// ridge: of 20 fits to 50 points of a polynomial, 6 missed it. Empty if the noise is known.
std::vector<Eigen::VectorXd> quiet_kernels(const Model& model);

// True if there is so little noise that quiet_kernels() are worth a try.
bool has_little_noise(const Model& model, const Eigen::VectorXd& eta);

// The target of `model` for a rule, with a coarse target of fewer sites if there are many.
// Evaluations are counted in `work`, except for the coarse target. The model and `work` must
// outlive it.
Target target_of(const Model& model, Work& work, const Evaluator& evaluator = {});

}  // namespace btg
