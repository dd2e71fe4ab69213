// Uses the core without R, from data to predictions: fits a Gaussian process to a positive response
// on a Box-Cox scale, integrates over lengthscale, noise and transform, and prints medians and 95%
// intervals at new points. `make core` builds and runs it.
//
// It includes headers of src/btg and links the objects listed as CORE in src/Makevars. Beyond
// these it needs only the headers of Eigen and Boost.
#include <Eigen/Core>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "btg/backend/compute_eigen.hpp"
#include "btg/ensemble/ensemble.hpp"
#include "btg/model/model.hpp"
#include "btg/posterior/posterior.hpp"
#include "btg/quadrature/rules/registry.hpp"
#include "btg/transforms/registry.hpp"

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// The true median of the response.
double truth(double x) { return std::exp(std::sin(6.0 * x)); }

// Data in the user's units, and the factors that bring them to the units of the model. The priors
// below assume inputs of variance 1 and a response with a geometric mean of 1.
struct Data {
  VectorXd x, y;
  double centre, spread, unit;

  explicit Data(int n) : x(VectorXd::LinSpaced(n, 0.0, 1.0)), y(n) {
    for (int i = 0; i < n; ++i) y[i] = truth(x[i]) * std::exp(0.15 * std::sin(50.0 * i * i));
    centre = x.mean();
    spread = std::sqrt((x.array() - centre).square().sum() / (n - 1));
    unit = std::exp(y.array().log().mean());
  }

  MatrixXd scaled(const VectorXd& inputs) const { return (inputs.array() - centre) / spread; }
};

const btg_compute::Kernel& find_kernel(const btg::Compute& compute, const std::string& name) {
  for (int k = 0; k < compute.n_kernels; ++k) {
    if (compute.kernels[k].name == name) return compute.kernels[k];
  }
  throw std::invalid_argument("There is no kernel " + name);
}

// Lists the hyperparameters in the order of their roles: lengthscales; parameters of the kernel, of
// which this one has none; the noise variance, relative to that of the process; parameters of the
// transform. The last field is the value of a hyperparameter without a prior, which stays fixed.
btg::Hyperparameters make_hyperparameters(const btg::Composition& transform) {
  using btg::Prior;
  using btg::Role;
  using btg::Scale;
  std::vector<btg::Hyperparameter> all{{"lengthscale", Role::length_scale, Scale::positive,
                                        Prior({"lognormal", {1.0, 1.25}}, Scale::positive), 1.0},
                                       {"noise", Role::noise, Scale::positive,
                                        Prior({"beta_prime", {0.25, 0.5}}, Scale::positive), 0.1}};
  // A parameter is redundant if the trend or another parameter can undo it.
  const bool trend_has_constant = true;
  for (const btg::LayerParameter& layer : transform.parameters(trend_has_constant)) {
    const btg::Parameter& own = layer.parameter;
    std::optional<Prior> prior;
    if (!layer.redundant) prior.emplace(own.default_prior, own.scale);
    all.push_back({layer.name(), Role::transform, own.scale, prior, own.neutral});
  }
  return btg::Hyperparameters(all);
}

btg::Model make_model(const Data& data) {
  btg::Model model;
  model.compute = &btg::eigen_compute();  // the table of dense linear algebra
  // The covariance has one term, which uses one column of the inputs.
  model.terms = {btg::main_term(find_kernel(*model.compute, "matern52"), btg::Form::radial, 1)};
  model.transform = btg::compose({"boxcox"});
  model.inputs = data.scaled(data.x);  // rows x columns
  model.length_scale_of_column = {0};  // which lengthscale each column has
  model.trend = btg::Trend(MatrixXd::Ones(data.x.size(), 1));
  model.response = data.y / data.unit;
  model.hyperparameters = make_hyperparameters(model.transform);
  model.execution = btg::Execution(2);  // threads
  btg::check_model(model);
  return model;
}

}  // namespace

int main() try {
  const Data data(25);
  const auto model = std::make_shared<btg::Model>(make_model(data));

  // The posterior is a set of weighted nodes. Each column of `etas` holds one value of all
  // hyperparameters. The lightest nodes, with up to 0.1% of the weight, are dropped.
  const btg::Rule& rule = btg::find_rule("adaptive");
  const btg::Posterior posterior = btg::integrate(*model, rule, rule.default_options(), 1e-3);
  std::printf("log evidence %.3f, %d nodes\n", posterior.log_evidence,
              static_cast<int>(posterior.etas.cols()));
  const VectorXd mean = posterior.etas * posterior.weights;
  for (int j = 0; j < model->size(); ++j) {
    std::printf("  %-15s %8.4f\n", model->hyperparameters[j].name.c_str(), mean[j]);
  }

  // An ensemble predicts from the nodes of all its models, here one, in the user's units:
  // y = shift + scale * response.
  const btg::Ensemble ensemble({{model, posterior.etas, 0.0, data.unit}}, posterior.weights);

  // New points have inputs and trend like rows of the data. A relative noise of 1 asks for a new
  // observation, 0 for the process without noise.
  const VectorXd x = VectorXd::LinSpaced(6, 0.0, 1.25);
  btg::Request request;
  request.points = {data.scaled(x), MatrixXd::Ones(x.size(), 1), VectorXd::Ones(x.size()), {}};
  request.questions = {{&btg::find_question("quantile"), Eigen::RowVector3d(0.025, 0.5, 0.975)}};
  const btg::Response response = ensemble.answer(request);

  std::printf("      x    truth   median    2.5%%   97.5%%\n");
  const MatrixXd& quantiles = response.of[0].values;  // points x probabilities
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    std::printf("%7.2f %8.3f %8.3f %7.3f %7.3f\n", x[i], truth(x[i]), quantiles(i, 1),
                quantiles(i, 0), quantiles(i, 2));
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
