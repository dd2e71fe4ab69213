// Builds models and ensembles from lists, and the handles through which R reuses them.
#include <algorithm>
#include <utility>

#include "as.h"
#include "as_terms.h"
#include "btg/factor/block_factor.hpp"
#include "btg/model/sites.hpp"
#include "btg/transforms/registry.hpp"
#include "compute_blas.h"

namespace {

// Returns the element of `choices` at the index of `name` in `names`.
template <class T>
T one_of(const std::string& what, const std::string& name, const std::vector<std::string>& names,
         const std::vector<T>& choices) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw btg::Error("argument", "There is no " + what + " \"" + name + "\".");
  }
  return choices[found - names.begin()];
}

// Reads list(name, role, positive, prior), where the prior is a list or a fixed number.
btg::Hyperparameter as_hyperparameter(const Rcpp::List& spec) {
  using btg::Role;
  const Role role = one_of<Role>(
      "role", Rcpp::as<std::string>(spec["role"]),
      {"lengthscale", "kernel", "map", "share", "noise", "transform"},
      {Role::length_scale, Role::kernel, Role::map, Role::share, Role::noise, Role::transform});
  btg::Hyperparameter result{
      Rcpp::as<std::string>(spec["name"]), role,
      Rcpp::as<bool>(spec["positive"]) ? btg::Scale::positive : btg::Scale::real, std::nullopt,
      0.0};
  SEXP prior = spec["prior"];
  result.in_common = spec.containsElementNamed("in_common") && Rcpp::as<bool>(spec["in_common"]);
  if (Rf_isNumeric(prior)) {
    result.value = Rcpp::as<double>(prior);
  } else {
    result.prior.emplace(as_prior_spec(prior), result.scale);
  }
  return result;
}

// Reads list(centre, width, spread), where the spread is a prior or a fixed number.
btg::CommonPrior as_common_prior(const Rcpp::List& spec, Eigen::Index count) {
  SEXP spread = spec["spread"];
  const btg::SpreadNodes nodes =
      Rf_isNumeric(spread)
          ? btg::fixed_spread(Rcpp::as<double>(spread))
          : btg::spread_nodes(btg::Prior(as_prior_spec(spread), btg::Scale::positive));
  return btg::CommonPrior(count, Rcpp::as<double>(spec["centre"]), Rcpp::as<double>(spec["width"]),
                          nodes);
}

// `model` has hyperparameters and, if some share a prior, `common`.
btg::Hyperparameters as_hyperparameters(const Rcpp::List& model) {
  std::vector<btg::Hyperparameter> all;
  for (const SEXP spec : Rcpp::List(model["hyperparameters"])) {
    all.push_back(as_hyperparameter(spec));
  }
  const auto in_common = std::count_if(
      all.begin(), all.end(), [](const btg::Hyperparameter& one) { return one.in_common; });
  if (in_common == 0) return btg::Hyperparameters(std::move(all));
  return btg::Hyperparameters(std::move(all), as_common_prior(model["common"], in_common));
}

// Reads list(linear_algebra, threads, progress). The optional R function `progress` takes the work
// done and the total, 0 if unknown. Only R's thread calls, copies and destroys the callbacks.
btg::Execution as_execution(const Rcpp::List& run) {
  btg::Callbacks callbacks;
  callbacks.check_interrupt = Rcpp::checkUserInterrupt;
  if (run.containsElementNamed("progress")) {
    const Rcpp::Function progress = run["progress"];
    callbacks.progress = [progress](double done, double total) { progress(done, total); };
  }
  return btg::Execution(Rcpp::as<int>(run["threads"]), callbacks);
}

// Reads list(column, count, squared_distance), with one element per column that holds levels.
std::vector<btg::Levels> as_levels(const Rcpp::List& levels) {
  const std::vector<int> columns = from_zero(Rcpp::as<std::vector<int>>(levels["column"]));
  const auto counts = Rcpp::as<std::vector<int>>(levels["count"]);
  const auto distances = Rcpp::as<std::vector<double>>(levels["squared_distance"]);
  if (counts.size() != columns.size() || distances.size() != columns.size()) {
    throw btg::Error("damaged", "The factors among the inputs are not described completely.");
  }
  std::vector<btg::Levels> all;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    all.push_back({columns[k], counts[k], distances[k]});
  }
  return all;
}

// Data shared by all models of a fit, read once.
struct Design {
  explicit Design(const Rcpp::List& design)
      : inputs(Rcpp::as<Eigen::MatrixXd>(design["inputs"])),
        trend(Rcpp::as<Eigen::MatrixXd>(design["trend"])),
        noise(inputs.rows(), 0),
        weights(Eigen::VectorXd::Ones(inputs.rows())),
        length_scale_of_column(
            from_zero(Rcpp::as<std::vector<int>>(design["lengthscale_of_column"]))) {
    const auto has = [&](const char* name) {
      return design.containsElementNamed(name) && !Rf_isNull(design[name]);
    };
    if (has("noise")) noise = Rcpp::as<Eigen::MatrixXd>(design["noise"]);
    if (has("levels")) levels = as_levels(design["levels"]);
    if (has("input_of_column")) {
      input_of_column = from_zero(Rcpp::as<std::vector<int>>(design["input_of_column"]));
    }
    const auto columns = static_cast<std::size_t>(inputs.cols());
    if (length_scale_of_column.size() != columns ||
        (!input_of_column.empty() && input_of_column.size() != columns)) {
      throw btg::Error("damaged", "The columns of the inputs are not described completely.");
    }
    if (has("weights")) weights = Rcpp::as<Eigen::VectorXd>(design["weights"]);
    if (trend.rows() != inputs.rows() || noise.rows() != inputs.rows()) {
      throw btg::Error("damaged", "The inputs, the trend and the noise differ in rows.");
    }
  }

  // The inputs of a model's columns; see btg::Model.
  Eigen::MatrixXd inputs_of(const std::vector<int>& column_of) const {
    if (column_of.empty()) return inputs;
    Eigen::MatrixXd own(inputs.rows(), column_of.size());
    for (std::size_t k = 0; k < column_of.size(); ++k) own.col(k) = inputs.col(column_of[k]);
    return own;
  }

  std::vector<btg::Levels> levels_of(const std::vector<int>& column_of) const {
    if (column_of.empty()) return levels;
    std::vector<btg::Levels> own;
    for (std::size_t k = 0; k < column_of.size(); ++k) {
      const btg::Levels* one = btg::levels_of(levels, column_of[k]);
      if (one) own.push_back({static_cast<int>(k), one->count, one->squared_distance});
    }
    return own;
  }

  // These inputs, trend and used noise columns. Rows that agree in all of them share a site.
  Eigen::MatrixXd columns(const Eigen::MatrixXd& inputs, const std::vector<int>& used) const {
    Eigen::MatrixXd all(inputs.rows(), inputs.cols() + trend.cols() + used.size());
    all.leftCols(inputs.cols() + trend.cols()) << inputs, trend;
    for (std::size_t k = 0; k < used.size(); ++k) {
      if (used[k] < 0 || used[k] >= noise.cols()) {
        throw btg::Error("damaged", "The noise has no such column.");
      }
      all.col(inputs.cols() + trend.cols() + k) = noise.col(used[k]);
    }
    return all;
  }

  Eigen::MatrixXd inputs, trend, noise;
  Eigen::VectorXd weights;
  std::vector<int> length_scale_of_column, input_of_column;
  std::vector<btg::Levels> levels;
};

// The covariance at typical lengthscales and ratios of its terms, for distances between sites.
btg::Covariance typical_covariance(const Rcpp::List& approx, const btg::Model& model) {
  Eigen::VectorXd eta = Eigen::VectorXd::Ones(model.size());
  const auto set = [&](const char* name, btg::Role role) {
    const btg::Segment segment = model.hyperparameters.segment(role);
    if (segment.count == 0) return;
    Eigen::VectorXd values;
    if (approx.containsElementNamed(name)) values = Rcpp::as<Eigen::VectorXd>(approx[name]);
    const bool valid = role == btg::Role::map ? values.allFinite() : (values.array() > 0.0).all();
    if (values.size() != segment.count || !valid) {
      throw btg::Error("damaged", std::string("The approximation lacks its ") + name + ".");
    }
    eta.segment(segment.first, segment.count) = values;
  };
  set("lengthscales", btg::Role::length_scale);
  set("maps", btg::Role::map);
  set("ratios", btg::Role::share);
  return model.covariance(eta.data());
}

// Adds the groups of terms to the levels. Processes in different groups are uncorrelated.
std::vector<btg::Levels> levels_and_groups(const btg::Model& model) {
  std::vector<btg::Levels> all = model.levels;
  for (const btg::Term& term : model.terms) {
    const int column = term.first + term.columns - 1;
    if (!term.grouped || btg::levels_of(all, column)) continue;
    const double squared_distance = 2.0;  // Matern 5/2 falls by as much as it can, to first order
    all.push_back(
        {column, static_cast<int>(model.inputs.col(column).maxCoeff()), squared_distance});
  }
  return all;
}

// Reads list(neighbours, block, inducing, seed, lengthscales, maps, ratios), with one lengthscale
// per input, two parameters per input map, and one ratio for each term of the covariance but the
// first.
std::shared_ptr<const btg::FactorMethod> as_block_method(const Rcpp::List& approx,
                                                         const btg::Model& model) {
  const btg::BlockOptions options{Rcpp::as<int>(approx["neighbours"]),
                                  Rcpp::as<int>(approx["block"]), Rcpp::as<int>(approx["inducing"]),
                                  static_cast<std::uint64_t>(Rcpp::as<double>(approx["seed"]))};
  const btg::InputSpace space =
      btg::space_of(typical_covariance(approx, model), levels_and_groups(model));
  return std::make_shared<const btg::BlockMethod>(
      std::make_shared<const btg::BlockStructure>(model.inputs, space, options));
}

// Sets the representation of K: dense, or as the model's `approx` describes. Models of one fit with
// the same description share it.
void set_factor_method(const Rcpp::List& spec, const Rcpp::List& specs,
                       const std::vector<std::shared_ptr<btg::Model>>& before, btg::Model& model) {
  if (!spec.containsElementNamed("approx") || Rf_isNull(spec["approx"])) return;
  const Rcpp::Function identical("identical", R_BaseNamespace);
  for (std::size_t k = 0; k < before.size(); ++k) {
    const Rcpp::List other = specs[k];
    const bool same = other.containsElementNamed("approx") &&
                      Rcpp::as<bool>(identical(other["approx"], spec["approx"])) &&
                      before[k]->site_count() == model.site_count() &&
                      before[k]->column_of == model.column_of;
    if (same) {
      model.factor_method = before[k]->factor_method;
      return;
    }
  }
  model.factor_method = as_block_method(spec["approx"], model);
}

// Reads list(row, lower, upper), where rows count from 1 and limits are in the units of the scaled
// response, and the optional number of `points` of each likelihood.
btg::Censored as_censored(const Rcpp::List& spec) {
  if (!spec.containsElementNamed("censored") || Rf_isNull(spec["censored"])) return {};
  const Rcpp::List censored = spec["censored"];
  const std::vector<int> rows = from_zero(Rcpp::as<std::vector<int>>(censored["row"]));
  const Eigen::VectorXd lower = Rcpp::as<Eigen::VectorXd>(censored["lower"]);
  const Eigen::VectorXd upper = Rcpp::as<Eigen::VectorXd>(censored["upper"]);
  const auto count = static_cast<Eigen::Index>(rows.size());
  if (lower.size() != count || upper.size() != count) {
    throw btg::Error("damaged", "Censored responses need a lower and an upper limit each.");
  }
  const int points = censored.containsElementNamed("points") ? Rcpp::as<int>(censored["points"])
                                                             : btg::Censored::default_points;
  return btg::Censored(rows, lower, upper, points);
}

btg::Model as_model(const Design& design, const Rcpp::List& spec, const btg::Compute& compute) {
  btg::Model model;
  model.compute = &compute;
  ModelTerms terms = as_terms(spec, design.length_scale_of_column, design.input_of_column, compute);
  model.terms = std::move(terms.terms);
  model.column_of = std::move(terms.column_of);
  model.length_scale_of_column = std::move(terms.length_scale_of_column);
  model.transform = btg::compose(Rcpp::as<std::vector<std::string>>(spec["transform"]));
  model.levels = design.levels_of(model.column_of);
  model.response = Rcpp::as<Eigen::VectorXd>(spec["response"]);
  model.hyperparameters = as_hyperparameters(spec);
  const std::vector<int> used = from_zero(Rcpp::as<std::vector<int>>(spec["noise_columns"]));
  const Eigen::MatrixXd inputs = design.inputs_of(model.column_of);
  model.sites =
      btg::choose_sites(design.columns(inputs, used), design.trend.cols(), design.weights);
  const std::vector<int>& sites = model.sites.first_rows();
  model.inputs = btg::select_rows(inputs, sites);
  model.trend = btg::Trend(btg::select_rows(design.trend, sites));
  if (!used.empty()) model.noise = btg::NoiseModel(btg::select_rows(design.noise, sites), used);
  const Eigen::Index count = model.site_count();
  model.noise.set_floor(
      btg::noise_floor(count, 1.0 / model.sites.relative_noise(count).minCoeff()) *
      btg::largest_variance(model));
  model.likelihood = one_of<btg::Likelihood>(
      "likelihood", Rcpp::as<std::string>(spec["likelihood"]), {"integrated", "profiled"},
      {btg::Likelihood::integrated, btg::Likelihood::profiled});
  model.censored = as_censored(spec);
  btg::check_model(model);
  return model;
}

using ModelSet = std::vector<std::shared_ptr<btg::Model>>;

ModelSet as_models(const Rcpp::List& design, const Rcpp::List& specs, const Rcpp::List& run) {
  const Design shared(design);
  const btg::Compute& compute = find_compute(Rcpp::as<std::string>(run["linear_algebra"]));
  ModelSet all;
  for (const SEXP element : specs) {
    const Rcpp::List spec(element);
    const auto model = std::make_shared<btg::Model>(as_model(shared, spec, compute));
    set_factor_method(spec, specs, all, *model);
    all.push_back(model);
  }
  return all;
}

}  // namespace

SEXP make_models(const Rcpp::List& design, const Rcpp::List& models, const Rcpp::List& run) {
  return Rcpp::XPtr<ModelSet>(new ModelSet(as_models(design, models, run)));
}

ModelsHandle::ModelsHandle(const Rcpp::List& handle, const Rcpp::List& run) {
  SEXP pointer = handle["pointer"];
  const auto* known = static_cast<const ModelSet*>(R_ExternalPtrAddr(pointer));
  models_ = known ? *known : as_models(handle["design"], handle["models"], run);
  const btg::Execution execution = as_execution(run);
  for (const auto& model : models_) model->execution = execution;
}

ModelsHandle::~ModelsHandle() {
  for (const auto& model : models_) model->execution = btg::Execution();
}

const std::shared_ptr<btg::Model>& ModelsHandle::operator[](int from_one) const {
  if (from_one < 1 || from_one > static_cast<int>(models_.size())) {
    throw btg::Error("argument", "There is no such model.");
  }
  return models_[from_one - 1];
}

SharedEnsemble make_ensemble(const Rcpp::List& members, const Rcpp::List& run) {
  const ModelsHandle built(members["built"], run);
  std::vector<btg::Member> all;
  for (const SEXP element : Rcpp::List(members["members"])) {
    const Rcpp::List member(element);
    const std::shared_ptr<btg::Model>& model = built[Rcpp::as<int>(member["model"])];
    all.push_back({model, Rcpp::as<Eigen::MatrixXd>(member["hyper"]).transpose(),
                   Rcpp::as<double>(member["shift"]), Rcpp::as<double>(member["scale"])});
    btg::check_nodes(*model, all.back().etas);
  }
  return std::make_shared<btg::Ensemble>(std::move(all),
                                         Rcpp::as<Eigen::VectorXd>(members["weight"]));
}

EnsembleHandle::EnsembleHandle(SEXP ensemble, const Rcpp::List& run)
    : ensemble_(TYPEOF(ensemble) == EXTPTRSXP ? *Rcpp::XPtr<SharedEnsemble>(ensemble).checked_get()
                                              : make_ensemble(ensemble, run)) {
  ensemble_->run_by(as_execution(run));
}

EnsembleHandle::~EnsembleHandle() { ensemble_->run_by(btg::Execution()); }
