// The boundary between R and the core: lists to structs and back, nothing else.
// [[Rcpp::depends(RcppEigen, BH)]]
#ifndef USE_FC_LEN_T
#define USE_FC_LEN_T
#endif
#include <R_ext/BLAS.h>
#include <R_ext/Lapack.h>
#include <RcppEigen.h>
#ifndef FCONE
#define FCONE
#endif

#include "btg/backend/compute_eigen.hpp"
#include "btg/ensemble/costs.hpp"
#include "btg/model/model.hpp"
#include "btg/node/trend_estimate.hpp"
#include "btg/posterior/posterior.hpp"
#include "btg/predictive/answers.hpp"
#include "btg/predictive/joint_draws.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/predictive/mixture.hpp"
#include "btg/transforms/registry.hpp"
#include "btg/validation/cross_validate.hpp"
#include "btg/validation/leave_out_naive.hpp"
#include "compute_avx2.h"
#include "rules.h"

namespace {

using btg::Compute;

// R's BLAS and LAPACK, for machines where they are fast ones.

int blas_cholesky(double* a, int n) {
  int info = 0;
  F77_CALL(dpotrf)("L", &n, a, &n, &info FCONE);
  return info;
}

void blas_solve(const char* transposed, const double* l, int n, double* b, int columns) {
  const double one = 1.0;
  const int step = 1;
  if (columns == 1) {
    F77_CALL(dtrsv)("L", transposed, "N", &n, l, &n, b, &step FCONE FCONE FCONE);
  } else {
    F77_CALL(dtrsm)
    ("L", "L", transposed, "N", &n, &columns, &one, l, &n, b, &n FCONE FCONE FCONE FCONE);
  }
}

void blas_solve_lower(const double* l, int n, double* b, int columns) {
  blas_solve("N", l, n, b, columns);
}

void blas_solve_lower_transposed(const double* l, int n, double* b, int columns) {
  blas_solve("T", l, n, b, columns);
}

void blas_inverse(const double* l, int n, double* out) {
  std::copy(l, l + static_cast<std::size_t>(n) * n, out);
  int info = 0;
  F77_CALL(dpotri)("L", &n, out, &n, &info FCONE);
}

const Compute& builtin_compute() {
  const Compute* avx2 = avx2_compute();
  return avx2 ? *avx2 : btg::eigen_compute();
}

const Compute& find_compute(const std::string& name) {
  if (name == "portable") return btg::eigen_compute();
  if (name == "builtin") return builtin_compute();
  if (name == "blas") {
    static Compute blas = builtin_compute();
    blas.name = "blas";
    blas.cholesky = blas_cholesky;
    blas.solve_lower = blas_solve_lower;
    blas.solve_lower_transposed = blas_solve_lower_transposed;
    blas.inverse = blas_inverse;
    return blas;
  }
  throw btg::Error("linear_algebra", "There is no linear algebra \"" + name + "\".");
}

const btg_compute::Kernel& find_kernel(const Compute& compute, const std::string& name) {
  for (int i = 0; i < compute.n_kernels; ++i) {
    if (compute.kernels[i].name == name) return compute.kernels[i];
  }
  throw btg::Error("kernel", "There is no kernel \"" + name + "\".");
}

// Runs `body`, turning an error of the core into a value: list(kind, message, point) of
// class "btg_core_error", which R raises as a condition.
template <class Body>
Rcpp::List guard(Body body) {
  try {
    return body();
  } catch (const btg::Error& error) {
    Rcpp::List result =
        Rcpp::List::create(Rcpp::Named("kind") = error.kind, Rcpp::Named("message") = error.what(),
                           Rcpp::Named("point") = static_cast<int>(error.point) + 1);
    result.attr("class") = "btg_core_error";
    return result;
  }
}

btg::PriorSpec as_prior_spec(const Rcpp::List& prior) {
  return {Rcpp::as<std::string>(prior["family"]), Rcpp::as<std::vector<double>>(prior["arguments"]),
          Rcpp::as<double>(prior["lower"]), Rcpp::as<double>(prior["upper"])};
}

Rcpp::List as_list(const btg::PriorSpec& prior) {
  return Rcpp::List::create(Rcpp::Named("family") = prior.family,
                            Rcpp::Named("arguments") = prior.arguments,
                            Rcpp::Named("lower") = prior.lower, Rcpp::Named("upper") = prior.upper);
}

// list(name, positive, prior): the prior a list, or the number at which it is fixed.
btg::Hyperparameter as_hyperparameter(const Rcpp::List& spec) {
  btg::Hyperparameter result{
      Rcpp::as<std::string>(spec["name"]),
      Rcpp::as<bool>(spec["positive"]) ? btg::Scale::positive : btg::Scale::real, std::nullopt,
      0.0};
  SEXP prior = spec["prior"];
  if (Rf_isNumeric(prior)) {
    result.value = Rcpp::as<double>(prior);
  } else {
    result.prior.emplace(as_prior_spec(prior), result.scale);
  }
  return result;
}

// "integrated" unless the problem says otherwise.
btg::Likelihood as_likelihood(const Rcpp::List& problem) {
  if (!problem.containsElementNamed("likelihood")) return btg::Likelihood::integrated;
  const std::string name = Rcpp::as<std::string>(problem["likelihood"]);
  if (name == "integrated") return btg::Likelihood::integrated;
  if (name == "profiled") return btg::Likelihood::profiled;
  throw btg::Error("argument", "There is no likelihood \"" + name + "\".");
}

// The problem's threads, and an R function of what is done and of all that is to do, 0 if not
// known. The callbacks are only ever called, copied and destroyed by the thread of R.
btg::Execution as_execution(const Rcpp::List& problem) {
  btg::Callbacks callbacks;
  callbacks.check_interrupt = Rcpp::checkUserInterrupt;
  if (problem.containsElementNamed("progress")) {
    const Rcpp::Function progress = problem["progress"];
    callbacks.progress = [progress](double done, double total) { progress(done, total); };
  }
  return btg::Execution(Rcpp::as<int>(problem["threads"]), callbacks);
}

// 1 for each row unless the problem says otherwise.
Eigen::VectorXd as_weights(const Rcpp::List& problem, Eigen::Index rows) {
  if (!problem.containsElementNamed("weights")) return Eigen::VectorXd::Ones(rows);
  return Rcpp::as<Eigen::VectorXd>(problem["weights"]);
}

// Rows with equal inputs and trend share a site, unless there is no noise to tell them apart or the
// sites are too few for the trend.
btg::Sites as_sites(const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& trend,
                    const Eigen::VectorXd& weights, const btg::Hyperparameter& noise) {
  const btg::Sites sites = btg::find_sites(inputs, trend, weights);
  const bool noiseless = !noise.prior && noise.value == 0.0;
  const bool enough = static_cast<Eigen::Index>(sites.first_rows().size()) > trend.cols();
  return noiseless || !enough ? btg::weighted_rows(weights) : sites;
}

btg::Model as_model(const Rcpp::List& problem, const btg::Execution& execution) {
  btg::Model model;
  model.compute = &find_compute(Rcpp::as<std::string>(problem["linear_algebra"]));
  model.kernel = &find_kernel(*model.compute, Rcpp::as<std::string>(problem["kernel"]));
  model.product = Rcpp::as<bool>(problem["product"]);
  model.transform = btg::compose(Rcpp::as<std::vector<std::string>>(problem["transform"]));
  for (int index : Rcpp::as<std::vector<int>>(problem["lengthscale_of_column"])) {
    model.length_scale_of_column.push_back(index - 1);
  }
  model.response = Rcpp::as<Eigen::VectorXd>(problem["response"]);
  const Rcpp::List hyperparameters = problem["hyperparameters"];
  for (const SEXP spec : hyperparameters) {
    model.hyperparameters.push_back(as_hyperparameter(spec));
  }
  model.execution = execution;
  model.n_length_scales = model.size() - 1 - model.transform.size();
  const Eigen::MatrixXd inputs = Rcpp::as<Eigen::MatrixXd>(problem["inputs"]);
  const Eigen::MatrixXd trend = Rcpp::as<Eigen::MatrixXd>(problem["trend"]);
  model.sites = as_sites(inputs, trend, as_weights(problem, inputs.rows()),
                         model.hyperparameters[model.noise_index()]);
  model.inputs = btg::select_rows(inputs, model.sites.first_rows());
  model.trend = btg::Trend(btg::select_rows(trend, model.sites.first_rows()));
  model.likelihood = as_likelihood(problem);
  return model;
}

btg::Model as_model(const Rcpp::List& problem) { return as_model(problem, as_execution(problem)); }

// One model of a fit with its nodes. Its response is (y - shift) / unit, where y is in the units
// that the models of the fit share.
struct Member {
  btg::Model model;
  Eigen::MatrixXd etas;
  double shift, unit;

  btg::NodeBlock block() const {
    return btg::NodeBlock(model.transform, etas.bottomRows(model.transform.size()), shift, unit);
  }
};

std::vector<Member> as_members(const Rcpp::List& specs) {
  std::vector<Member> members;
  const Rcpp::List first = specs[0];
  const btg::Execution execution = as_execution(first["problem"]);
  for (const SEXP element : specs) {
    const Rcpp::List spec(element);
    members.push_back({as_model(spec["problem"], execution),
                       Rcpp::as<Eigen::MatrixXd>(spec["hyper"]).transpose(),
                       Rcpp::as<double>(spec["shift"]), Rcpp::as<double>(spec["unit"])});
  }
  return members;
}

btg::MixtureNodes mixture_nodes(const std::vector<Member>& members) {
  std::vector<btg::NodeBlock> blocks;
  for (const Member& member : members) blocks.push_back(member.block());
  const btg::Model& model = members.front().model;
  return btg::MixtureNodes(btg::StudentT(model.degrees_of_freedom()), blocks, model.compute);
}

// Locations and scales of all members' nodes, one member after the other.
btg::LatentPredictions predict_members(const std::vector<Member>& members,
                                       const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& trend,
                                       const Eigen::VectorXd& relative_noise) {
  Eigen::Index nodes = 0, first = 0;
  for (const Member& member : members) nodes += member.etas.cols();
  btg::LatentPredictions all{Eigen::MatrixXd(nodes, inputs.rows()),
                             Eigen::MatrixXd(nodes, inputs.rows())};
  for (const Member& member : members) {
    const btg::LatentPredictions part =
        btg::predict_latent(member.model, member.etas, inputs, trend, relative_noise);
    all.location.middleRows(first, member.etas.cols()) = part.location;
    all.scale.middleRows(first, member.etas.cols()) = part.scale;
    first += member.etas.cols();
  }
  return all;
}

double cost_of_answers(btg::Question question, Eigen::Index points, const Eigen::MatrixXd& at,
                       Eigen::Index nodes) {
  return btg::cost_of_answers(question, static_cast<double>(points), static_cast<double>(at.cols()),
                              static_cast<double>(nodes));
}

// Tells the members' execution what predict_members and ask_mixtures will do.
void plan_predictions(const std::vector<Member>& members, Eigen::Index points,
                      btg::Question question, const Eigen::MatrixXd& at, Eigen::Index nodes) {
  std::vector<double> costs;
  for (const Member& member : members) {
    costs.push_back(btg::cost_of_latent(member.model, member.etas, static_cast<double>(points)));
  }
  costs.push_back(cost_of_answers(question, points, at, nodes));
  members.front().model.execution.plan(costs);
}

// The same for leave_out or leave_out_naive, cross_validate and LeftOutMixtures.
void plan_leave_out(const std::vector<Member>& members, const btg::Folds& folds, bool naive,
                    bool joint, const Rcpp::List& questions, Eigen::Index nodes) {
  std::vector<double> costs;
  for (const Member& member : members) {
    const double refit =
        btg::cost_of_nodes(member.model, member.etas, btg::cost_of_factor(member.model));
    if (naive) costs.push_back(refit);
    costs.push_back(naive ? folds.count() * refit
                          : btg::cost_of_leave_out(member.model, member.etas));
  }
  const std::size_t weighings = joint || members.size() == 1 ? 1 : 1 + members.size();
  costs.insert(costs.end(), weighings, 50.0 * folds.count() * static_cast<double>(nodes));
  const std::vector<std::string> names = questions.names();
  for (const std::string& name : names) {
    costs.push_back(cost_of_answers(btg::find_question(name), members.front().model.response.size(),
                                    questions[name], nodes));
  }
  members.front().model.execution.plan(costs);
}

btg::Bound as_bound(const std::string& name) {
  if (name == "auto") return btg::Bound::automatic;
  if (name == "none") return btg::Bound::none;
  if (name == "hull") return btg::Bound::hull;
  if (name == "singular") return btg::Bound::singular;
  if (name == "both") return btg::Bound::both;
  throw btg::Error("argument", "There is no bound \"" + name + "\".");
}

btg::AnswerOptions as_answer_options(const Rcpp::List& options) {
  return {Rcpp::as<double>(options["tolerance"]), as_bound(options["bound"]),
          Rcpp::as<double>(options["floor"]),
          Rcpp::as<Eigen::VectorXd>(options["weight_variances"])};
}

Rcpp::List as_list(const btg::Answers& answers) {
  return Rcpp::List::create(Rcpp::Named("answer") = answers.values,
                            Rcpp::Named("standard_error") = answers.standard_error,
                            Rcpp::Named("lost_mass") = answers.lost_mass,
                            Rcpp::Named("rearranged") = answers.rearranged,
                            Rcpp::Named("evaluations") = static_cast<double>(answers.evaluations));
}

Rcpp::List as_list(const btg::PosteriorMode& mode) {
  return Rcpp::List::create(Rcpp::Named("hyper") = mode.eta, Rcpp::Named("point") = mode.point,
                            Rcpp::Named("log_posterior") = mode.log_posterior,
                            Rcpp::Named("mass") = mode.mass);
}

Rcpp::List as_list(const btg::Posterior& posterior) {
  Rcpp::List modes;
  for (const btg::PosteriorMode& mode : posterior.modes) modes.push_back(as_list(mode));
  return Rcpp::List::create(Rcpp::Named("hyper") = posterior.etas.transpose().eval(),
                            Rcpp::Named("weight") = posterior.weights,
                            Rcpp::Named("predictive") = posterior.predictive_weights,
                            Rcpp::Named("log_marginal") = posterior.log_marginal,
                            Rcpp::Named("log_prior") = posterior.log_prior,
                            Rcpp::Named("log_evidence") = posterior.log_evidence,
                            Rcpp::Named("dropped_mass") = posterior.dropped_mass,
                            Rcpp::Named("nodes_tried") = posterior.nodes_tried,
                            Rcpp::Named("nodes_failed") = posterior.nodes_failed,
                            Rcpp::Named("likelihoods") = posterior.likelihoods,
                            Rcpp::Named("gradients") = posterior.gradients,
                            Rcpp::Named("nodes_jittered") = posterior.nodes_jittered,
                            Rcpp::Named("largest_jitter") = posterior.largest_jitter,
                            Rcpp::Named("boundary_mass") = posterior.boundary_mass,
                            Rcpp::Named("modes") = modes,
                            Rcpp::Named("diagnostics") = posterior.diagnostics);
}

}  // namespace

// Names and defaults of everything registered in the core.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_registry() {
  std::vector<std::string> kernels, transforms;
  for (const auto& kernel : btg::kernel_registry()) kernels.emplace_back(kernel.name);
  for (const btg::Transform* transform : btg::transform_registry()) {
    transforms.push_back(transform->name());
  }
  Rcpp::List rules, families;
  for (const auto& rule : rule_defaults()) rules[rule.first] = Rcpp::wrap(rule.second);
  for (const btg::FamilyEntry& family : btg::family_registry()) {
    families[family.name] = family.arguments;
  }
  return Rcpp::List::create(Rcpp::Named("kernels") = kernels,
                            Rcpp::Named("transforms") = transforms, Rcpp::Named("rules") = rules,
                            Rcpp::Named("families") = families);
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

// The columns of `warm_starts`, if there are any, are where to look for modes: see
// btg::PosteriorMode::point.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_fit(const Rcpp::List& problem, const std::string& rule, const Rcpp::List& options,
                    double epsilon, const Eigen::MatrixXd& warm_starts) {
  return guard([&]() -> Rcpp::List {
    const btg::Model model = as_model(problem);
    btg::RuleOptions chosen;
    if (options.size() > 0) {
      const std::vector<std::string> names = options.names();
      for (int i = 0; i < options.size(); ++i) chosen[names[i]] = Rcpp::as<double>(options[i]);
    }
    std::vector<Eigen::VectorXd> starts;
    for (Eigen::Index i = 0; i < warm_starts.cols(); ++i) starts.emplace_back(warm_starts.col(i));
    return as_list(integrate_by(rule, chosen, model, epsilon, starts));
  });
}

// Log marginal likelihood, log prior and jitter at the rows of `hyper`; with
// `gradient`, also the derivatives of the log marginal in the coordinates.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_evaluate(const Rcpp::List& problem, const Eigen::MatrixXd& hyper, bool gradient) {
  return guard([&]() -> Rcpp::List {
    const btg::Model model = as_model(problem);
    const Eigen::MatrixXd etas = hyper.transpose();
    const btg::Evaluation evaluation = btg::evaluate(model, etas);
    Eigen::VectorXd log_prior(etas.cols());
    Eigen::MatrixXd gradients(gradient ? etas.cols() : 0, model.size());
    for (Eigen::Index i = 0; i < etas.cols(); ++i) {
      log_prior[i] = btg::log_prior(model, etas.col(i).data());
      if (gradient) {
        gradients.row(i) = btg::evaluate_gradient(model, etas.col(i).data()).gradient.transpose();
      }
    }
    return Rcpp::List::create(
        Rcpp::Named("log_marginal") = evaluation.log_marginal, Rcpp::Named("log_prior") = log_prior,
        Rcpp::Named("jitter") = evaluation.jitter, Rcpp::Named("gradient") = gradients);
  });
}

// The log likelihood at one value of all hyperparameters, its derivatives in the coordinates and
// the jitter, for optimisers.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_likelihood(const Rcpp::List& problem, const Eigen::VectorXd& hyper) {
  return guard([&]() -> Rcpp::List {
    const btg::Model model = as_model(problem);
    const btg::MarginalGradient at = btg::evaluate_gradient(model, hyper.data());
    return Rcpp::List::create(Rcpp::Named("log_likelihood") = at.log_marginal,
                              Rcpp::Named("gradient") = at.gradient,
                              Rcpp::Named("jitter") = at.jitter);
  });
}

// The trend's coefficients, their covariance by columns, and the variance of the process: a row
// each for every row of `hyper`.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_trend(const Rcpp::List& problem, const Eigen::MatrixXd& hyper) {
  return guard([&]() -> Rcpp::List {
    const btg::Model model = as_model(problem);
    const Eigen::MatrixXd etas = hyper.transpose();
    const Eigen::Index p = model.trend.basis().cols();
    Eigen::MatrixXd coefficients(etas.cols(), p), covariance(etas.cols(), p * p);
    Eigen::VectorXd variance(etas.cols());
    btg::parallel_for(etas.cols(), model.execution, [&](long i) {
      const btg::TrendEstimate trend = btg::estimate_trend(model, etas.col(i).data());
      coefficients.row(i) = trend.coefficients.transpose();
      covariance.row(i) = Eigen::Map<const Eigen::RowVectorXd>(trend.covariance.data(), p * p);
      variance[i] = trend.variance;
    });
    return Rcpp::List::create(Rcpp::Named("coefficients") = coefficients,
                              Rcpp::Named("covariance") = covariance,
                              Rcpp::Named("variance") = variance);
  });
}

// The transform of each value of `y`, by each column of parameters: values x nodes, NaN outside
// of the domain.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_forward(const std::vector<std::string>& transform, const Eigen::MatrixXd& theta,
                        const Eigen::VectorXd& y) {
  return guard([&]() -> Rcpp::List {
    const btg::Composition g = btg::compose(transform);
    Eigen::MatrixXd z(y.size(), theta.cols());
    for (Eigen::Index j = 0; j < theta.cols(); ++j) {
      for (Eigen::Index i = 0; i < y.size(); ++i) z(i, j) = g.forward(y[i], theta.col(j).data());
    }
    return Rcpp::List::create(Rcpp::Named("z") = z);
  });
}

// At how many distinct inputs and trend columns there are data, as far as that is made use of.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_sites(const Rcpp::List& problem) {
  return guard([&]() -> Rcpp::List {
    return Rcpp::List::create(Rcpp::Named("count") =
                                  static_cast<int>(as_model(problem).inputs.rows()));
  });
}

// Points that fill the unit cube evenly, one row each.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_design(int dimension, int count) {
  return guard([&]() -> Rcpp::List {
    return Rcpp::List::create(Rcpp::Named("points") =
                                  sobol_design(dimension, count).transpose().eval());
  });
}

// Locations and scales of the predictive t distributions at the rows of `inputs`, nodes x
// points. Each of `members` is list(problem, hyper, shift, unit): see Member. `relative_noise` of a
// row is 1 / weight for an observation, 0 for the noise-free process.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_latent(const Rcpp::List& members, const Eigen::MatrixXd& inputs,
                       const Eigen::MatrixXd& trend, const Eigen::VectorXd& relative_noise) {
  return guard([&]() -> Rcpp::List {
    const btg::LatentPredictions latent =
        predict_members(as_members(members), inputs, trend, relative_noise);
    return Rcpp::List::create(Rcpp::Named("location") = latent.location,
                              Rcpp::Named("scale") = latent.scale);
  });
}

// The predictive mixtures at the rows of `inputs`, over the nodes of all `members` with
// `weight`, asked for `what` (see btg::Question) at `values`: a row for each point, or one row
// for all. `options` is list(tolerance, bound, floor, weight_variances).
// [[Rcpp::export(rng = false)]]
Rcpp::List core_predict(const Rcpp::List& members, const Eigen::VectorXd& weight,
                        const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& trend,
                        const Eigen::VectorXd& relative_noise, const std::string& what,
                        const Eigen::MatrixXd& values, const Rcpp::List& options) {
  return guard([&]() -> Rcpp::List {
    const std::vector<Member> all = as_members(members);
    plan_predictions(all, inputs.rows(), btg::find_question(what), values, weight.size());
    const btg::LatentPredictions latent = predict_members(all, inputs, trend, relative_noise);
    const btg::MixtureNodes nodes = mixture_nodes(all);
    return as_list(btg::ask_mixtures(
        inputs.rows(),
        [&](long i) {
          return btg::Mixture(nodes, latent.location.col(i), latent.scale.col(i), weight);
        },
        btg::find_question(what), values, as_answer_options(options), all.front().model.execution));
  });
}

// As core_predict, for mixtures that have left their fit: the degrees of freedom, blocks of
// list(transform, theta, shift, unit), and the columns of `location` and `scale`.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_mixture(double degrees_of_freedom, const Rcpp::List& blocks,
                        const Eigen::VectorXd& weight, const Eigen::MatrixXd& location,
                        const Eigen::MatrixXd& scale, const std::string& what,
                        const Eigen::MatrixXd& values, const Rcpp::List& options) {
  return guard([&]() -> Rcpp::List {
    std::vector<btg::NodeBlock> all;
    for (const SEXP element : blocks) {
      const Rcpp::List block(element);
      all.emplace_back(btg::compose(Rcpp::as<std::vector<std::string>>(block["transform"])),
                       Rcpp::as<Eigen::MatrixXd>(block["theta"]), Rcpp::as<double>(block["shift"]),
                       Rcpp::as<double>(block["unit"]));
    }
    const btg::MixtureNodes nodes(btg::StudentT(degrees_of_freedom), all, &builtin_compute());
    return as_list(btg::ask_mixtures(
        location.cols(),
        [&](long i) { return btg::Mixture(nodes, location.col(i), scale.col(i), weight); },
        btg::find_question(what), values, as_answer_options(options),
        as_execution(Rcpp::List::create(Rcpp::Named("threads") = 1))));
  });
}

// Every row predicted without its fold, by nodes that are reweighted for it; `fold` counts from
// 1. With `joint`, the weights of members change with those of their nodes. `questions` are named
// as those of core_predict, each a matrix of values with one row, or one for each row of the fit.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_loocv(const Rcpp::List& members, const Eigen::VectorXd& weight,
                      const std::vector<int>& fold, bool observation, bool naive, bool joint,
                      const Rcpp::List& questions, const Rcpp::List& options) {
  return guard([&]() -> Rcpp::List {
    const std::vector<Member> all = as_members(members);
    const btg::Execution& execution = all.front().model.execution;
    std::vector<int> from_zero;
    for (const int i : fold) from_zero.push_back(i - 1);
    const btg::Folds folds =
        btg::make_folds(from_zero, *std::max_element(fold.begin(), fold.end()));
    plan_leave_out(all, folds, naive, joint, questions, weight.size());
    std::vector<btg::LeftOutModel> models;
    std::vector<btg::NodeBlock> blocks;
    Eigen::Index first = 0;
    for (const Member& member : all) {
      const Eigen::Index count = member.etas.cols();
      models.push_back({naive ? btg::leave_out_naive(member.model, member.etas, folds, observation)
                              : btg::leave_out(member.model, member.etas, folds, observation),
                        weight.segment(first, count), member.unit});
      blocks.push_back(member.block());
      first += count;
    }
    const btg::CrossValidation left_out = btg::cross_validate(models, folds, joint, execution);
    const btg::LeftOutMixtures mixtures(left_out, folds, blocks, all.front().model.compute);
    Rcpp::List answers;
    const std::vector<std::string> names = questions.names();
    for (const std::string& name : names) {
      answers[name] =
          mixtures.ask(btg::find_question(name), Rcpp::as<Eigen::MatrixXd>(questions[name]),
                       as_answer_options(options), execution);
    }
    std::vector<int> status;
    for (const btg::FoldStatus one : left_out.folds.status) status.push_back(static_cast<int>(one));
    return Rcpp::List::create(Rcpp::Named("answers") = answers,
                              Rcpp::Named("effective_nodes") = left_out.folds.effective_nodes,
                              Rcpp::Named("distance") = left_out.folds.distance,
                              Rcpp::Named("k_hat") = left_out.folds.pareto_shape,
                              Rcpp::Named("status") = status);
  });
}

// Joint draws at the rows of `inputs` from one member: draw k is of its node `node[k]`, from 1,
// with the standard normals of column k and a chi-square divided by its degrees of freedom.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_joint_draws(const Rcpp::List& member, const Eigen::MatrixXd& inputs,
                            const Eigen::MatrixXd& trend, const Eigen::VectorXd& relative_noise,
                            const std::vector<int>& node, const Eigen::MatrixXd& normals,
                            const Eigen::VectorXd& chi_square) {
  return guard([&]() -> Rcpp::List {
    const Member one = as_members(Rcpp::List::create(member)).front();
    std::vector<int> from_zero;
    for (const int i : node) from_zero.push_back(i - 1);
    return Rcpp::List::create(Rcpp::Named("draws") = btg::joint_draws(
                                  one.model, btg::StudentT(one.model.degrees_of_freedom()),
                                  one.block(), one.etas, inputs, trend, relative_noise, from_zero,
                                  normals, chi_square));
  });
}
