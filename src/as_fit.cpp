// As as.cpp, of fits: rules, known modes, who evaluates likelihoods, and the posterior.
#include "as.h"

namespace {

Rcpp::List list_mode(const btg::PosteriorMode& mode) {
  return Rcpp::List::create(Rcpp::Named("hyper") = mode.eta, Rcpp::Named("point") = mode.point,
                            Rcpp::Named("log_posterior") = mode.log_posterior,
                            Rcpp::Named("mass") = mode.mass,
                            Rcpp::Named("precision") = mode.precision);
}

btg::Evaluation as_evaluation(const Rcpp::List& found) {
  return {Rcpp::as<Eigen::VectorXd>(found["log_marginal"]),
          Rcpp::as<Eigen::VectorXd>(found["jitter"])};
}

}  // namespace

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
    return as_evaluation(evaluate(Eigen::MatrixXd(etas.transpose()), false));
  };
  evaluator.gradients = [evaluate](const Eigen::MatrixXd& etas) {
    const Rcpp::List found = evaluate(Eigen::MatrixXd(etas.transpose()), true);
    const btg::Evaluation evaluation = as_evaluation(found);
    const Eigen::MatrixXd gradients = Rcpp::as<Eigen::MatrixXd>(found["gradient"]);
    std::vector<btg::MarginalGradient> all;
    for (Eigen::Index i = 0; i < etas.cols(); ++i) {
      all.push_back(
          {evaluation.log_marginal[i], evaluation.jitter[i], gradients.row(i).transpose()});
    }
    return all;
  };
  return evaluator;
}

btg::RuleOptions as_rule_options(const Rcpp::List& options, btg::RuleOptions result) {
  if (options.size() == 0) return result;
  const std::vector<std::string> names = options.names();
  for (int k = 0; k < options.size(); ++k) {
    if (Rf_isString(options[k])) {
      result.set(names[k], Rcpp::as<std::string>(options[k]));
    } else {
      result.set(names[k], Rcpp::as<double>(options[k]));
    }
  }
  return result;
}

Rcpp::List as_list(const btg::RuleOptions& options) {
  Rcpp::List result;
  for (const auto& [name, value] : options.values()) {
    if (const double* number = std::get_if<double>(&value)) {
      result[name] = *number;
    } else {
      result[name] = std::get<std::string>(value);
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
                            Rcpp::Named("modes") = as_list(posterior.modes),
                            Rcpp::Named("diagnostics") = posterior.diagnostics);
}
