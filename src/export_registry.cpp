// What is registered in the core, and functions of single pieces of it.
// [[Rcpp::depends(RcppEigen, BH)]]
#include "as.h"
#include "btg/backend/compute_eigen.hpp"
#include "btg/numerics/sobol_points.hpp"
#include "btg/quadrature/rules/registry.hpp"
#include "btg/transforms/registry.hpp"
#include "compute_blas.h"

namespace {

Rcpp::List describe_kernels() {
  Rcpp::List kernels;
  for (const btg_compute::Kernel& kernel : btg::kernel_registry()) {
    Rcpp::List parameters;
    for (int k = 0; k < kernel.n_parameters; ++k) {
      const btg_compute::KernelParameter& own = kernel.parameters[k];
      parameters.push_back(Rcpp::List::create(
          Rcpp::Named("name") = own.name, Rcpp::Named("positive") = true,
          Rcpp::Named("prior") = as_list(btg::PriorSpec{"lognormal", {own.meanlog, own.sdlog}})));
    }
    kernels[kernel.name] = Rcpp::List::create(Rcpp::Named("parameters") = parameters);
  }
  return kernels;
}

std::string name_of(btg::AskedAt at) {
  switch (at) {
    case btg::AskedAt::probability:
      return "probability";
    case btg::AskedAt::response:
      return "response";
    case btg::AskedAt::level:
      return "level";
    default:
      return "nothing";
  }
}

std::string name_of(btg::Unit unit) {
  switch (unit) {
    case btg::Unit::response:
      return "response";
    case btg::Unit::length:
      return "length";
    case btg::Unit::variance:
      return "variance";
    case btg::Unit::density:
      return "density";
    case btg::Unit::log_density:
      return "log_density";
    default:
      return "probability";
  }
}

Rcpp::List describe_questions() {
  Rcpp::List questions;
  for (const btg::Question& question : btg::question_registry()) {
    std::vector<std::string> units;
    for (const btg::Unit unit : question.units) units.push_back(name_of(unit));
    questions[question.name] = Rcpp::List::create(
        Rcpp::Named("asked_at") = name_of(question.asked_at), Rcpp::Named("units") = units);
  }
  return questions;
}

}  // namespace

// Names and defaults of everything registered in the core.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_registry() {
  std::vector<std::string> transforms;
  for (const btg::Transform* transform : btg::transform_registry()) {
    transforms.push_back(transform->name());
  }
  Rcpp::List rules, families;
  for (const btg::Rule* rule : btg::rule_registry()) {
    rules[rule->name()] = as_list(rule->default_options());
  }
  for (const btg::FamilyEntry& family : btg::family_registry()) {
    families[family.name] = Rcpp::List::create(Rcpp::Named("arguments") = family.arguments,
                                               Rcpp::Named("positive") = family.positive);
  }
  return Rcpp::List::create(
      Rcpp::Named("kernels") = describe_kernels(), Rcpp::Named("transforms") = transforms,
      Rcpp::Named("rules") = rules, Rcpp::Named("families") = families,
      Rcpp::Named("questions") = describe_questions(), Rcpp::Named("bounds") = bound_names(),
      Rcpp::Named("linear_algebra") = compute_names(),
      Rcpp::Named("has_own_kernels") = &find_compute("builtin") != &find_compute("portable"));
}

// The parameters of a composition of transforms, and the domain of its first layer.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_transform(const std::vector<std::string>& transform, bool trend_has_constant) {
  return guard([&]() -> Rcpp::List {
    const btg::Composition composition = btg::compose(transform);
    Rcpp::List parameters;
    for (const btg::LayerParameter& layer : composition.parameters(trend_has_constant)) {
      const btg::Parameter& parameter = layer.parameter;
      parameters.push_back(Rcpp::List::create(
          Rcpp::Named("name") = layer.name(),
          Rcpp::Named("positive") = parameter.scale == btg::Scale::positive,
          Rcpp::Named("redundant") = layer.redundant, Rcpp::Named("neutral") = parameter.neutral,
          Rcpp::Named("prior") = as_list(parameter.default_prior)));
    }
    const btg::Transform& first = btg::find_transform(transform.front());
    std::vector<double> neutral;
    for (const btg::Parameter& parameter : first.parameters()) {
      neutral.push_back(parameter.neutral);
    }
    const btg::Interval domain = first.domain(neutral.data());
    return Rcpp::List::create(
        Rcpp::Named("parameters") = parameters,
        Rcpp::Named("domain") = Rcpp::NumericVector::create(domain.lower, domain.upper));
  });
}

// The transform of each value of `y` and the log of its derivative, by each column of parameters:
// values x columns, NaN outside of the domain.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_forward(const std::vector<std::string>& transform, const Eigen::MatrixXd& lambda,
                        const Eigen::VectorXd& y) {
  return guard([&]() -> Rcpp::List {
    const btg::Composition g = btg::compose(transform);
    if (lambda.rows() != g.size()) {
      throw btg::Error("argument", "`lambda` needs a row for each parameter of the transform.");
    }
    Eigen::MatrixXd z(y.size(), lambda.cols()), log_derivative(y.size(), lambda.cols());
    for (Eigen::Index j = 0; j < lambda.cols(); ++j) {
      for (Eigen::Index i = 0; i < y.size(); ++i) {
        const btg::Jet jet = g.jet(y[i], lambda.col(j).data());
        z(i, j) = jet.value;
        log_derivative(i, j) = jet.log_derivative;
      }
    }
    return Rcpp::List::create(Rcpp::Named("z") = z, Rcpp::Named("log_derivative") = log_derivative);
  });
}

// The "density", "cdf" or "quantile" of a distribution within its bounds, at each `x`.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_distribution(const Rcpp::List& distribution, const std::string& what,
                             const Eigen::VectorXd& x) {
  return guard([&]() -> Rcpp::List {
    const btg::Prior prior(as_prior_spec(distribution), btg::Scale::real);
    Eigen::VectorXd value(x.size());
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      if (std::isnan(x[i])) {
        value[i] = x[i];
      } else if (what == "density") {
        value[i] = std::exp(prior.log_density(x[i]));
      } else if (what == "cdf") {
        value[i] = prior.cdf(x[i]);
      } else if (what == "quantile") {
        value[i] = prior.quantile(x[i]);
      } else {
        throw btg::Error("argument", "A distribution has no \"" + what + "\".");
      }
    }
    return Rcpp::List::create(Rcpp::Named("value") = value);
  });
}

// Points that fill the unit cube evenly, one row each.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_design(int dimension, int count) {
  return guard([&]() -> Rcpp::List {
    return Rcpp::List::create(Rcpp::Named("points") =
                                  btg::sobol_points(dimension, count).transpose().eval());
  });
}
