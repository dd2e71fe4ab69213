// Converts R lists to structs of the core, and back. R/core-*.R and R/fit-problem.R describe the
// lists.
#pragma once

#include <RcppEigen.h>

#include <memory>
#include <string>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/base/parallel.hpp"
#include "btg/ensemble/ensemble.hpp"
#include "btg/model/model.hpp"
#include "btg/posterior/posterior.hpp"
#include "btg/priors/prior.hpp"

// Runs `body` and turns an error of the core into a value of class "btg_core_error", list(kind,
// message, point), which R raises as a condition.
template <class Body>
Rcpp::List guard(Body body);

// A named list built element by element. Rcpp's List::create generates much more code.
class NamedList {
 public:
  template <class T>
  NamedList& add(const char* name, const T& value) {
    return add_element(name, Rcpp::wrap(value));
  }
  operator Rcpp::List() const;  // NOLINT(google-explicit-constructor)

 private:
  NamedList& add_element(const char* name, const Rcpp::RObject& value);
  std::vector<std::string> names_;
  std::vector<Rcpp::RObject> values_;
};

template <class Body>
Rcpp::List guard(Body body) {
  try {
    return body();
  } catch (const btg::Error& error) {
    Rcpp::List result = NamedList()
                            .add("kind", error.kind)
                            .add("message", std::string(error.what()))
                            .add("point", static_cast<int>(error.point) + 1);
    result.attr("class") = "btg_core_error";
    return result;
  }
}

// Models built once for any number of calls, from R's list(pointer, design, models) by
// core_models(). A pointer does not survive saving or another process; the models are then rebuilt
// from the lists. The destructor releases what belongs to the call.
class ModelsHandle {
 public:
  ModelsHandle(const Rcpp::List& handle, const Rcpp::List& run);
  ~ModelsHandle();
  ModelsHandle(const ModelsHandle&) = delete;
  ModelsHandle& operator=(const ModelsHandle&) = delete;
  const std::shared_ptr<btg::Model>& operator[](int from_one) const;

 private:
  std::vector<std::shared_ptr<btg::Model>> models_;
};
SEXP make_models(const Rcpp::List& design, const Rcpp::List& models, const Rcpp::List& run);

// The target of R's pointer. Each call shares ownership, so releasing it meanwhile is safe.
using SharedEnsemble = std::shared_ptr<btg::Ensemble>;

// Builds an ensemble from R's list(built, members, weight): `built` is a handle of models, each
// member is list(model, hyper, shift, scale) with the number of a model, and `weight` has one value
// per node.
SharedEnsemble make_ensemble(const Rcpp::List& members, const Rcpp::List& run);

// An ensemble for one call: a pointer from core_ensemble(), or the list to build it from.
class EnsembleHandle {
 public:
  EnsembleHandle(SEXP ensemble, const Rcpp::List& run);
  ~EnsembleHandle();
  EnsembleHandle(const EnsembleHandle&) = delete;
  EnsembleHandle& operator=(const EnsembleHandle&) = delete;
  btg::Ensemble* operator->() const { return ensemble_.get(); }

 private:
  SharedEnsemble ensemble_;
};

btg::PriorSpec as_prior_spec(const Rcpp::List& prior);
btg::Points as_points(const Rcpp::List& points);
btg::Request as_request(const Rcpp::List& request);
std::vector<btg::Question> as_questions(const Rcpp::List& questions);
btg::AnswerOptions as_answer_options(const Rcpp::List& options);

// Reads list(floor, ceiling, open).
btg::Censoring as_censoring(const Rcpp::List& ends);
const std::vector<std::string>& bound_names();
std::vector<btg::KnownMode> as_known_modes(const Rcpp::List& modes);
btg::Evaluator as_evaluator(const Rcpp::List& run);  // none unless the run has one
btg::RuleOptions as_rule_options(const Rcpp::List& options, btg::RuleOptions defaults);
std::vector<int> from_zero(const std::vector<int>& from_one);

Rcpp::List as_list(const btg::PriorSpec& prior);
Rcpp::List as_list(const btg::RuleOptions& options);
Rcpp::List as_list(const std::vector<btg::PosteriorMode>& modes);
Rcpp::List as_list(const btg::Posterior& posterior);
Rcpp::List as_list(const btg::Answers& answers, const std::vector<btg::Question>& questions);
Rcpp::List as_list(const btg::FoldWeights& folds);
