#include "as.h"

#include <algorithm>

#include "btg/factor/block_factor.hpp"
#include "btg/transforms/registry.hpp"
#include "compute_blas.h"

namespace {

// The element of `choices` whose place is that of `name` in `names`.
template <class T>
T one_of(const std::string& what, const std::string& name, const std::vector<std::string>& names,
         const std::vector<T>& choices) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw btg::Error("argument", "There is no " + what + " \"" + name + "\".");
  }
  return choices[found - names.begin()];
}

// list(name, role, positive, prior): the prior a list, or the number at which it is fixed.
btg::Hyperparameter as_hyperparameter(const Rcpp::List& spec) {
  using btg::Role;
  const Role role = one_of<Role>("role", Rcpp::as<std::string>(spec["role"]),
                                 {"lengthscale", "kernel", "noise", "transform"},
                                 {Role::length_scale, Role::kernel, Role::noise, Role::transform});
  btg::Hyperparameter result{
      Rcpp::as<std::string>(spec["name"]), role,
      Rcpp::as<bool>(spec["positive"]) ? btg::Scale::positive : btg::Scale::real, std::nullopt,
      0.0};
  SEXP prior = spec["prior"];
  result.shares_level =
      spec.containsElementNamed("shares_level") && Rcpp::as<bool>(spec["shares_level"]);
  if (Rf_isNumeric(prior)) {
    result.value = Rcpp::as<double>(prior);
  } else {
    result.prior.emplace(as_prior_spec(prior), result.scale);
  }
  return result;
}

// list(centre, width, spread): the spread a prior, or the number at which it is fixed.
btg::CommonLevel as_common_level(const Rcpp::List& spec, Eigen::Index count) {
  SEXP spread = spec["spread"];
  const btg::SpreadNodes nodes =
      Rf_isNumeric(spread)
          ? btg::fixed_spread(Rcpp::as<double>(spread))
          : btg::spread_nodes(btg::Prior(as_prior_spec(spread), btg::Scale::positive));
  return btg::CommonLevel(count, Rcpp::as<double>(spec["centre"]), Rcpp::as<double>(spec["width"]),
                          nodes);
}

// `model` has hyperparameters and, where some of them share a level, `level`.
btg::Hyperparameters as_hyperparameters(const Rcpp::List& model) {
  std::vector<btg::Hyperparameter> all;
  for (const SEXP spec : Rcpp::List(model["hyperparameters"])) {
    all.push_back(as_hyperparameter(spec));
  }
  const auto sharing = std::count_if(
      all.begin(), all.end(), [](const btg::Hyperparameter& one) { return one.shares_level; });
  if (sharing == 0) return btg::Hyperparameters(std::move(all));
  return btg::Hyperparameters(std::move(all), as_common_level(model["level"], sharing));
}

// list(linear_algebra, threads, progress), where `progress`, if it is there, is an R function of
// what is done and of all that is to do, 0 if not known. The callbacks are only ever called, copied
// and destroyed by the thread of R.
btg::Execution as_execution(const Rcpp::List& run) {
  btg::Callbacks callbacks;
  callbacks.check_interrupt = Rcpp::checkUserInterrupt;
  if (run.containsElementNamed("progress")) {
    const Rcpp::Function progress = run["progress"];
    callbacks.progress = [progress](double done, double total) { progress(done, total); };
  }
  return btg::Execution(Rcpp::as<int>(run["threads"]), callbacks);
}

const btg_compute::Kernel& find_kernel(const btg::Compute& compute, const std::string& name) {
  for (int i = 0; i < compute.n_kernels; ++i) {
    if (compute.kernels[i].name == name) return compute.kernels[i];
  }
  throw btg::Error("kernel", "There is no kernel \"" + name + "\".");
}

// 1 for each row unless the design says otherwise.
Eigen::VectorXd as_weights(const Rcpp::List& design, Eigen::Index rows) {
  const bool given = design.containsElementNamed("weights") && !Rf_isNull(design["weights"]);
  return given ? Rcpp::as<Eigen::VectorXd>(design["weights"]) : Eigen::VectorXd::Ones(rows);
}

// A matrix of as many rows, without columns if the list does not have it.
Eigen::MatrixXd as_columns(const Rcpp::List& list, const char* name, Eigen::Index rows) {
  const bool given = list.containsElementNamed(name) && !Rf_isNull(list[name]);
  return given ? Rcpp::as<Eigen::MatrixXd>(list[name]) : Eigen::MatrixXd(rows, 0);
}

// How K is held: as the model's list(neighbours, block, inducing, seed, lengthscales) says, if
// there is one, else as a dense matrix.
std::shared_ptr<const btg::FactorMethod> as_factor_method(const Rcpp::List& spec,
                                                          const btg::Model& model) {
  if (!spec.containsElementNamed("approx") || Rf_isNull(spec["approx"])) return btg::dense_method();
  return std::make_shared<const btg::BlockMethod>(as_block_structure(spec, model));
}

bool is_noiseless(const btg::Hyperparameters& hyperparameters) {
  const btg::Hyperparameter& noise =
      hyperparameters[hyperparameters.segment(btg::Role::noise).first];
  return !noise.free() && noise.value == 0.0;
}

btg::Model as_model(const Rcpp::List& design, const Rcpp::List& spec, const btg::Compute& compute,
                    const btg::Execution& execution) {
  btg::Model model;
  model.compute = &compute;
  model.kernel = &find_kernel(compute, Rcpp::as<std::string>(spec["kernel"]));
  model.product = Rcpp::as<bool>(spec["product"]);
  model.transform = btg::compose(Rcpp::as<std::vector<std::string>>(spec["transform"]));
  model.length_scale_of_column =
      from_zero(Rcpp::as<std::vector<int>>(design["lengthscale_of_column"]));
  model.response = Rcpp::as<Eigen::VectorXd>(spec["response"]);
  model.hyperparameters = as_hyperparameters(spec);
  model.execution = execution;
  const Eigen::MatrixXd inputs = Rcpp::as<Eigen::MatrixXd>(design["inputs"]);
  const Eigen::MatrixXd trend = Rcpp::as<Eigen::MatrixXd>(design["trend"]);
  const Eigen::MatrixXd noise = as_columns(design, "noise", inputs.rows());
  if (trend.rows() != inputs.rows() || noise.rows() != inputs.rows()) {
    throw btg::Error("damaged", "The inputs, the trend and the noise differ in rows.");
  }
  const std::vector<int> used = from_zero(Rcpp::as<std::vector<int>>(spec["noise_columns"]));
  Eigen::MatrixXd columns(inputs.rows(), inputs.cols() + trend.cols() + used.size());
  columns.leftCols(inputs.cols() + trend.cols()) << inputs, trend;
  for (std::size_t k = 0; k < used.size(); ++k) {
    if (used[k] < 0 || used[k] >= noise.cols()) {
      throw btg::Error("damaged", "The noise has no such column.");
    }
    columns.col(inputs.cols() + trend.cols() + k) = noise.col(used[k]);
  }
  model.sites = btg::choose_sites(columns, trend.cols(), as_weights(design, inputs.rows()),
                                  is_noiseless(model.hyperparameters));
  const std::vector<int>& sites = model.sites.first_rows();
  model.inputs = btg::select_rows(inputs, sites);
  model.trend = btg::Trend(btg::select_rows(trend, sites));
  if (!used.empty()) model.noise = btg::NoiseModel(btg::select_rows(noise, sites), used);
  model.likelihood = one_of<btg::Likelihood>(
      "likelihood", Rcpp::as<std::string>(spec["likelihood"]), {"integrated", "profiled"},
      {btg::Likelihood::integrated, btg::Likelihood::profiled});
  btg::check_model(model);
  model.factor_method = as_factor_method(spec, model);
  return model;
}

const btg::Compute& as_compute(const Rcpp::List& run) {
  return find_compute(Rcpp::as<std::string>(run["linear_algebra"]));
}

btg::Member as_member(const Rcpp::List& design, const Rcpp::List& spec, const btg::Compute& compute,
                      const btg::Execution& execution) {
  btg::Member member{as_model(design, spec["model"], compute, execution),
                     Rcpp::as<Eigen::MatrixXd>(spec["hyper"]).transpose(),
                     Rcpp::as<double>(spec["shift"]), Rcpp::as<double>(spec["unit"])};
  btg::check_nodes(member.model, member.etas);
  return member;
}

// The structure made last is kept with what it was made of, as the models of a fit and one call
// after another have the same.
struct LastStructure {
  Eigen::MatrixXd inputs;
  Eigen::RowVectorXd length_scales;
  btg::BlockOptions options;
  std::shared_ptr<const btg::BlockStructure> structure;
};

bool same(const btg::BlockOptions& a, const btg::BlockOptions& b) {
  return a.neighbours == b.neighbours && a.block == b.block && a.inducing == b.inducing &&
         a.seed == b.seed;
}

bool same(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && a == b;
}

std::shared_ptr<const btg::BlockStructure> block_structure(const Eigen::MatrixXd& inputs,
                                                           const Eigen::RowVectorXd& length_scales,
                                                           const btg::BlockOptions& options) {
  static LastStructure last;
  const bool known = last.structure && same(last.options, options) &&
                     same(last.length_scales, length_scales) && same(last.inputs, inputs);
  if (!known) {
    last = {inputs, length_scales, options,
            std::make_shared<const btg::BlockStructure>(inputs, length_scales, options)};
  }
  return last.structure;
}

}  // namespace

std::shared_ptr<const btg::BlockStructure> as_block_structure(const Rcpp::List& spec,
                                                              const btg::Model& model) {
  const Rcpp::List approx = spec["approx"];
  const Eigen::VectorXd of_inputs = Rcpp::as<Eigen::VectorXd>(approx["lengthscales"]);
  Eigen::RowVectorXd of_columns(model.inputs.cols());
  for (Eigen::Index k = 0; k < of_columns.size(); ++k) {
    const int input = model.length_scale_of_column[k];
    if (input >= of_inputs.size() || !(of_inputs[input] > 0.0)) {
      throw btg::Error("damaged", "The approximation lacks a lengthscale.");
    }
    of_columns[k] = of_inputs[input];
  }
  return block_structure(model.inputs, of_columns,
                         {Rcpp::as<int>(approx["neighbours"]), Rcpp::as<int>(approx["block"]),
                          Rcpp::as<int>(approx["inducing"]),
                          static_cast<std::uint64_t>(Rcpp::as<double>(approx["seed"]))});
}

std::vector<int> from_zero(const std::vector<int>& from_one) {
  std::vector<int> result;
  for (const int i : from_one) result.push_back(i - 1);
  return result;
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

btg::Model as_model(const Rcpp::List& design, const Rcpp::List& model, const Rcpp::List& run) {
  return as_model(design, model, as_compute(run), as_execution(run));
}

btg::Member as_member(const Rcpp::List& design, const Rcpp::List& member, const Rcpp::List& run) {
  return as_member(design, member, as_compute(run), as_execution(run));
}

btg::Ensemble as_ensemble(const Rcpp::List& ensemble, const Rcpp::List& run) {
  const btg::Execution execution = as_execution(run);
  std::vector<btg::Member> members;
  const Rcpp::List specs = ensemble["members"];
  for (const SEXP spec : specs) {
    members.push_back(as_member(ensemble["design"], spec, as_compute(run), execution));
  }
  return btg::Ensemble(std::move(members), Rcpp::as<Eigen::VectorXd>(ensemble["weight"]));
}

AskedEnsemble::AskedEnsemble(SEXP ensemble, const Rcpp::List& run)
    : kept_(TYPEOF(ensemble) == EXTPTRSXP) {
  if (kept_) {
    ensemble_ = *Rcpp::XPtr<KeptEnsemble>(ensemble).checked_get();
    ensemble_->run_by(as_execution(run));
  } else {
    ensemble_ = std::make_shared<btg::Ensemble>(as_ensemble(ensemble, run));
  }
}

AskedEnsemble::~AskedEnsemble() {
  if (kept_) ensemble_->run_by(btg::Execution());
}

btg::Points as_points(const Rcpp::List& points) {
  return {Rcpp::as<Eigen::MatrixXd>(points["inputs"]), Rcpp::as<Eigen::MatrixXd>(points["trend"]),
          Rcpp::as<Eigen::VectorXd>(points["relative_noise"]),
          as_columns(points, "noise", Rcpp::as<Eigen::MatrixXd>(points["inputs"]).rows())};
}

std::vector<btg::Direction> as_directions(const Rcpp::List& directions) {
  std::vector<btg::Direction> all;
  for (const SEXP element : directions) {
    const Rcpp::List direction(element);
    const Eigen::MatrixXd inputs = Rcpp::as<Eigen::MatrixXd>(direction["inputs"]);
    all.push_back({inputs, Rcpp::as<Eigen::MatrixXd>(direction["trend"]),
                   as_columns(direction, "noise", inputs.rows())});
  }
  return all;
}

std::vector<btg::Inquiry> as_inquiries(const Rcpp::List& questions) {
  const std::vector<std::string> names = questions.names();
  std::vector<btg::Inquiry> inquiries;
  for (std::size_t k = 0; k < names.size(); ++k) {
    inquiries.push_back({&btg::find_question(names[k]), Rcpp::as<Eigen::MatrixXd>(questions[k])});
  }
  return inquiries;
}

const std::vector<std::string>& bound_names() {
  static const std::vector<std::string> names{"auto", "none", "hull", "singular", "both"};
  return names;
}

btg::AnswerOptions as_answer_options(const Rcpp::List& options) {
  using btg::Bound;
  return {Rcpp::as<double>(options["tolerance"]),
          one_of<Bound>("bound", Rcpp::as<std::string>(options["bound"]), bound_names(),
                        {Bound::automatic, Bound::none, Bound::hull, Bound::singular, Bound::both}),
          Rcpp::as<double>(options["floor"]),
          Rcpp::as<double>(options["ceiling"]),
          Rcpp::as<double>(options["open"]),
          Rcpp::as<Eigen::VectorXd>(options["weight_variances"])};
}

Rcpp::List as_list(const btg::Answers& answers, const Rcpp::List& questions) {
  Rcpp::List all;
  for (const btg::Answer& answer : answers.of) {
    all.push_back(Rcpp::List::create(Rcpp::Named("value") = answer.values,
                                     Rcpp::Named("standard_error") = answer.standard_error));
  }
  all.names() = questions.names();
  return Rcpp::List::create(Rcpp::Named("answers") = all,
                            Rcpp::Named("lost_mass") = answers.lost_mass,
                            Rcpp::Named("rearranged") = answers.rearranged,
                            Rcpp::Named("evaluations") = static_cast<double>(answers.evaluations));
}
