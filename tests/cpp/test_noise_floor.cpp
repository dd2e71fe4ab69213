// Noise-free smooth functions, where K is singular to rounding without the floor of the noise.
// Likelihoods, gradients, predictions, left-out rows and draws are those of one model, as computed
// in long double.
#include <Eigen/Core>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "block_models.hpp"
#include "btg/backend/compute_eigen.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/node/gradient.hpp"
#include "btg/predictive/joint_draws.hpp"
#include "btg/transforms/registry.hpp"
#include "btg/validation/left_out.hpp"
#include "btg/validation/left_out_naive.hpp"
#include "check.hpp"
#include "random_model.hpp"

using btg::Model;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Long;
using problems::LongMatrix;
using problems::LongVector;
using problems::NaiveFit;
using problems::Random;
using problems::widen;

namespace {

// Without a transform, with a constant trend and a lengthscale for each input. The noise is last.
Model smooth_model(Random& random, const std::string& kernel, int n, int d) {
  Model model;
  model.compute = &btg::eigen_compute();
  for (const btg_compute::Kernel& one : problems::kernels()) {
    if (one.name == kernel) model.terms = {btg::main_term(one, btg::Form::radial, d)};
  }
  std::vector<btg::Hyperparameter> all(
      d, {"", btg::Role::length_scale, btg::Scale::positive, std::nullopt, 1.0});
  all.push_back({"", btg::Role::noise, btg::Scale::positive, std::nullopt, 1.0});
  for (int k = 0; k < d; ++k) model.length_scale_of_column.push_back(k);
  model.hyperparameters = btg::Hyperparameters(all);
  model.inputs = random.matrix(n, d, 0, 1);
  model.trend = btg::Trend(MatrixXd::Ones(n, 1));
  model.response.resize(n);
  for (int i = 0; i < n; ++i) {
    const auto x = model.inputs.row(i);
    model.response[i] = std::exp(x[0]) * (1 + x[d / 2] * x[d - 1]) + std::sin(3 * x[d / 3]);
  }
  model.noise.set_floor(btg::noise_floor(n, 1.0));
  return model;
}

VectorXd smooth_eta(Random& random, int d, double noise) {
  VectorXd eta(d + 1);
  for (int k = 0; k < d; ++k) eta[k] = std::sqrt(d) * random.uniform(1.0, 2.0);
  eta[d] = noise;
  return eta;
}

// The correlations between points, by the formulas of the kernels.
LongMatrix correlation(const Model& model, const MatrixXd& a, const MatrixXd& b,
                       const LongVector& eta) {
  LongMatrix r(a.rows(), b.rows());
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    for (Eigen::Index j = 0; j < b.rows(); ++j) {
      Long squares = 0;
      for (Eigen::Index k = 0; k < a.cols(); ++k) {
        const Long difference = (Long(a(i, k)) - Long(b(j, k))) / eta[k];
        squares += difference * difference;
      }
      const Long s = std::sqrt(5 * squares);
      r(i, j) = std::string(model.terms[0].kernel->name) == "rbf"
                    ? std::exp(-squares / 2)
                    : (1 + s + 5 * squares / 3) * std::exp(-s);
    }
  }
  return r;
}

Long noise_of(const Model& model, const LongVector& eta) {
  return eta[eta.size() - 1] + Long(model.noise.floor());
}

NaiveFit naive_fit(const Model& model, const LongVector& eta, const std::vector<int>& rows) {
  const MatrixXd inputs = btg::select_rows(model.inputs, rows);
  LongMatrix k = correlation(model, inputs, inputs, eta);
  k.diagonal().array() += noise_of(model, eta);
  return {k, LongMatrix::Ones(inputs.rows(), 1),
          widen(btg::select_rows(model.response, rows)).col(0)};
}

std::vector<int> rows_except(const Model& model, int left_out) {
  std::vector<int> rows;
  for (int i = 0; i < model.response.size(); ++i) {
    if (i != left_out) rows.push_back(i);
  }
  return rows;
}

// Location and scale at each point, for an observation or the process.
struct Prediction {
  Prediction(const Model& model, const LongVector& eta, const NaiveFit& fit, const MatrixXd& inputs,
             const MatrixXd& points, bool observation) {
    const LongMatrix cross = correlation(model, inputs, points, eta);
    const Long c0 = 1 + (observation ? noise_of(model, eta) : 0);
    for (Eigen::Index j = 0; j < points.rows(); ++j) {
      const LongVector one = LongVector::Ones(1);
      location.push_back(double(fit.long_location(cross.col(j), one)));
      scale.push_back(double(
          std::sqrt(fit.q * fit.long_variance(cross.col(j), one, c0) / Long(fit.z.size() - 1))));
    }
  }
  std::vector<double> location, scale;
};

// body(model, eta, random) for smooth kernels, several sizes and noises at and below the floor.
template <class Body>
void for_each(const std::vector<int>& sizes, Body body) {
  Random random(1);
  for (const char* kernel : {"rbf", "matern52"}) {
    for (const int n : sizes) {
      for (const int d : {1, 2, 4, 8}) {
        const Model model = smooth_model(random, kernel, n, d);
        for (const double noise : {0.0, 1e-16, 1e-12}) {
          body(model, smooth_eta(random, d, noise), random);
        }
      }
    }
  }
}

}  // namespace

TEST("the log likelihood and its gradient are those in long double") {
  for_each({30, 100}, [](const Model& model, const VectorXd& eta, Random&) {
    const std::vector<int> rows = rows_except(model, -1);
    const btg::MarginalGradient found = btg::evaluate_gradient(model, eta.data());
    CHECK_CLOSE(btg::evaluate(model, eta)[0] - naive_fit(model, widen(eta), rows).log_marginal(0.0),
                0, 3e-3);
    for (int j = 0; j < eta.size(); ++j) {
      const auto along = [&](double by) {
        LongVector moved = widen(eta);
        moved[j] *= std::exp(Long(by));
        const NaiveFit fit = naive_fit(model, moved, rows);
        const Long n = fit.z.size();
        return -fit.half_log_det - (n - 1) / 2 * std::log(fit.q);
      };
      // Differences keep the digits of the long doubles.
      const double step = 1e-3;
      const double slope = double((along(step) - along(-step)) / (2 * step));
      CHECK_CLOSE(found.gradient[j], slope, 2e-3);
    }
  });
}

TEST("predictions are those in long double, with the floor as noise of observations") {
  for_each({30, 100}, [](const Model& model, const VectorXd& eta, Random& random) {
    const int d = int(model.inputs.cols()), count = 6;
    const NaiveFit fit = naive_fit(model, widen(eta), rows_except(model, -1));
    MatrixXd points = random.matrix(count, d, 0, 1);
    points.row(0) = model.inputs.row(0);  // at a datum, nothing but noise is unknown
    for (const bool observation : {true, false}) {
      const btg::LatentValues found = problems::latent_values(
          model, eta, problems::points_at(points, MatrixXd::Ones(count, 1), observation));
      const Prediction naive(model, widen(eta), fit, model.inputs, points, observation);
      for (int j = 0; j < count; ++j) {
        // At the floor, rounding moves locations by about 1% of a scale; how much depends on the
        // order of operations.
        CHECK_CLOSE((found.location(0, j) - naive.location[j]) / naive.scale[j], 0, 2e-2);
        CHECK_CLOSE(found.scale(0, j) / naive.scale[j], 1, 1e-2);
      }
    }
  });
}

TEST("left-out rows are those of refits in long double with the floor of all rows") {
  for_each({40}, [](const Model& model, const VectorXd& eta, Random&) {
    const int n = int(model.response.size());
    for (const bool observation : {true, false}) {
      const btg::Folds folds = btg::leave_one_out(n);
      const btg::LeftOut fast = btg::leave_out(model, eta, folds, observation);
      const btg::LeftOut refitted = btg::leave_out_naive(model, eta, folds, observation);
      for (int row = 0; row < n; row += 13) {
        const std::vector<int> rows = rows_except(model, row);
        const NaiveFit fit = naive_fit(model, widen(eta), rows);
        const Prediction naive(model, widen(eta), fit, btg::select_rows(model.inputs, rows),
                               model.inputs.row(row), observation);
        for (const btg::LeftOut* found : {&fast, &refitted}) {
          CHECK_CLOSE((found->location(0, row) - naive.location[0]) / naive.scale[0], 0, 2e-2);
          CHECK_CLOSE(found->scale(0, row) / naive.scale[0], 1, 1e-2);
          CHECK_CLOSE(found->log_marginal(0, row) - fit.log_marginal(0.0), 0, 1e-2);
        }
      }
    }
  });
}

TEST("a block factor with all neighbours is the same model") {
  for_each({100}, [](const Model& model, const VectorXd& eta, Random& random) {
    const int d = int(model.inputs.cols()), count = 6;
    const NaiveFit fit = naive_fit(model, widen(eta), rows_except(model, -1));
    const MatrixXd points = random.matrix(count, d, 0, 1);
    const Prediction naive(model, widen(eta), fit, model.inputs, points, false);
    for (const int inducing : {0, 20}) {
      const Model block = blocks::with_blocks(model, {100, 10, inducing, 0});
      CHECK_CLOSE(btg::evaluate(block, eta)[0] - fit.log_marginal(0.0), 0, 2e-2);
      const btg::LatentValues found = problems::latent_values(
          block, eta, problems::points_at(points, MatrixXd::Ones(count, 1), false));
      for (int j = 0; j < count; ++j) {
        CHECK_CLOSE((found.location(0, j) - naive.location[j]) / naive.scale[j], 0, 2e-2);
        CHECK_CLOSE(found.scale(0, j) / naive.scale[j], 1, 2e-2);
      }
    }
  });
}

TEST("draws of observations have the covariance in long double") {
  for_each({30}, [](const Model& model, const VectorXd& eta, Random& random) {
    const int m = 4;
    const NaiveFit fit = naive_fit(model, widen(eta), rows_except(model, -1));
    const MatrixXd points = random.matrix(m, int(model.inputs.cols()), 0, 1);
    const btg::Points at = problems::points_at(points, MatrixXd::Ones(m, 1), true);
    const MatrixXd draws = problems::joint_draws(
        model, eta, at, {std::vector<int>(m, 0), MatrixXd::Identity(m, m), VectorXd::Ones(m)});
    const LongMatrix k = correlation(model, model.inputs, points, widen(eta));
    const LongMatrix white_k = problems::solve(fit.l, k), white_m = problems::solve(fit.l, fit.m);
    const LongMatrix u = LongMatrix::Ones(1, m) - problems::transposed_times(white_m, white_k);
    LongMatrix c = correlation(model, points, points, widen(eta)) -
                   problems::transposed_times(white_k, white_k) +
                   problems::transposed_times(u, problems::times(fit.a_inverse, u));
    c.diagonal().array() += noise_of(model, widen(eta));
    c *= fit.q / Long(fit.z.size() - 1);
    const VectorXd location = problems::latent_values(model, eta, at).location.row(0).transpose();
    const MatrixXd root = draws.colwise() - location;
    const MatrixXd found = root * root.transpose();
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < m; ++j) {
        const double unit = double(std::sqrt(c(i, i) * c(j, j)));
        CHECK_CLOSE((found(i, j) - double(c(i, j))) / unit, 0, 0.1);
      }
    }
  });
}

TEST("the floor covers the heaviest site, and replicates without noise share sites") {
  Random random(5);
  Model model = smooth_model(random, "rbf", 20, 2);
  std::vector<int> site_of_row;
  for (int a = 0; a < 20; ++a) site_of_row.insert(site_of_row.end(), a % 3 == 0 ? 4 : 1, a);
  const int rows = int(site_of_row.size());
  model.sites = btg::Sites(site_of_row, VectorXd::Ones(rows));
  VectorXd response(rows);
  for (int i = 0; i < rows; ++i) response[i] = model.response[site_of_row[i]];
  model.response = response;
  model.noise.set_floor(btg::noise_floor(20, 4.0));
  const VectorXd eta = smooth_eta(random, 2, 0.0);
  Model spread = model;
  spread.inputs = btg::select_rows(model.inputs, site_of_row);
  const NaiveFit fit = naive_fit(spread, widen(eta), rows_except(spread, -1));
  CHECK_CLOSE(btg::evaluate(model, eta)[0] - fit.log_marginal(0.0), 0, 3e-3);
}
