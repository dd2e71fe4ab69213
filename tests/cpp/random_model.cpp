#include "random_model.hpp"

#include <algorithm>
#include <optional>

#include "btg/backend/compute_eigen.hpp"
#include "btg/predictive/joint_draws.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/transforms/registry.hpp"

namespace problems {

const std::vector<btg_compute::Kernel>& kernels() {
  static const std::vector<btg_compute::Kernel> some = [] {
    std::vector<btg_compute::Kernel> result;
    const btg::Compute& compute = btg::eigen_compute();
    for (int k = 0; k < compute.n_kernels; ++k) {
      if (!needs_one_input(compute.kernels[k].name)) result.push_back(compute.kernels[k]);
    }
    return result;
  }();
  return some;
}

btg::Points points_at(const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& trend,
                      const Eigen::VectorXd& relative_noise) {
  return {inputs, trend, relative_noise, {}};
}

btg::Points points_at(const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& trend,
                      bool observation) {
  return points_at(inputs, trend, btg::equal_noise(inputs.rows(), observation));
}

btg::LatentValues latent_values(const btg::Model& model, const Eigen::MatrixXd& etas,
                                const btg::Points& points) {
  return btg::predict_latent(model, etas, points, {}, {}).at;
}

Eigen::MatrixXd joint_draws(const btg::Model& model, const Eigen::MatrixXd& etas,
                            const btg::Points& points, const btg::DrawPlan& plan) {
  const btg::ModelNodes nodes(model.transform, etas.bottomRows(model.transform.size()));
  btg::JointDraws draws(plan.normals.rows(), plan.normals.cols());
  btg::joint_draws(model, nodes, etas, 0, points, plan, {}, draws);
  return draws.response;
}

Eigen::VectorXd RandomModel::random_eta(Random& random) const {
  Eigen::VectorXd eta(model.size());
  for (int j = 0; j < model.size(); ++j) {
    const bool positive = model.hyperparameters[j].scale == btg::Scale::positive;
    eta[j] = positive ? random.uniform(0.5, 2) : random.uniform(0.1, 0.9);
  }
  return eta;
}

Eigen::MatrixXd RandomModel::correlation(const Eigen::MatrixXd& points,
                                         const Eigen::VectorXd& eta) const {
  const btg::Covariance covariance = model.covariance(eta.data());
  const Eigen::MatrixXd x = covariance.scale(model.inputs), y = covariance.scale(points);
  const int n = static_cast<int>(x.rows()), m = static_cast<int>(y.rows());
  Eigen::MatrixXd r(n, m);
  covariance.cross(x.data(), n, y.data(), m, r.data());
  return r;
}

NaiveFit RandomModel::naive(const Eigen::VectorXd& eta) const {
  Eigen::MatrixXd k = correlation(model.inputs, eta);
  k.diagonal().array() += eta[noise_index()];
  Eigen::VectorXd z(model.response.size());
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    z[i] = model.transform.forward(model.response[i], model.lambda(eta.data()));
  }
  return NaiveFit(k, trend, z);
}

double RandomModel::naive_log_marginal(const Eigen::VectorXd& eta) const {
  double log_jacobian = 0.0;
  for (Eigen::Index i = 0; i < model.response.size(); ++i) {
    log_jacobian += model.transform.log_derivative(model.response[i], model.lambda(eta.data()));
  }
  return model.likelihood == btg::Likelihood::profiled ? naive(eta).log_profile(log_jacobian)
                                                       : naive(eta).log_marginal(log_jacobian);
}

RandomModel random_model(Random& random, const btg_compute::Kernel& kernel, btg::Form form,
                         const std::vector<std::string>& transform, int p) {
  const int n = random.integer(p + 4, 16);
  RandomModel result;
  result.trend = random.polynomial_trend(n, p);
  btg::Model& model = result.model;
  model.compute = &btg::eigen_compute();
  model.terms = {btg::main_term(kernel, form, 3)};
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

void set_terms(Random& random, const std::vector<TermPlan>& plans, int n, RandomModel& made) {
  using btg::Role;
  btg::Model& model = made.model;
  model.terms.clear();
  model.length_scale_of_column.clear();
  std::vector<btg::Hyperparameter> length_scales, parameters, maps, shares, rest;
  const auto fix = [](Role role, std::vector<btg::Hyperparameter>& to) {
    const btg::Scale scale = role == Role::map ? btg::Scale::real : btg::Scale::positive;
    to.push_back({"", role, scale, std::nullopt, 1.0});
  };
  int columns = 0;
  for (const TermPlan& plan : plans) columns += plan.columns + (plan.groups > 0);
  model.inputs = random.matrix(n, columns, -1.5, 1.5);
  columns = 0;
  for (const TermPlan& plan : plans) {
    const bool stationary = plan.form != btg::Form::linear && plan.form != btg::Form::constant;
    btg::Term term{"term" + std::to_string(model.terms.size()),
                   stationary ? &kernels()[plan.kernel] : nullptr,
                   plan.form,
                   columns,
                   plan.columns + (plan.groups > 0),
                   plan.groups > 0,
                   plan.input_ends,
                   plan.mapped};
    for (int k = 0; k < plan.columns; ++k) {
      if (std::count(plan.mapped.begin(), plan.mapped.end(), k - 1) > 0) {
        model.length_scale_of_column.push_back(model.length_scale_of_column.back());
        continue;
      }
      model.length_scale_of_column.push_back(stationary ? static_cast<int>(length_scales.size())
                                                        : -1);
      if (stationary) fix(Role::length_scale, length_scales);
    }
    columns += term.columns;
    if (term.grouped) {
      model.length_scale_of_column.push_back(-1);
      for (int i = 0; i < n; ++i) model.inputs(i, columns - 1) = random.integer(1, plan.groups);
    }
    for (int k = 0; k < term.parameter_count(); ++k) fix(Role::kernel, parameters);
    for (std::size_t k = 0; k < 2 * plan.mapped.size(); ++k) fix(Role::map, maps);
    if (!model.terms.empty()) fix(Role::share, shares);
    model.terms.push_back(term);
  }
  for (int j = made.noise_index(); j < model.size(); ++j) rest.push_back(model.hyperparameters[j]);
  std::vector<btg::Hyperparameter> all = length_scales;
  for (const auto* some : {&parameters, &maps, &shares, &rest}) {
    all.insert(all.end(), some->begin(), some->end());
  }
  model.hyperparameters = btg::Hyperparameters(all);
  const int p = static_cast<int>(made.trend.cols());
  made.trend = random.polynomial_trend(n, p);
  model.trend = btg::Trend(made.trend);
  model.response = random.matrix(n, 1, 0.4, 4);
  btg::check_model(model);
}

}  // namespace problems
