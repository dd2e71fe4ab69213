// Small random models, with their naive counterparts.
#pragma once

#include <string>
#include <vector>

#include "btg/backend/compute_eigen.hpp"
#include "btg/model/model.hpp"
#include "btg/transforms/registry.hpp"
#include "problems.hpp"

namespace problems {

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

  // Between the data and `points`.
  Eigen::MatrixXd correlation(const Eigen::MatrixXd& points, const Eigen::VectorXd& eta) const {
    const Eigen::MatrixXd x = btg::divide_by_length_scales(model, model.inputs, eta.data());
    const Eigen::MatrixXd y = btg::divide_by_length_scales(model, points, eta.data());
    const int n = static_cast<int>(x.rows()), m = static_cast<int>(y.rows());
    Eigen::MatrixXd r(n, m);
    model.kernel->cross_correlation(x.data(), n, y.data(), m, static_cast<int>(x.cols()),
                                    model.product, r.data());
    return r;
  }

  NaiveFit naive(const Eigen::VectorXd& eta) const {
    Eigen::MatrixXd k = correlation(model.inputs, eta);
    k.diagonal().array() += eta[model.noise_index()];
    Eigen::VectorXd z(model.response.size());
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      z[i] = model.transform.forward(model.response[i], eta.data() + model.transform_index());
    }
    return NaiveFit(k, trend, z);
  }

  // The profile, if that is the model's likelihood.
  double naive_log_marginal(const Eigen::VectorXd& eta) const {
    double log_jacobian = 0.0;
    for (Eigen::Index i = 0; i < model.response.size(); ++i) {
      log_jacobian +=
          model.transform.log_derivative(model.response[i], eta.data() + model.transform_index());
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
  model.n_length_scales = 2;
  model.trend = btg::Trend(result.trend);
  model.response = random.matrix(n, 1, 0.4, 4);
  for (const char* name : {"lengthscale.1", "lengthscale.2", "noise"}) {
    model.hyperparameters.push_back({name, btg::Scale::positive, std::nullopt, 1.0});
  }
  for (const btg::LayerParameter& layer : model.transform.parameters(true)) {
    model.hyperparameters.push_back({layer.name(), layer.parameter.scale, std::nullopt, 1.0});
  }
  return result;
}

}  // namespace problems
