// Exports for fitting: posteriors, maxima and likelihoods of models.
#include <cmath>
#include <optional>

#include "as.h"
#include "btg/factor/approximation_error.hpp"
#include "btg/factor/block_factor.hpp"
#include "btg/factor/prediction_error.hpp"
#include "btg/model/latent_response.hpp"
#include "btg/node/node.hpp"
#include "btg/node/trend_estimate.hpp"
#include "btg/posterior/completed_nodes.hpp"
#include "btg/posterior/likelihood_maximum.hpp"
#include "btg/predictive/prior_draws.hpp"
#include "btg/quadrature/rules/registry.hpp"

namespace {

// Converts rows of R's `hyper` to columns of the model's hyperparameters, without the latent
// responses that nodes have.
Eigen::MatrixXd as_etas(const btg::Model& model, const Eigen::MatrixXd& hyper) {
  Eigen::MatrixXd etas = hyper.transpose();
  if (etas.rows() == model.node_size()) etas.conservativeResize(model.size(), etas.cols());
  btg::check_hyperparameters(model, etas);
  return etas;
}

// Converts rows of R's `hyper` to columns of nodes.
Eigen::MatrixXd as_nodes(const btg::Model& model, const Eigen::MatrixXd& hyper) {
  Eigen::MatrixXd etas = hyper.transpose();
  btg::check_nodes(model, etas);
  return etas;
}

}  // namespace

// Returns a pointer to the models of one design, built once for any number of calls, and for each
// the number of sites and the floor of the noise. The functions below take list(pointer, design,
// models) and the number of a model.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_models(const Rcpp::List& design, const Rcpp::List& models, const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const Rcpp::RObject pointer = make_models(design, models, run);
    const Rcpp::List handle =
        NamedList().add("pointer", pointer).add("design", design).add("models", models);
    const ModelsHandle built(handle, run);
    std::vector<int> sites;
    std::vector<double> noise_floor;
    for (int k = 1; k <= models.size(); ++k) {
      sites.push_back(static_cast<int>(built[k]->site_count()));
      noise_floor.push_back(built[k]->noise.floor());
    }
    return NamedList().add("pointer", pointer).add("sites", sites).add("noise_floor", noise_floor);
  });
}

// `known` holds modes list(point, precision, share) to start from; see btg::KnownMode. The optional
// `run$evaluate` evaluates likelihoods: a function of rows of hyperparameters and of whether
// gradients are wanted, which returns the same as core_evaluate.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_integrate(const Rcpp::List& models, int which, const std::string& rule,
                          const Rcpp::List& options, double epsilon, const Rcpp::List& known,
                          const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const btg::Rule& chosen = btg::find_rule(rule);
    return as_list(btg::integrate(*ModelsHandle(models, run)[which], chosen,
                                  as_rule_options(options, chosen.default_options()), epsilon,
                                  as_known_modes(known), as_evaluator(run)));
  });
}

// Returns the modes of each model's posterior, as in core_integrate, and the work of finding them,
// or the error. `known` holds modes to start from per model. `relative` is the number of an earlier
// model whose modes serve instead, or 0.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_modes(const Rcpp::List& models, const Rcpp::List& known,
                      const std::vector<int>& relative, const Rcpp::List& run) {
  const ModelsHandle built(models, run);
  std::vector<std::vector<btg::KnownMode>> found(known.size());
  Rcpp::List all;
  for (int k = 0; k < known.size(); ++k) {
    all.push_back(guard([&]() -> Rcpp::List {
      btg::Work work;
      std::vector<btg::KnownMode> from = as_known_modes(known[k]);
      if (from.empty() && relative[k] > 0) from = found[relative[k] - 1];
      const std::vector<btg::PosteriorMode> modes = btg::find_modes(*built[k + 1], from, work);
      for (const btg::PosteriorMode& mode : modes) {
        found[k].push_back({mode.point, mode.precision, 1.0});
      }
      return NamedList()
          .add("modes", as_list(modes))
          .add("likelihoods", work.likelihoods)
          .add("gradients", work.gradients);
    }));
  }
  return all;
}

// Returns the searches for the maximum likelihood, one per row, and their bounds. The rows of
// `warm` are maxima of a similar likelihood.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_maximum(const Rcpp::List& models, int which, int restarts,
                        const Eigen::MatrixXd& warm, const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const ModelsHandle built(models, run);
    const btg::LikelihoodMaximum maximum =
        btg::maximise_likelihood(*built[which], restarts, as_etas(*built[which], warm));
    const Eigen::Index count = static_cast<Eigen::Index>(maximum.searches.size());
    Eigen::MatrixXd hyper(count, built[which]->size());
    std::vector<double> log_likelihood, slope;
    std::vector<bool> converged;
    std::vector<int> evaluations;
    for (Eigen::Index i = 0; i < count; ++i) {
      const btg::LikelihoodSearch& search = maximum.searches[i];
      hyper.row(i) = search.eta.transpose();
      log_likelihood.push_back(search.log_likelihood);
      slope.push_back(search.slope);
      converged.push_back(search.converged);
      evaluations.push_back(search.evaluations);
    }
    return NamedList()
        .add("hyper", hyper)
        .add("log_likelihood", log_likelihood)
        .add("slope", slope)
        .add("converged", converged)
        .add("evaluations", evaluations)
        .add("lower", maximum.lower)
        .add("upper", maximum.upper);
  });
}

// Returns the log marginal likelihood and log prior at the rows of `hyper`. With `gradient`, also
// the derivatives of the log marginal likelihood in the coordinates.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_evaluate(const Rcpp::List& models, int which, const Eigen::MatrixXd& hyper,
                         bool gradient, const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const ModelsHandle built(models, run);
    const btg::Model& model = *built[which];
    const Eigen::MatrixXd etas = as_etas(model, hyper);
    Eigen::VectorXd log_marginal(etas.cols()), log_prior(etas.cols());
    if (!gradient) log_marginal = btg::evaluate(model, etas);
    Eigen::MatrixXd gradients(gradient ? etas.cols() : 0, model.size());
    for (Eigen::Index i = 0; i < etas.cols(); ++i) {
      log_prior[i] = model.hyperparameters.log_prior(etas.col(i).data());
      if (gradient) {
        const btg::MarginalGradient at = btg::evaluate_gradient(model, etas.col(i).data());
        log_marginal[i] = at.log_marginal;
        gradients.row(i) = at.gradient.transpose();
      }
    }
    return NamedList()
        .add("log_marginal", log_marginal)
        .add("log_prior", log_prior)
        .add("gradient", gradients);
  });
}

// Completes rows of hyperparameters of equal weight by about `count` draws of latent responses: see
// btg::complete_nodes(). Returns the rows of nodes and their weights.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_complete(const Rcpp::List& models, int which, const Eigen::MatrixXd& hyper,
                         int count, const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const ModelsHandle built(models, run);
    const btg::Model& model = *built[which];
    const Eigen::MatrixXd etas = as_etas(model, hyper);
    const Eigen::VectorXd weights =
        Eigen::VectorXd::Constant(etas.cols(), 1.0 / static_cast<double>(etas.cols()));
    const btg::CompletedNodes nodes = btg::complete_nodes(model, etas, weights, count);
    return NamedList()
        .add("hyper", nodes.etas.transpose().eval())
        .add("weight", nodes.divide(weights));
  });
}

// Returns the trend coefficients, their covariance by columns, and the process variance, with one
// row per row of `hyper`.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_trend(const Rcpp::List& models, int which, const Eigen::MatrixXd& hyper,
                      const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const ModelsHandle built(models, run);
    const btg::Model& model = *built[which];
    const Eigen::MatrixXd etas = as_nodes(model, hyper);
    const Eigen::Index p = model.trend.basis().cols();
    Eigen::MatrixXd coefficients(etas.cols(), p), covariance(etas.cols(), p * p);
    Eigen::VectorXd variance(etas.cols());
    btg::parallel_for(etas.cols(), model.execution, [&](long i) {
      const btg::TrendEstimate trend = btg::estimate_trend(model, etas.col(i).data());
      coefficients.row(i) = trend.coefficients.transpose();
      covariance.row(i) = Eigen::Map<const Eigen::RowVectorXd>(trend.covariance.data(), p * p);
      variance[i] = trend.variance;
    });
    return NamedList()
        .add("coefficients", coefficients)
        .add("covariance", covariance)
        .add("variance", variance)
        .add("degrees_of_freedom", model.degrees_of_freedom());
  });
}

// Draws from the prior of a model at the points, in its scaled response: one column per row of
// `hyper` and per column of `normals`, with a location and a scale on the transformed scale each.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_prior_draws(const Rcpp::List& models, int which, const Eigen::MatrixXd& hyper,
                            const Rcpp::List& points, const Eigen::MatrixXd& normals,
                            const Eigen::VectorXd& location, const Eigen::VectorXd& scale,
                            const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const ModelsHandle built(models, run);
    const btg::Model& model = *built[which];
    return NamedList().add("draws",
                           btg::prior_draws(model, as_etas(model, hyper), as_points(points),
                                            {normals, location, scale}));
  });
}

namespace {

// Estimates the error of predictions by the approximate covariance of a model.
btg::PredictionError prediction_error_at(const btg::Model& model, const Eigen::VectorXd& eta,
                                         const btg::BlockStructure& structure) {
  const std::optional<btg::KernelNode> node = btg::kernel_node(model, eta.data());
  if (!node) throw btg::Error("numerical", "The kernel matrix could not be factored.");
  const Eigen::VectorXd z = btg::complete_response(model, eta.data()).z;
  const btg::LatentFit fit = btg::fit_latent(model, *node, z);
  return btg::prediction_error(structure, *node->factor, model.inputs,
                               node->factor->prepare(fit.residual),
                               std::sqrt(fit.q / model.residual_count()), node->noise);
}

Eigen::Vector2d as_pair(const btg::MeanAndWorst& error) { return {error.mean, error.worst}; }

}  // namespace

// Returns the error of a model's approximate covariance at one value of the hyperparameters, with
// scores in the coordinates of those `moved`, counted from 1; see approximation_error.hpp.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_approximation(const Rcpp::List& models, int which, const Eigen::VectorXd& hyper,
                              const std::vector<int>& moved, const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const ModelsHandle built(models, run);
    const btg::Model& model = *built[which];
    btg::check_nodes(model, hyper);
    const Eigen::Index n = model.site_count();
    const double step = 1e-3;
    const auto covariance_at = [&](const Eigen::VectorXd& eta) -> btg::MovedCovariance {
      return {model.covariance(eta.data()),
              model.noise.variance(n, model.noise_parameters(eta.data()))
                  .cwiseProduct(model.sites.relative_noise(n)),
              step};
    };
    std::vector<btg::MovedCovariance> near;
    for (const int j : from_zero(moved)) {
      const btg::Scale scale = model.hyperparameters[j].scale;
      Eigen::VectorXd eta = hyper;
      eta[j] = btg::from_coordinate(btg::to_coordinate(hyper[j], scale) + step, scale);
      near.push_back(covariance_at(eta));
    }
    const auto& method = dynamic_cast<const btg::BlockMethod&>(*model.factor_method);
    const btg::ApproximationError error = btg::approximation_error(
        method.structure(), model.inputs, covariance_at(hyper), near, model.execution);
    const btg::PredictionError predicted = prediction_error_at(model, hyper, *method.structure());
    return NamedList()
        .add("process", as_pair(predicted.process))
        .add("observation", as_pair(predicted.observation))
        .add("location", as_pair(predicted.location))
        .add("divergence", error.divergence)
        .add("standard_error", error.standard_error)
        .add("score", error.score);
  });
}
