// The posterior of one model, and its likelihood.
#include "as.h"
#include "btg/factor/approximation_error.hpp"
#include "btg/node/trend_estimate.hpp"
#include "btg/quadrature/rules/registry.hpp"

// `known`, if there are any, are modes list(point, precision, share) to look from: see
// btg::KnownMode. `run$evaluate`, if there is one, is who evaluates likelihoods: a function of rows
// of hyperparameters and of whether gradients are wanted, whose answers are core_evaluate's.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_fit(const Rcpp::List& design, const Rcpp::List& model, const std::string& rule,
                    const Rcpp::List& options, double epsilon, const Rcpp::List& known,
                    const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const btg::Rule& chosen = btg::find_rule(rule);
    return as_list(btg::integrate(as_model(design, model, run), chosen,
                                  as_rule_options(options, chosen.default_options()), epsilon,
                                  as_known_modes(known), as_evaluator(run)));
  });
}

// The modes of the posterior, as those of core_fit, and the work of finding them.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_modes(const Rcpp::List& design, const Rcpp::List& model, const Rcpp::List& known,
                      const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    btg::Work work;
    const std::vector<btg::PosteriorMode> modes =
        btg::find_modes(as_model(design, model, run), as_known_modes(known), work);
    return Rcpp::List::create(Rcpp::Named("modes") = as_list(modes),
                              Rcpp::Named("likelihoods") = work.likelihoods,
                              Rcpp::Named("gradients") = work.gradients);
  });
}

// Log marginal likelihood, log prior and jitter at the rows of `hyper`; with
// `gradient`, also the derivatives of the log marginal in the coordinates.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_evaluate(const Rcpp::List& design, const Rcpp::List& model,
                         const Eigen::MatrixXd& hyper, bool gradient, const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const btg::Model all = as_model(design, model, run);
    const Eigen::MatrixXd etas = hyper.transpose();
    btg::check_nodes(all, etas);
    btg::Evaluation evaluation{Eigen::VectorXd(etas.cols()), Eigen::VectorXd(etas.cols())};
    if (!gradient) evaluation = btg::evaluate(all, etas);
    Eigen::VectorXd log_prior(etas.cols());
    Eigen::MatrixXd gradients(gradient ? etas.cols() : 0, all.size());
    for (Eigen::Index i = 0; i < etas.cols(); ++i) {
      log_prior[i] = all.hyperparameters.log_prior(etas.col(i).data());
      if (gradient) {
        const btg::MarginalGradient at = btg::evaluate_gradient(all, etas.col(i).data());
        evaluation.log_marginal[i] = at.log_marginal;
        evaluation.jitter[i] = at.jitter;
        gradients.row(i) = at.gradient.transpose();
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
Rcpp::List core_likelihood(const Rcpp::List& design, const Rcpp::List& model,
                           const Eigen::VectorXd& hyper, const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const btg::Model all = as_model(design, model, run);
    btg::check_nodes(all, hyper);
    const btg::MarginalGradient at = btg::evaluate_gradient(all, hyper.data());
    return Rcpp::List::create(Rcpp::Named("log_likelihood") = at.log_marginal,
                              Rcpp::Named("gradient") = at.gradient,
                              Rcpp::Named("jitter") = at.jitter);
  });
}

// The trend's coefficients, their covariance by columns, and the variance of the process: a row
// each for every row of `hyper`.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_trend(const Rcpp::List& design, const Rcpp::List& model,
                      const Eigen::MatrixXd& hyper, const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const btg::Model all = as_model(design, model, run);
    const Eigen::MatrixXd etas = hyper.transpose();
    btg::check_nodes(all, etas);
    const Eigen::Index p = all.trend.basis().cols();
    Eigen::MatrixXd coefficients(etas.cols(), p), covariance(etas.cols(), p * p);
    Eigen::VectorXd variance(etas.cols());
    btg::parallel_for(etas.cols(), all.execution, [&](long i) {
      const btg::TrendEstimate trend = btg::estimate_trend(all, etas.col(i).data());
      coefficients.row(i) = trend.coefficients.transpose();
      covariance.row(i) = Eigen::Map<const Eigen::RowVectorXd>(trend.covariance.data(), p * p);
      variance[i] = trend.variance;
    });
    return Rcpp::List::create(Rcpp::Named("coefficients") = coefficients,
                              Rcpp::Named("covariance") = covariance,
                              Rcpp::Named("variance") = variance);
  });
}

// How far the approximation of a model's covariance is from the covariance, at one value of all
// hyperparameters, with the scores in the coordinates of those `moved`, from 1: see
// approximation_error.hpp.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_approximation(const Rcpp::List& design, const Rcpp::List& model,
                              const Eigen::VectorXd& hyper, const std::vector<int>& moved,
                              const Rcpp::List& run) {
  return guard([&]() -> Rcpp::List {
    const btg::Model all = as_model(design, model, run);
    btg::check_nodes(all, hyper);
    const Eigen::Index n = all.site_count();
    const double step = 1e-3;
    const auto covariance_at = [&](const Eigen::VectorXd& eta) -> btg::MovedCovariance {
      return {all.covariance(eta.data()),
              all.noise.variance(n, all.noise_parameters(eta.data()))
                  .cwiseProduct(all.sites.relative_noise(n)),
              step};
    };
    std::vector<btg::MovedCovariance> near;
    for (const int j : from_zero(moved)) {
      const btg::Scale scale = all.hyperparameters[j].scale;
      Eigen::VectorXd eta = hyper;
      eta[j] = btg::from_coordinate(btg::to_coordinate(hyper[j], scale) + step, scale);
      near.push_back(covariance_at(eta));
    }
    const btg::ApproximationError error = btg::approximation_error(
        as_block_structure(model, all), all.inputs, covariance_at(hyper), near, all.execution);
    return Rcpp::List::create(
        Rcpp::Named("inflation") = error.inflation, Rcpp::Named("divergence") = error.divergence,
        Rcpp::Named("standard_error") = error.standard_error, Rcpp::Named("score") = error.score);
  });
}

// At how many distinct inputs and trend columns there are data, as far as that is made use of.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_sites(const Rcpp::List& design, const Rcpp::List& model) {
  return guard([&]() -> Rcpp::List {
    const Rcpp::List run =
        Rcpp::List::create(Rcpp::Named("linear_algebra") = "portable", Rcpp::Named("threads") = 1);
    return Rcpp::List::create(Rcpp::Named("count") =
                                  static_cast<int>(as_model(design, model, run).site_count()));
  });
}
