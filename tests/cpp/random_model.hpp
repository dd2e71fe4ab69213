// Small random models, with their naive counterparts.
#pragma once

#include <string>
#include <vector>

#include "btg/backend/compute_eigen.hpp"
#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/node/gradient.hpp"
#include "btg/transforms/registry.hpp"
#include "problems.hpp"

namespace problems {

// Points of a model whose noise is the same everywhere.
inline btg::Points points_at(const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& trend,
                             const Eigen::VectorXd& relative_noise) {
  return {inputs, trend, relative_noise, {}};
}
inline btg::Points points_at(const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& trend,
                             bool observation) {
  return points_at(inputs, trend, btg::equal_noise(inputs.rows(), observation));
}

struct RandomModel {
  btg::Model model;
  Eigen::MatrixXd trend;

  // Lengthscales, noise and parameters in the middle of their ranges.
  Eigen::VectorXd random_eta(Random& random) const {
    Eigen::VectorXd eta(model.size());
    for (int j = 0; j < model.size(); ++j) {
      const bool positive = model.hyperparameters[j].scale == btg::Scale::positive;
      eta[j] = positive ? random.uniform(0.5, 2) : random.uniform(0.1, 0.9);
    }
    return eta;
  }

  // Where the noise is in eta.
  int noise_index() const { return model.hyperparameters.segment(btg::Role::noise).first; }

  // Between the data and `points`.
  Eigen::MatrixXd correlation(const Eigen::MatrixXd& points, const Eigen::VectorXd& eta) const {
    const Eigen::MatrixXd x = model.covariance(eta.data()).scale(model.inputs);
    const Eigen::MatrixXd y = model.covariance(eta.data()).scale(points);
    const int n = static_cast<int>(x.rows()), m = static_cast<int>(y.rows());
    Eigen::MatrixXd r(n, m);
    model.kernel->cross_correlation(x.data(), n, y.data(), m, static_cast<int>(x.cols()),
                                    model.covariance(eta.data()).form(), r.data());
    return r;
  }

  NaiveFit naive(const Eigen::VectorXd& eta) const {
    Eigen::MatrixXd k = correlation(model.inputs, eta);
    k.diagonal().array() += eta[noise_index()];
    Eigen::VectorXd z(model.response.size());
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      z[i] = model.transform.forward(model.response[i], model.lambda(eta.data()));
    }
    return NaiveFit(k, trend, z);
  }

  // The profile, if that is the model's likelihood.
  double naive_log_marginal(const Eigen::VectorXd& eta) const {
    double log_jacobian = 0.0;
    for (Eigen::Index i = 0; i < model.response.size(); ++i) {
      log_jacobian += model.transform.log_derivative(model.response[i], model.lambda(eta.data()));
    }
    return model.likelihood == btg::Likelihood::profiled ? naive(eta).log_profile(log_jacobian)
                                                         : naive(eta).log_marginal(log_jacobian);
  }
};

// A positive response, p trend columns and three input columns, of which the first and
// last share a lengthscale. All hyperparameters are fixed at 1.
inline RandomModel random_model(Random& random, const btg_compute::Kernel& kernel, bool product,
                                const std::vector<std::string>& transform, int p) {
  const int n = random.integer(p + 4, 16);
  RandomModel result;
  result.trend = random.polynomial_trend(n, p);
  btg::Model& model = result.model;
  model.compute = &btg::eigen_compute();
  model.kernel = &kernel;
  model.product = product;
  model.transform = btg::compose(transform);
  model.inputs = random.matrix(n, 3);
  model.length_scale_of_column = {0, 1, 0};
  model.trend = btg::Trend(result.trend);
  model.response = random.matrix(n, 1, 0.4, 4);
  using btg::Role;
  std::vector<btg::Hyperparameter> all;
  const auto fix = [&](const std::string& name, Role role, btg::Scale scale) {
    all.push_back({name, role, scale, std::nullopt, 1.0});
  };
  fix("lengthscale.1", Role::length_scale, btg::Scale::positive);
  fix("lengthscale.2", Role::length_scale, btg::Scale::positive);
  for (int k = 0; k < kernel.n_parameters; ++k) {
    fix(kernel.parameters[k].name, Role::kernel, btg::Scale::positive);
  }
  fix("noise", Role::noise, btg::Scale::positive);
  for (const btg::LayerParameter& layer : model.transform.parameters(true)) {
    fix(layer.name(), Role::transform, layer.parameter.scale);
  }
  model.hyperparameters = btg::Hyperparameters(all);
  return result;
}

}  // namespace problems
