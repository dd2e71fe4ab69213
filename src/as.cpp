#include "as.h"

#include <utility>

NamedList& NamedList::add_element(const char* name, const Rcpp::RObject& value) {
  names_.emplace_back(name);
  values_.push_back(value);
  return *this;
}

NamedList::operator Rcpp::List() const {
  Rcpp::List list(values_.size());
  for (std::size_t i = 0; i < values_.size(); ++i) list[i] = values_[i];
  list.names() = names_;
  return list;
}

namespace {

// The matrix of this name, or one without columns if the list has none.
Eigen::MatrixXd as_columns(const Rcpp::List& list, const char* name, Eigen::Index rows) {
  const bool given = list.containsElementNamed(name) && !Rf_isNull(list[name]);
  return given ? Rcpp::as<Eigen::MatrixXd>(list[name]) : Eigen::MatrixXd(rows, 0);
}

btg::Direction as_direction(const Rcpp::List& direction) {
  const Eigen::MatrixXd inputs = Rcpp::as<Eigen::MatrixXd>(direction["inputs"]);
  return {inputs, Rcpp::as<Eigen::MatrixXd>(direction["trend"]),
          as_columns(direction, "noise", inputs.rows())};
}

// Reads list(fold, observation, naive, joint), where folds count from 1.
btg::LeaveOutPlan as_leave_out_plan(const Rcpp::List& plan) {
  const std::vector<int> fold = Rcpp::as<std::vector<int>>(plan["fold"]);
  return {btg::make_folds(from_zero(fold), *std::max_element(fold.begin(), fold.end())),
          Rcpp::as<bool>(plan["observation"]), Rcpp::as<bool>(plan["naive"]),
          Rcpp::as<bool>(plan["joint"])};
}

Rcpp::List list_mode(const btg::PosteriorMode& mode) {
  return NamedList()
      .add("hyper", mode.eta)
      .add("point", mode.point)
      .add("log_posterior", mode.log_posterior)
      .add("log_mass", mode.log_mass)
      .add("mass", mode.mass)
      .add("precision", mode.precision);
}

}  // namespace

std::vector<int> from_zero(const std::vector<int>& from_one) {
  std::vector<int> result;
  for (const int i : from_one) result.push_back(i - 1);
  return result;
}

btg::PriorSpec as_prior_spec(const Rcpp::List& prior) {
  return {Rcpp::as<std::string>(prior["family"]), Rcpp::as<std::vector<double>>(prior["arguments"]),
          Rcpp::as<double>(prior["lower"]), Rcpp::as<double>(prior["upper"])};
}

btg::Points as_points(const Rcpp::List& points) {
  const Eigen::MatrixXd inputs = Rcpp::as<Eigen::MatrixXd>(points["inputs"]);
  btg::Points result{inputs, Rcpp::as<Eigen::MatrixXd>(points["trend"]),
                     Rcpp::as<Eigen::VectorXd>(points["relative_noise"]),
                     as_columns(points, "noise", inputs.rows())};
  if (points.containsElementNamed("terms") && !Rf_isNull(points["terms"])) {
    result.terms = Rcpp::as<std::vector<std::string>>(points["terms"]);
  }
  return result;
}

std::vector<btg::Question> as_questions(const Rcpp::List& questions) {
  if (questions.size() == 0) return {};
  const std::vector<std::string> names = questions.names();
  std::vector<btg::Question> all;
  for (std::size_t k = 0; k < names.size(); ++k) {
    all.push_back({&btg::find_question(names[k]), Rcpp::as<Eigen::MatrixXd>(questions[k])});
  }
  return all;
}

const std::vector<std::string>& bound_names() {
  static const std::vector<std::string> names{"auto", "none", "hull", "singular", "both"};
  return names;
}

btg::AnswerOptions as_answer_options(const Rcpp::List& options) {
  const std::vector<std::string>& names = bound_names();
  const std::string bound = Rcpp::as<std::string>(options["bound"]);
  const auto found = std::find(names.begin(), names.end(), bound);
  if (found == names.end()) throw btg::Error("argument", "There is no bound \"" + bound + "\".");
  return {Rcpp::as<double>(options["tolerance"]),
          static_cast<btg::Bound>(found - names.begin()),
          Rcpp::as<double>(options["floor"]),
          Rcpp::as<double>(options["ceiling"]),
          Rcpp::as<double>(options["open"]),
          Rcpp::as<Eigen::VectorXd>(options["weight_variances"])};
}

btg::Censoring as_censoring(const Rcpp::List& ends) {
  return {Rcpp::as<double>(ends["floor"]), Rcpp::as<double>(ends["ceiling"]),
          Rcpp::as<double>(ends["open"])};
}

// Reads list(points, questions, options), and `directions` or `group_weights`, or `leave_out`
// instead of points.
btg::Request as_request(const Rcpp::List& request) {
  btg::Request result;
  result.questions = as_questions(request["questions"]);
  result.options = as_answer_options(request["options"]);
  if (request.containsElementNamed("leave_out")) {
    result.leave_out = as_leave_out_plan(request["leave_out"]);
    return result;
  }
  result.points = as_points(request["points"]);
  if (request.containsElementNamed("group_weights")) {
    result.group_weights = Rcpp::as<Eigen::VectorXd>(request["group_weights"]);
  }
  if (request.containsElementNamed("directions")) {
    for (const SEXP one : Rcpp::List(request["directions"])) {
      result.directions.push_back(as_direction(one));
    }
  }
  return result;
}

std::vector<btg::KnownMode> as_known_modes(const Rcpp::List& modes) {
  std::vector<btg::KnownMode> known;
  for (const SEXP element : modes) {
    const Rcpp::List mode(element);
    known.push_back({Rcpp::as<Eigen::VectorXd>(mode["point"]),
                     Rcpp::as<Eigen::MatrixXd>(mode["precision"]),
                     Rcpp::as<double>(mode["share"])});
  }
  return known;
}

btg::Evaluator as_evaluator(const Rcpp::List& run) {
  if (!run.containsElementNamed("evaluate")) return {};
  const Rcpp::Function evaluate = run["evaluate"];
  btg::Evaluator evaluator;
  evaluator.likelihoods = [evaluate](const Eigen::MatrixXd& etas) {
    const Rcpp::List found = evaluate(Eigen::MatrixXd(etas.transpose()), false);
    return Rcpp::as<Eigen::VectorXd>(found["log_marginal"]);
  };
  evaluator.gradients = [evaluate](const Eigen::MatrixXd& etas) {
    const Rcpp::List found = evaluate(Eigen::MatrixXd(etas.transpose()), true);
    const Eigen::VectorXd log_marginal = Rcpp::as<Eigen::VectorXd>(found["log_marginal"]);
    const Eigen::MatrixXd gradients = Rcpp::as<Eigen::MatrixXd>(found["gradient"]);
    std::vector<btg::MarginalGradient> all;
    for (Eigen::Index i = 0; i < etas.cols(); ++i) {
      all.push_back({log_marginal[i], gradients.row(i).transpose()});
    }
    return all;
  };
  return evaluator;
}

btg::RuleOptions as_rule_options(const Rcpp::List& options, btg::RuleOptions defaults) {
  if (options.size() == 0) return defaults;
  const std::vector<std::string> names = options.names();
  for (int k = 0; k < options.size(); ++k) {
    if (Rf_isString(options[k])) {
      defaults.set(names[k], Rcpp::as<std::string>(options[k]));
    } else {
      defaults.set(names[k], Rcpp::as<double>(options[k]));
    }
  }
  return defaults;
}

Rcpp::List as_list(const btg::PriorSpec& prior) {
  return NamedList()
      .add("family", prior.family)
      .add("arguments", prior.arguments)
      .add("lower", prior.lower)
      .add("upper", prior.upper);
}

Rcpp::List as_list(const btg::RuleOptions& options) {
  NamedList result;
  for (const auto& [name, value] : options.values()) {
    if (const double* number = std::get_if<double>(&value)) {
      result.add(name.c_str(), *number);
    } else {
      result.add(name.c_str(), std::get<std::string>(value));
    }
  }
  return result;
}

Rcpp::List as_list(const std::vector<btg::PosteriorMode>& modes) {
  Rcpp::List result;
  for (const btg::PosteriorMode& mode : modes) result.push_back(list_mode(mode));
  return result;
}

Rcpp::List as_list(const btg::Posterior& posterior) {
  return NamedList()
      .add("hyper", posterior.etas.transpose().eval())
      .add("weight", posterior.weights)
      .add("predictive", posterior.predictive_weights)
      .add("log_marginal", posterior.log_marginal)
      .add("log_prior", posterior.log_prior)
      .add("log_evidence", posterior.log_evidence)
      .add("log_evidence_error", posterior.log_evidence_error)
      .add("error_factor", posterior.error_factor)
      .add("effective_nodes", posterior.effective_nodes)
      .add("least_effective", posterior.least_effective)
      .add("good_effective", posterior.good_effective)
      .add("dropped_mass", posterior.dropped_mass)
      .add("nodes_tried", posterior.nodes_tried)
      .add("nodes_failed", posterior.nodes_failed)
      .add("likelihoods", posterior.likelihoods)
      .add("gradients", posterior.gradients)
      .add("boundary_mass", posterior.boundary_mass)
      .add("modes", as_list(posterior.modes))
      .add("diagnostics", posterior.diagnostics);
}

Rcpp::List as_list(const btg::Answers& answers, const std::vector<btg::Question>& questions) {
  NamedList all;
  for (std::size_t k = 0; k < questions.size(); ++k) {
    const btg::Answer& answer = answers.of[k];
    NamedList one;
    one.add("value", answer.values).add("standard_error", answer.standard_error);
    if (!answer.slopes.empty()) one.add("slopes", answer.slopes);
    all.add(questions[k].type->name.c_str(), Rcpp::List(one));
  }
  return NamedList()
      .add("answers", Rcpp::List(all))
      .add("lost_mass", answers.lost_mass)
      .add("rearranged", answers.rearranged)
      .add("evaluations", static_cast<double>(answers.evaluations));
}

Rcpp::List as_list(const btg::FoldWeights& folds) {
  std::vector<std::string> status;
  for (const btg::FoldStatus one : folds.status) status.emplace_back(btg::describe(one));
  return NamedList()
      .add("effective_nodes", folds.effective_nodes)
      .add("distance", folds.distance)
      .add("k_hat", folds.pareto_shape)
      .add("status", status);
}
