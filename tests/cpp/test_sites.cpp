// Rows that share sites, with weights, against explicit inverses of all rows in long double.
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "btg/base/select_rows.hpp"
#include "btg/model/folds.hpp"
#include "btg/model/sites.hpp"
#include "btg/model/subset.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/node/gradient.hpp"
#include "btg/node/trend_estimate.hpp"
#include "btg/predictive/joint_draws.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/validation/left_out.hpp"
#include "btg/validation/left_out_naive.hpp"
#include "check.hpp"
#include "random_model.hpp"

using btg::Folds;
using btg::LeftOut;
using btg::Likelihood;
using btg::Model;
using btg::Sites;
using btg_compute::Kernel;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::NaiveFit;
using problems::Random;
using problems::RandomModel;

namespace {

// A model whose rows share sites, some of them with no other row, and the trend of its rows.
struct SharedSites {
  RandomModel sites;  // `model` is the one to test
  MatrixXd trend;     // of the rows
  std::vector<int> of_row;
  VectorXd weight;
};

SharedSites make_shared_sites(Random& random, const Kernel& kernel, btg::Form form,
                              const std::vector<std::string>& transform, int p) {
  SharedSites result;
  result.sites = problems::random_model(random, kernel, form, transform, p);
  Model& model = result.sites.model;
  const int m = static_cast<int>(model.inputs.rows());
  for (int i = 0; i < m; ++i) result.of_row.push_back(i);
  for (int i = 0; i < m; ++i) result.of_row.push_back(random.integer(0, m / 2));
  result.weight = random.matrix(2 * m, 1, 0.2, 3);
  result.trend = btg::select_rows(result.sites.trend, result.of_row);
  model.response = random.matrix(2 * m, 1, 0.4, 4);
  model.sites = Sites(result.of_row, result.weight);
  return result;
}

// Rows `kept` of all, by inverses of their K; `out` predicted from them with their own noise.
struct Naive {
  Naive(const SharedSites& shared, const VectorXd& eta, const std::vector<int>& kept) {
    const Model& model = shared.sites.model;
    const double* lambda = model.lambda(eta.data());
    const MatrixXd between = shared.sites.correlation(model.inputs, eta);
    const int n = static_cast<int>(kept.size());
    MatrixXd k(n, n);
    VectorXd z(n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) k(i, j) = between(shared.of_row[kept[i]], shared.of_row[kept[j]]);
      k(i, i) += eta[shared.sites.noise_index()] / shared.weight[kept[i]];
      z[i] = model.transform.forward(model.response[kept[i]], lambda);
      log_jacobian += model.transform.log_derivative(model.response[kept[i]], lambda);
    }
    fit.emplace(k, btg::select_rows(shared.trend, kept), z);
  }
  // Of the correlations of all sites with some points, what belongs to the rows kept.
  static MatrixXd rows_of(const SharedSites& shared, const MatrixXd& cross,
                          const std::vector<int>& kept) {
    std::vector<int> sites;
    for (int row : kept) sites.push_back(shared.of_row[row]);
    return btg::select_rows(cross, sites);
  }
  double log_marginal(Likelihood likelihood) const {
    return likelihood == Likelihood::profiled ? fit->log_profile(log_jacobian)
                                              : fit->log_marginal(log_jacobian);
  }

  std::optional<NaiveFit> fit;
  double log_jacobian = 0.0;
};

std::vector<int> all_rows(const SharedSites& shared) {
  std::vector<int> rows(shared.of_row.size());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

double evaluate_one(const Model& model, const VectorXd& eta) {
  return btg::evaluate(model, eta)[0];
}

// Kernels and transforms in turn, with 1 to 3 trend columns and both likelihoods.
template <class Body>
void for_each(Body body) {
  Random random(11);
  const std::vector<std::vector<std::string>> transforms = {
      {}, {"sinharcsinh"}, {"boxcox"}, {"affine", "arcsinh"}};
  int turn = 0;
  for (const Kernel& kernel : problems::kernels()) {
    for (const auto& transform : transforms) {
      const int p = 1 + turn % 3;
      const btg::Form form = turn % 2 == 0 ? btg::Form::product : btg::Form::radial;
      SharedSites shared = make_shared_sites(random, kernel, form, transform, p);
      if (turn++ % 4 == 3) shared.sites.model.likelihood = Likelihood::profiled;
      body(shared, shared.sites.random_eta(random), random);
    }
  }
}

}  // namespace

TEST("the likelihood is that of all rows") {
  for_each([](const SharedSites& shared, const VectorXd& eta, Random&) {
    const Model& model = shared.sites.model;
    CHECK(model.sites.replicated());
    const Naive naive(shared, eta, all_rows(shared));
    CHECK_CLOSE(evaluate_one(model, eta), naive.log_marginal(model.likelihood), 1e-9);
    CHECK_CLOSE(evaluate_one(btg::spread_out(model), eta), naive.log_marginal(model.likelihood),
                1e-9);
  });
}

TEST("weights of rows that share no sites") {
  for_each([](const SharedSites& given, const VectorXd& eta, Random&) {
    SharedSites shared = given;
    const int m = static_cast<int>(shared.sites.model.inputs.rows());
    shared.of_row.resize(m);
    shared.weight.conservativeResize(m);
    shared.trend = shared.sites.trend;
    shared.sites.model.response.conservativeResize(m);
    shared.sites.model.sites = btg::weighted_rows(shared.weight);
    const Naive naive(shared, eta, all_rows(shared));
    CHECK_CLOSE(evaluate_one(shared.sites.model, eta),
                naive.log_marginal(shared.sites.model.likelihood), 1e-9);
  });
}

TEST("derivatives are those of differences") {
  for_each([](const SharedSites& shared, const VectorXd& eta, Random&) {
    for (const Model& model : {shared.sites.model, btg::spread_out(shared.sites.model)}) {
      const btg::MarginalGradient at = btg::evaluate_gradient(model, eta.data());
      CHECK_CLOSE(at.log_marginal, evaluate_one(model, eta), 1e-10);
      for (int j = 0; j < model.size(); ++j) {
        const btg::Scale scale = model.hyperparameters[j].scale;
        const double expected = problems::difference(
            [&](double coordinate) {
              VectorXd moved = eta;
              moved[j] = btg::from_coordinate(coordinate, scale);
              return evaluate_one(model, moved);
            },
            btg::to_coordinate(eta[j], scale), 0.01);
        CHECK_CLOSE(at.gradient[j], expected, 1e-6);
      }
    }
  });
}

TEST("predictions are those of all rows, each point with the noise of its weight") {
  for_each([](const SharedSites& shared, const VectorXd& eta, Random& random) {
    const Model& model = shared.sites.model;
    const Naive naive(shared, eta, all_rows(shared));
    MatrixXd points = random.matrix(4, 3, -2, 2);
    points.row(1) = model.inputs.row(0);
    const MatrixXd trend = random.polynomial_trend(4, static_cast<int>(shared.trend.cols()));
    const MatrixXd cross =
        Naive::rows_of(shared, shared.sites.correlation(points, eta), all_rows(shared));
    VectorXd relative_noise(4);
    relative_noise << 0, 1, 0.2, 3;
    const btg::LatentValues latent =
        problems::latent_values(model, eta, problems::points_at(points, trend, relative_noise));
    const double n = static_cast<double>(shared.of_row.size());
    const double p = static_cast<double>(trend.cols());
    const double to_profile =
        model.likelihood == Likelihood::profiled ? std::sqrt((n - p) / n) : 1.0;
    for (int j = 0; j < 4; ++j) {
      const double c0 = 1 + eta[shared.sites.noise_index()] * relative_noise[j];
      CHECK_CLOSE(latent.location(0, j), naive.fit->location(cross.col(j), trend.row(j)), 1e-9);
      CHECK_CLOSE(latent.scale(0, j), to_profile * naive.fit->scale(cross.col(j), trend.row(j), c0),
                  1e-9);
    }
  });
}

TEST("the trend's coefficients are those of all rows") {
  for_each([](const SharedSites& shared, const VectorXd& eta, Random&) {
    const Model& model = shared.sites.model;
    const Naive naive(shared, eta, all_rows(shared));
    const btg::TrendEstimate trend = btg::estimate_trend(model, eta.data());
    const double variance = static_cast<double>(naive.fit->q) / model.residual_count();
    CHECK_CLOSE(trend.variance, variance, 1e-9);
    for (Eigen::Index i = 0; i < shared.trend.cols(); ++i) {
      CHECK_CLOSE(trend.coefficients[i], static_cast<double>(naive.fit->beta[i]), 1e-7);
      CHECK_CLOSE(trend.covariance(i, i),
                  variance * static_cast<double>(naive.fit->a_inverse(i, i)), 1e-7);
    }
  });
}

TEST("rows and folds left out are those of refits to all other rows") {
  for_each([](const SharedSites& shared, const VectorXd& eta, Random& random) {
    const Model& model = shared.sites.model;
    if (model.likelihood == Likelihood::profiled) return;
    const int n = static_cast<int>(shared.of_row.size());
    std::vector<int> three(n), by_site(n);
    for (int i = 0; i < n; ++i) {
      three[i] = i < 3 ? i : random.integer(0, 2);
      by_site[i] = shared.of_row[i] % 4;
    }
    for (const Folds& folds :
         {btg::leave_one_out(n), btg::make_folds(three, 3), btg::make_folds(by_site, 4)}) {
      for (bool observation : {true, false}) {
        const LeftOut fast = btg::leave_out(model, eta, folds, observation);
        const LeftOut refit = btg::leave_out_naive(model, eta, folds, observation);
        for (int fold = 0; fold < folds.count(); ++fold) {
          if (fast.status[fold] != btg::FoldStatus::predicted) continue;
          CHECK(fast.degrees_of_freedom[fold] == n - folds.size(fold) - shared.trend.cols());
          const Naive naive(shared, eta, folds.kept(fold));
          const double full = Naive(shared, eta, all_rows(shared)).log_marginal(model.likelihood);
          CHECK_CLOSE(fast.log_marginal(0, fold) - fast.full_log_marginal[0],
                      naive.log_marginal(model.likelihood) - full, 1e-7);
          CHECK_CLOSE(refit.log_marginal(0, fold), fast.log_marginal(0, fold), 1e-7);
          const MatrixXd cross =
              Naive::rows_of(shared, shared.sites.correlation(model.inputs, eta), folds.kept(fold));
          for (int row : folds.rows(fold)) {
            const double noise = eta[shared.sites.noise_index()] / shared.weight[row];
            const VectorXd k = cross.col(shared.of_row[row]);
            const VectorXd trend = shared.trend.row(row);
            CHECK_CLOSE(fast.location(0, row), naive.fit->location(k, trend), 1e-7);
            CHECK_CLOSE(fast.scale(0, row), naive.fit->scale(k, trend, observation ? 1 + noise : 1),
                        1e-7);
            CHECK_CLOSE(refit.location(0, row), fast.location(0, row), 1e-7);
            CHECK_CLOSE(refit.scale(0, row), fast.scale(0, row), 1e-7);
          }
        }
      }
    }
  });
}

TEST("an outlier among replicates, which cancels from q, is left out exactly") {
  Random random(5);
  for (const Kernel& kernel : problems::kernels()) {
    SharedSites shared = make_shared_sites(random, kernel, btg::Form::radial, {}, 1);
    Model& model = shared.sites.model;
    const int n = static_cast<int>(shared.of_row.size());
    model.response[n - 1] = 1e6;
    VectorXd eta = shared.sites.random_eta(random);
    eta[shared.sites.noise_index()] = 0.01;
    const LeftOut fast = btg::leave_out(model, eta, btg::leave_one_out(n), true);
    const Naive naive(shared, eta, btg::leave_one_out(n).kept(n - 1));
    const MatrixXd cross = Naive::rows_of(shared, shared.sites.correlation(model.inputs, eta),
                                          btg::leave_one_out(n).kept(n - 1));
    const double c0 = 1 + 0.01 / shared.weight[n - 1];
    CHECK_CLOSE(fast.scale(0, n - 1) /
                    naive.fit->scale(cross.col(shared.of_row[n - 1]), shared.trend.row(n - 1), c0),
                1, 1e-6);
  }
}

TEST("joint draws have the noise of each point's weight") {
  Random random(6);
  const SharedSites shared =
      make_shared_sites(random, problems::kernels().front(), btg::Form::radial, {}, 1);
  const Model& model = shared.sites.model;
  const VectorXd eta = shared.sites.random_eta(random);
  const MatrixXd points = random.matrix(3, 3), trend = MatrixXd::Ones(3, 1);
  const auto covariance = [&](const VectorXd& relative_noise) -> MatrixXd {
    const btg::Points at = problems::points_at(points, trend, relative_noise);
    const MatrixXd draws = problems::joint_draws(
        model, eta, at, {{0, 0, 0}, MatrixXd::Identity(3, 3), VectorXd::Ones(3)});
    const MatrixXd root =
        draws.colwise() - VectorXd(problems::latent_values(model, eta, at).location.transpose());
    return root * root.transpose();
  };
  const double tau = btg::estimate_trend(model, eta.data()).variance;
  const VectorXd noise = Eigen::Vector3d(0.5, 2, 0);
  const MatrixXd difference = covariance(noise) - covariance(VectorXd::Zero(3));
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double expected = i == j ? tau * eta[shared.sites.noise_index()] * noise[i] : 0.0;
      CHECK_CLOSE(difference(i, j), expected, 1e-8);
    }
  }
}

TEST("replicates without noise have the floor of the noise between them, as all rows would") {
  Random random(7);
  for (const Kernel& kernel : problems::kernels()) {
    const SharedSites shared = make_shared_sites(random, kernel, btg::Form::radial, {}, 1);
    VectorXd eta = shared.sites.random_eta(random);
    eta[shared.sites.noise_index()] = 1e-18;
    CHECK(std::isinf(evaluate_one(shared.sites.model, eta)));
    eta[shared.sites.noise_index()] = 1e-10;
    const double with_noise = evaluate_one(shared.sites.model, eta);
    eta[shared.sites.noise_index()] = 1e-18;
    Model model = shared.sites.model;
    model.noise.set_floor(1e-10);
    CHECK_CLOSE(evaluate_one(model, eta), with_noise, 1e-6);
  }
}

TEST("sites are found by columns of inputs, trend and noise") {
  MatrixXd columns(5, 3);
  columns << 1, 2, 1, 3, 4, 1, 1, 2, 1, 1, 2, 2, 3, 4, 1;
  const VectorXd weight = VectorXd::LinSpaced(5, 1, 5);
  const Sites sites = btg::find_sites(columns, weight);
  CHECK((sites.first_rows() == std::vector<int>{0, 1, 3}));
  const std::vector<int> expected = {0, 1, 0, 2, 1};
  for (int i = 0; i < 5; ++i) CHECK(sites.of_row(i) == expected[i]);
  CHECK(sites.replicated());
  CHECK_CLOSE(sites.share(2), 0.75, 1e-15);
  CHECK_CLOSE(sites.relative_noise(3)[1], 1.0 / 7, 1e-15);
  CHECK(!btg::weighted_rows(weight).replicated());
  CHECK(btg::weighted_rows(weight).within_element(1, 1, weight) == 0.0);
}
