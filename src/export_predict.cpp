// Exports for prediction: new points, and left-out rows.
#include <cstdint>

#include "as.h"
#include "btg/transforms/registry.hpp"
#include "compute_blas.h"

// Returns a pointer to an ensemble (see make_ensemble), its size in bytes, and the size of the
// factors that core_prepare makes, infinite if they cannot be cached.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_ensemble(const Rcpp::List& members, const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const SharedEnsemble ensemble = make_ensemble(members, run);
    return NamedList()
        .add("pointer", Rcpp::XPtr<SharedEnsemble>(new SharedEnsemble(ensemble)))
        .add("bytes", ensemble->bytes())
        .add("prepared_bytes", ensemble->prepared_bytes());
  });
}

// Factors the nodes of an ensemble, for later calls.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_prepare(SEXP ensemble, const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    EnsembleHandle(ensemble, run)->prepare();
    return Rcpp::List();
  });
}

// Frees an ensemble, even if other references to the pointer exist.
// [[Rcpp::export(rng = false)]]
void core_release(SEXP ensemble) { Rcpp::XPtr<SharedEnsemble>(ensemble).release(); }

// Answers a request (see as_request). `questions` is a named list of matrices, each with one row
// per point or one row for all. For left-out rows, also returns diagnostics of their folds.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_answer(SEXP ensemble, const Rcpp::List& request, const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const btg::Request asked = as_request(request);
    const btg::Response response = EnsembleHandle(ensemble, run)->answer(asked);
    Rcpp::List result = as_list(response, asked.questions);
    if (asked.leave_out) result["folds"] = as_list(response.folds);
    return result;
  });
}

// Locations and scales of the predictive t distributions, nodes x points.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_latent(SEXP ensemble, const Rcpp::List& points, const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const btg::LatentValues latent = EnsembleHandle(ensemble, run)->latent(as_points(points)).at;
    return NamedList().add("location", latent.location).add("scale", latent.scale);
  });
}

// Selects few nodes of an ensemble that predict like all: see btg::RepresentPlan. `plan` is
// list(points, uses, importance, rows, joint, options): uses count from 0 as btg::Probe does, rows
// from 1.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_represent(SEXP ensemble, const Rcpp::List& plan, const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    btg::RepresentPlan asked;
    asked.probes = as_points(plan["points"]);
    for (const int use : Rcpp::as<std::vector<int>>(plan["uses"])) {
      asked.uses.push_back(static_cast<btg::Probe>(use));
    }
    asked.importance = Rcpp::as<std::vector<double>>(plan["importance"]);
    asked.rows = from_zero(Rcpp::as<std::vector<int>>(plan["rows"]));
    asked.joint = Rcpp::as<bool>(plan["joint"]);
    asked.options = as_answer_options(plan["options"]);
    const btg::Representatives found = EnsembleHandle(ensemble, run)->represent(asked);
    return NamedList()
        .add("weight", found.weights)
        .add("variance", found.variances)
        .add("own_error", found.own_error)
        .add("error", found.error)
        .add("change", found.change)
        .add("process_change", found.process_change)
        .add("score_change", found.score_change)
        .add("reduced", found.reduced);
  });
}

// Joint draws at `points`, one per column, and their deviations: see joint_draws.hpp. `plan` is
// list(node, normals, chi_square, known, noise), with nodes counted from 1. With `ends`, which is
// list(floor, ceiling, open), draws the conditional means of responses censored there.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_draw(SEXP ensemble, const Rcpp::List& points, const Rcpp::List& plan,
                     const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const auto matrix = [&](const char* name) { return Rcpp::as<Eigen::MatrixXd>(plan[name]); };
    btg::DrawPlan asked{from_zero(Rcpp::as<std::vector<int>>(plan["node"])),
                        matrix("normals"),
                        Rcpp::as<Eigen::VectorXd>(plan["chi_square"]),
                        matrix("known"),
                        matrix("noise"),
                        {}};
    if (plan.containsElementNamed("ends")) asked.of_mean = as_censoring(plan["ends"]);
    const btg::JointDraws drawn = EnsembleHandle(ensemble, run)->draw(as_points(points), asked);
    return NamedList().add("draws", drawn.response).add("deviations", drawn.deviation);
  });
}

// Answers a request without each of some rows of the data, numbered from 1: see btg::Ensemble.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_influence(SEXP ensemble, const Rcpp::List& request, const std::vector<int>& rows,
                          bool joint, const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const btg::Request asked = as_request(request);
    const btg::Response response =
        EnsembleHandle(ensemble, run)->influence(asked, from_zero(rows), joint);
    Rcpp::List result = as_list(response, asked.questions);
    result["folds"] = as_list(response.folds);
    return result;
  });
}

// Joint draws at many points, one per column, with the number of each draw's node from 1: see
// field_draws.hpp. `plan` is list(replicates, count, first, seed, share, totals).
// [[Rcpp::export(rng = false)]]
Rcpp::List core_field(SEXP ensemble, const Rcpp::List& points, const Rcpp::List& plan,
                      const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const auto whole = [&](const char* name) { return Rcpp::as<int>(plan[name]); };
    const btg::FieldPlan asked{whole("replicates"),
                               whole("count"),
                               whole("first"),
                               static_cast<std::uint64_t>(whole("seed")),
                               Rcpp::as<double>(plan["share"]),
                               Rcpp::as<Eigen::MatrixXd>(plan["totals"])};
    btg::FieldDraws drawn = EnsembleHandle(ensemble, run)->draw_field(as_points(points), asked);
    for (int& node : drawn.node) ++node;
    return NamedList().add("draws", drawn.response).add("node", drawn.node).add("rank", drawn.rank);
  });
}

// Points are those of a region, `region` of them, and candidates: see reduce_variance().
// [[Rcpp::export(rng = false)]]
Rcpp::List core_reduction(SEXP ensemble, const Rcpp::List& points, int region,
                          const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    return NamedList().add(
        "share", EnsembleHandle(ensemble, run)->reduce_variance(as_points(points), region));
  });
}

// Like core_answer, for mixtures without their fit. Each model is list(transform, lambda, shift,
// scale); the columns of `location` and `scale` are points.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_mixture(double degrees_of_freedom, const Rcpp::List& models,
                        const Eigen::VectorXd& weight, const Eigen::MatrixXd& location,
                        const Eigen::MatrixXd& scale, const Rcpp::List& questions,
                        const Rcpp::List& options) {
  return guard([&]() -> Rcpp::List {
    std::vector<btg::ModelNodes> all;
    for (const SEXP element : models) {
      const Rcpp::List model(element);
      all.emplace_back(btg::compose(Rcpp::as<std::vector<std::string>>(model["transform"])),
                       Rcpp::as<Eigen::MatrixXd>(model["lambda"]), Rcpp::as<double>(model["shift"]),
                       Rcpp::as<double>(model["scale"]));
    }
    const btg::MixtureNodes nodes(btg::StudentT(degrees_of_freedom), all, &find_compute("builtin"));
    if (location.rows() != nodes.size || scale.rows() != nodes.size ||
        weight.size() != nodes.size || location.cols() != scale.cols()) {
      throw btg::Error("argument", "Locations, scales and weights must be of all nodes.");
    }
    const std::vector<btg::Question> asked = as_questions(questions);
    const auto mixture_of = [&](long i) {
      return btg::Mixture(nodes, location.col(i), scale.col(i), weight);
    };
    return as_list(
        btg::ask(location.cols(), mixture_of, asked, as_answer_options(options), btg::Execution()),
        asked);
  });
}
