// Exports of the registries, and of single functions of the core.
// [[Rcpp::depends(RcppEigen, BH)]]
#include "as.h"
#include "btg/factor/low_rank.hpp"
#include "btg/numerics/ascent.hpp"
#include "btg/numerics/sobol_points.hpp"
#include "btg/priors/registry.hpp"
#include "btg/quadrature/rules/registry.hpp"
#include "btg/transforms/registry.hpp"
#include "compute_blas.h"

namespace {

Rcpp::List describe_kernels() {
  Rcpp::List kernels;
  const btg::Compute& compute = find_compute("portable");
  for (int i = 0; i < compute.n_kernels; ++i) {
    const btg_compute::Kernel& kernel = compute.kernels[i];
    Rcpp::List parameters;
    for (int k = 0; k < kernel.n_parameters; ++k) {
      const btg_compute::KernelParameter& own = kernel.parameters[k];
      parameters.push_back(Rcpp::List(
          NamedList()
              .add("name", std::string(own.name))
              .add("positive", true)
              .add("prior", as_list(btg::PriorSpec{"lognormal", {own.meanlog, own.sdlog}}))));
    }
    kernels[kernel.name] = Rcpp::List(NamedList()
                                          .add("parameters", parameters)
                                          .add("derivatives", kernel.derivatives)
                                          .add("summary", std::string(kernel.summary)));
  }
  return kernels;
}

std::string name_of(btg::AskedAt at) {
  switch (at) {
    case btg::AskedAt::probability:
      return "probability";
    case btg::AskedAt::response:
      return "response";
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
  for (const btg::QuestionType& question : btg::question_types()) {
    std::vector<std::string> units;
    for (const btg::Unit unit : question.units) units.push_back(name_of(unit));
    questions[question.name] =
        Rcpp::List(NamedList().add("asked_at", name_of(question.asked_at)).add("units", units));
  }
  return questions;
}

}  // namespace

// Names and defaults of everything registered in the core.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_registry() {
  Rcpp::List transforms, rules, families;
  for (const btg::Transform* transform : btg::transform_registry()) {
    transforms[transform->name()] = Rcpp::List(NamedList().add("summary", transform->summary()));
  }
  for (const btg::Rule* rule : btg::rule_registry()) {
    rules[rule->name()] = as_list(rule->default_options());
  }
  for (const btg::FamilyEntry& family : btg::family_registry()) {
    families[family.name] =
        Rcpp::List(NamedList().add("arguments", family.arguments).add("positive", family.positive));
  }
  std::vector<std::string> fold_statuses;
  for (int k = 0; k <= static_cast<int>(btg::FoldStatus::negative_evidence); ++k) {
    fold_statuses.emplace_back(btg::describe(static_cast<btg::FoldStatus>(k)));
  }
  return NamedList()
      .add("kernels", describe_kernels())
      .add("transforms", transforms)
      .add("rules", rules)
      .add("families", families)
      .add("questions", describe_questions())
      .add("fold_statuses", fold_statuses)
      .add("most_low_rank_functions", btg::most_low_rank_functions)
      .add("bounds", bound_names())
      .add("linear_algebra", compute_names())
      .add("has_own_kernels", &find_compute("builtin") != &find_compute("portable"));
}

// The parameters of a composition of transforms, and the domain of its first layer.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_transform(const std::vector<std::string>& transform, bool trend_has_constant) {
  return guard([&]() -> Rcpp::List {
    const btg::Composition composition = btg::compose(transform);
    Rcpp::List parameters;
    for (const btg::LayerParameter& layer : composition.parameters(trend_has_constant)) {
      const btg::Parameter& parameter = layer.parameter;
      parameters.push_back(Rcpp::List(NamedList()
                                          .add("name", layer.name())
                                          .add("positive", parameter.scale == btg::Scale::positive)
                                          .add("redundant", layer.redundant)
                                          .add("neutral", parameter.neutral)
                                          .add("prior", as_list(parameter.default_prior))));
    }
    const btg::Transform& first = btg::find_transform(transform.front());
    std::vector<double> neutral;
    for (const btg::Parameter& parameter : first.parameters()) {
      neutral.push_back(parameter.neutral);
    }
    const btg::Interval domain = first.domain(neutral.data());
    return NamedList()
        .add("parameters", parameters)
        .add("domain", std::vector<double>{domain.lower, domain.upper});
  });
}

// Transforms each value of `y`, with the log derivative, by each column of parameters. Results are
// values x columns, and NaN outside the domain.
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
    return NamedList().add("z", z).add("log_derivative", log_derivative);
  });
}

// The "density", "cdf" or "quantile" of a truncated distribution at each `x`.
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
    return NamedList().add("value", value);
  });
}

// Points that fill the unit cube evenly, one per row.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_even_points(int dimension, int count) {
  return guard([&]() -> Rcpp::List {
    return NamedList().add("points", btg::sobol_points(dimension, count).transpose().eval());
  });
}

// Maximises an R function on the unit cube from all starts side by side. `f(u, start)` returns
// list(value, gradient) for the rows of `u`, which belong to those starts. Points with non-finite
// values are rejected. `metrics` are guesses of the inverse negative Hessians, or NULL.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_ascend(const Rcpp::Function& f, const Eigen::MatrixXd& starts, int steps,
                       double rise, const Rcpp::List& metrics) {
  return guard([&]() -> Rcpp::List {
    const Eigen::Index count = starts.rows(), d = starts.cols();
    const btg::AscentOptions options{rise, steps, 0.3, Eigen::VectorXd::Zero(d),
                                     Eigen::VectorXd::Ones(d)};
    std::vector<btg::Ascent> ascents;
    for (Eigen::Index i = 0; i < count; ++i) {
      const Eigen::MatrixXd metric =
          metrics.size() > 0 ? Rcpp::as<Eigen::MatrixXd>(metrics[i]) : Eigen::MatrixXd(0, 0);
      ascents.emplace_back(starts.row(i).transpose(), metric, options);
    }
    while (true) {
      std::vector<int> moving;
      for (Eigen::Index i = 0; i < count; ++i) {
        if (!ascents[i].done()) moving.push_back(static_cast<int>(i));
      }
      if (moving.empty()) break;
      Eigen::MatrixXd trials(moving.size(), d);
      for (std::size_t k = 0; k < moving.size(); ++k) {
        trials.row(k) = ascents[moving[k]].trial().transpose();
      }
      std::vector<int> from_one(moving);
      for (int& start : from_one) ++start;
      const Rcpp::List at = f(trials, from_one);
      const Eigen::VectorXd value = Rcpp::as<Eigen::VectorXd>(at["value"]);
      const Eigen::MatrixXd gradient = Rcpp::as<Eigen::MatrixXd>(at["gradient"]);
      for (std::size_t k = 0; k < moving.size(); ++k) {
        const bool usable = std::isfinite(value[k]) && gradient.row(k).allFinite();
        ascents[moving[k]].take({usable ? value[k] : -INFINITY, gradient.row(k).transpose()});
      }
    }
    Eigen::MatrixXd u(count, d);
    Eigen::VectorXd value(count);
    Rcpp::List ends;
    for (Eigen::Index i = 0; i < count; ++i) {
      u.row(i) = ascents[i].point().transpose();
      value[i] = ascents[i].at().value;
      ends.push_back(Rcpp::wrap(ascents[i].metric()));
    }
    return NamedList().add("u", u).add("value", value).add("metrics", ends);
  });
}
