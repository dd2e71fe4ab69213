// Lists of R to structs of the core, and back. R's side of each list is described where it is made:
// R/core-*.R.
#pragma once

#include <RcppEigen.h>

#include <memory>
#include <string>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/base/parallel.hpp"
#include "btg/ensemble/ensemble.hpp"
#include "btg/factor/block_structure.hpp"
#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "btg/posterior/posterior.hpp"
#include "btg/predictive/answers.hpp"
#include "btg/priors/prior.hpp"

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

btg::PriorSpec as_prior_spec(const Rcpp::List& prior);
btg::Model as_model(const Rcpp::List& design, const Rcpp::List& model, const Rcpp::List& run);
btg::Member as_member(const Rcpp::List& design, const Rcpp::List& member, const Rcpp::List& run);
btg::Ensemble as_ensemble(const Rcpp::List& ensemble, const Rcpp::List& run);

// The ensemble that R asks: described by a list, or kept by core_keep for later calls.
class AskedEnsemble {
 public:
  AskedEnsemble(SEXP ensemble, const Rcpp::List& run);
  ~AskedEnsemble();  // a kept one lets go of what belongs to the call
  AskedEnsemble(const AskedEnsemble&) = delete;
  AskedEnsemble& operator=(const AskedEnsemble&) = delete;
  btg::Ensemble* operator->() const { return ensemble_.get(); }

 private:
  std::shared_ptr<btg::Ensemble> ensemble_;
  bool kept_;
};

// What R's pointer is to. A call shares it, so that letting go of it meanwhile does no harm.
using KeptEnsemble = std::shared_ptr<btg::Ensemble>;

// As the model's specification describes it: see vecchia() of R.
std::shared_ptr<const btg::BlockStructure> as_block_structure(const Rcpp::List& spec,
                                                              const btg::Model& model);
btg::Points as_points(const Rcpp::List& points);
std::vector<btg::Direction> as_directions(const Rcpp::List& directions);
std::vector<btg::Inquiry> as_inquiries(const Rcpp::List& questions);
btg::AnswerOptions as_answer_options(const Rcpp::List& options);
const std::vector<std::string>& bound_names();
std::vector<btg::KnownMode> as_known_modes(const Rcpp::List& modes);
btg::Evaluator as_evaluator(const Rcpp::List& run);  // none if the run does not name one
btg::RuleOptions as_rule_options(const Rcpp::List& options, btg::RuleOptions defaults);
std::vector<int> from_zero(const std::vector<int>& from_one);

Rcpp::List as_list(const btg::PriorSpec& prior);
Rcpp::List as_list(const btg::RuleOptions& options);
Rcpp::List as_list(const std::vector<btg::PosteriorMode>& modes);
Rcpp::List as_list(const btg::Posterior& posterior);
Rcpp::List as_list(const btg::Answers& answers, const Rcpp::List& questions);
