// Predictions of an ensemble, at new points and at its own rows left out.
#include "as.h"
#include "btg/predictive/joint_draws.hpp"
#include "btg/transforms/registry.hpp"
#include "compute_blas.h"

// A pointer to the ensemble, for any number of later calls, with what it holds in bytes and what
// the factors would take that core_prepare makes, infinite if they cannot be kept.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_keep(const Rcpp::List& ensemble, const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const auto kept = std::make_shared<btg::Ensemble>(as_ensemble(ensemble, run));
    kept->run_by(btg::Execution());
    kept->keep_nodes();
    return Rcpp::List::create(
        Rcpp::Named("pointer") = Rcpp::XPtr<KeptEnsemble>(new KeptEnsemble(kept)),
        Rcpp::Named("bytes") = kept->bytes(),
        Rcpp::Named("prepared_bytes") = kept->prepared_bytes());
  });
}

// Makes the factors of an ensemble that was kept.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_prepare(SEXP pointer, const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    AskedEnsemble(pointer, run)->prepare();
    return Rcpp::List();
  });
}

// Lets go of an ensemble that was kept, whoever still has the pointer.
// [[Rcpp::export(rng = false)]]
void core_release(SEXP pointer) { Rcpp::XPtr<KeptEnsemble>(pointer).release(); }

// Locations and scales of the predictive t distributions, nodes x points.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_latent(SEXP ensemble, const Rcpp::List& points, const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const btg::LatentPredictions latent = AskedEnsemble(ensemble, run)->latent(as_points(points));
    return Rcpp::List::create(Rcpp::Named("location") = latent.location,
                              Rcpp::Named("scale") = latent.scale);
  });
}

// The predictive mixtures at `points`, asked all `questions`: a list of matrices named as those of
// the registry, each with a row for each point, or one row for all. The ensemble is a list, or
// kept.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_predict(SEXP ensemble, const Rcpp::List& points, const Rcpp::List& questions,
                        const Rcpp::List& options, const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    return as_list(
        AskedEnsemble(ensemble, run)
            ->predict(as_points(points), as_inquiries(questions), as_answer_options(options)),
        questions);
  });
}

// As core_predict, with `slopes` of each answer: a matrix as its values for each of `directions`, a
// list of list(inputs, trend, noise).
// [[Rcpp::export(rng = false)]]
Rcpp::List core_slopes(SEXP ensemble, const Rcpp::List& points, const Rcpp::List& directions,
                       const Rcpp::List& questions, const Rcpp::List& options,
                       const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const btg::SlopeAnswers answers =
        AskedEnsemble(ensemble, run)
            ->slopes(as_points(points), as_directions(directions), as_inquiries(questions),
                     as_answer_options(options));
    Rcpp::List result = as_list(answers, questions), slopes;
    for (const auto& of_answer : answers.slopes) slopes.push_back(Rcpp::wrap(of_answer));
    slopes.names() = questions.names();
    result["slopes"] = slopes;
    return result;
  });
}

// As core_predict, for mixtures that have left their fit: the degrees of freedom, blocks of
// list(transform, lambda, shift, unit), and the columns of `location` and `scale`.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_mixture(double degrees_of_freedom, const Rcpp::List& blocks,
                        const Eigen::VectorXd& weight, const Eigen::MatrixXd& location,
                        const Eigen::MatrixXd& scale, const Rcpp::List& questions,
                        const Rcpp::List& options) {
  return guard([&]() -> Rcpp::List {
    std::vector<btg::NodeBlock> all;
    for (const SEXP element : blocks) {
      const Rcpp::List block(element);
      all.emplace_back(btg::compose(Rcpp::as<std::vector<std::string>>(block["transform"])),
                       Rcpp::as<Eigen::MatrixXd>(block["lambda"]), Rcpp::as<double>(block["shift"]),
                       Rcpp::as<double>(block["unit"]));
    }
    const btg::MixtureNodes nodes(btg::StudentT(degrees_of_freedom), all, &find_compute("builtin"));
    if (location.rows() != nodes.size || scale.rows() != nodes.size ||
        weight.size() != nodes.size || location.cols() != scale.cols()) {
      throw btg::Error("argument", "Locations, scales and weights must be of all nodes.");
    }
    return as_list(
        btg::ask_mixtures(
            location.cols(),
            [&](long i) { return btg::Mixture(nodes, location.col(i), scale.col(i), weight); },
            as_inquiries(questions), as_answer_options(options), btg::Execution()),
        questions);
  });
}

// Every row predicted without its fold, by nodes that are reweighted for it; `fold` counts from
// 1. With `joint`, the weights of members change with those of their nodes. As core_predict, with
// diagnostics of the folds.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_loocv(const Rcpp::List& ensemble, const std::vector<int>& fold, bool observation,
                      bool naive, bool joint, const Rcpp::List& questions,
                      const Rcpp::List& options, const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const btg::Folds folds =
        btg::make_folds(from_zero(fold), *std::max_element(fold.begin(), fold.end()));
    const btg::LeftOutAnswers left_out =
        as_ensemble(ensemble, run)
            .leave_out({folds, observation, naive, joint}, as_inquiries(questions),
                       as_answer_options(options));
    std::vector<int> status;
    for (const btg::FoldStatus one : left_out.folds.status) status.push_back(static_cast<int>(one));
    Rcpp::List result = as_list(left_out, questions);
    result["effective_nodes"] = left_out.folds.effective_nodes;
    result["distance"] = left_out.folds.distance;
    result["k_hat"] = left_out.folds.pareto_shape;
    result["status"] = status;
    return result;
  });
}

// Joint draws at `points` from one member: draw k is of its node `node[k]`, from 1, with the
// standard normals of column k and a chi-square divided by its degrees of freedom.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_joint_draws(const Rcpp::List& design, const Rcpp::List& member,
                            const Rcpp::List& points, const std::vector<int>& node,
                            const Eigen::MatrixXd& normals, const Eigen::VectorXd& chi_square,
                            const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const btg::Member one = as_member(design, member, run);
    return Rcpp::List::create(
        Rcpp::Named("draws") = btg::joint_draws(one.model, one.block(), one.etas, as_points(points),
                                                {from_zero(node), normals, chi_square}));
  });
}
