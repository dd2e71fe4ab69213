// Likelihoods of censored rows against integrals of the likelihood of complete data, and their
// limits: intervals that shrink to a point or cover everything. Gradients by differences.
#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <vector>

#include "btg/base/constants.hpp"
#include "btg/base/parameter.hpp"
#include "btg/model/censored.hpp"
#include "btg/model/latent_response.hpp"
#include "btg/model/subset.hpp"
#include "btg/node/completion.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/node/gradient.hpp"
#include "btg/posterior/completed_nodes.hpp"
#include "censored_model.hpp"
#include "check.hpp"

using btg::Model;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Random;
using problems::RandomModel;

namespace {

const double infinity = std::numeric_limits<double>::infinity();

double value_at(const Model& model, const VectorXd& eta) { return btg::evaluate(model, eta)[0]; }

// log Gamma((n_o - p) / 2) + c/2 log(pi) - log Gamma((n - p) / 2): what integrating c latent
// responses adds to the constant of the likelihood.
double constant_of(const Model& model) {
  const double n = static_cast<double>(model.response.size());
  const double p = static_cast<double>(model.trend.basis().cols());
  const double c = model.censored.count();
  return std::lgamma(0.5 * (n - c - p)) + 0.5 * c * std::log(btg::pi) - std::lgamma(0.5 * (n - p));
}

}  // namespace

TEST("likelihoods integrate latent responses") {
  Random random(11);
  for (const double below : {0.1, -infinity}) {
    for (const double above : {5.0, infinity}) {
      const RandomModel made = problems::censored_model(random, 2, below, above, 8192);
      const VectorXd eta = made.random_eta(random);
      const double expected =
          problems::integrated_marginal(made, eta, {0, 2}, {}) - constant_of(made.model);
      CHECK_CLOSE(value_at(made.model, eta) - expected, 0.0, 1e-3);
    }
  }
}

TEST("short intervals are exact responses") {
  Random random(12);
  RandomModel made = problems::censored_model(random, 1, 0.0, 1.0, 64);
  Model& model = made.model;
  const double h = 1e-5;
  const VectorXd y = VectorXd::Map(model.response.data(), 3);
  VectorXd lower(2), upper(2);
  lower << y[0] - h, y[2] - h;
  upper << y[0] + h, y[2] + h;
  model.censored = btg::Censored({0, 2}, lower, upper, 4096);
  const VectorXd eta = made.random_eta(random), other = made.random_eta(random);
  const auto complete = [&](const VectorXd& at) {
    const double* lambda = model.lambda(at.data());
    VectorXd node(model.node_size());
    node << at, model.transform.forward(y[0], lambda), model.transform.forward(y[2], lambda);
    return problems::integrated_marginal(made, node, {}, {}) +
           model.transform.log_derivative(y[0], lambda) +
           model.transform.log_derivative(y[2], lambda);
  };
  CHECK_CLOSE(value_at(model, eta) - value_at(model, other), complete(eta) - complete(other), 1e-4);
}

TEST("unlimited intervals are no data") {
  Random random(13);
  RandomModel made = problems::censored_model(random, 2, 0.0, 1.0, 64);
  Model& model = made.model;
  const VectorXd ends = VectorXd::Constant(2, infinity);
  model.censored = btg::Censored({0, 2}, -ends, ends);
  std::vector<int> rows = btg::all_rows(model);
  rows.erase(rows.begin() + 2);
  rows.erase(rows.begin());
  const Model without = btg::keep_rows(model, rows);
  CHECK(without.censored.empty());
  const VectorXd eta = made.random_eta(random), other = made.random_eta(random);
  CHECK_CLOSE(value_at(model, eta) - value_at(model, other),
              value_at(without, eta) - value_at(without, other), 1e-9);
  const VectorXd gradient = btg::evaluate_gradient(without, eta.data()).gradient;
  CHECK(gradient.allFinite());
}

TEST("gradients are differences of likelihoods") {
  Random random(14);
  for (const double below : {0.1, -infinity}) {
    const RandomModel made = problems::censored_model(random, 2, below, infinity, 8192);
    const Model& model = made.model;
    const VectorXd eta = made.random_eta(random);
    const btg::MarginalGradient at = btg::evaluate_gradient(model, eta.data());
    CHECK_CLOSE(at.log_marginal, value_at(model, eta), 1e-12);
    for (int j = 0; j < model.size(); ++j) {
      const btg::Scale scale = model.hyperparameters[j].scale;
      const double numeric = problems::difference(
          [&](double x) {
            VectorXd moved = eta;
            moved[j] = btg::from_coordinate(x, scale);
            return value_at(model, moved);
          },
          btg::to_coordinate(eta[j], scale), 1e-2);
      CHECK_CLOSE(at.gradient[j], numeric, 5e-3);
    }
  }
}

namespace {

// The first `count` rows of a random model, in intervals around transformed responses of different
// widths; the last one has no upper limit if `open`.
struct IntervalModel {
  RandomModel made;
  VectorXd lower, upper;
};

IntervalModel interval_model(Random& random, int p, int count, bool open, int points) {
  RandomModel made = problems::random_model(random, problems::kernels()[0], btg::Form::radial,
                                            {"affine", "sinharcsinh"}, p);
  std::vector<int> rows = btg::all_rows(made.model);
  rows.resize(count);
  made.trend = MatrixXd(made.trend.topRows(count));
  made.model = btg::keep_rows(made.model, rows);
  made.model.trend = btg::Trend(made.trend);
  IntervalModel result{made, VectorXd(count), VectorXd(count)};
  for (int k = 0; k < count; ++k) {
    // Limits that no constant or line passes through.
    const double middle = (k % 2 == 0 ? 2.0 : -2.0) + 0.3 * k;
    result.lower[k] = middle - random.uniform(0.2, 1.2);
    result.upper[k] = middle + random.uniform(0.2, 1.2);
  }
  if (open) result.upper[count - 1] = infinity;
  result.made.model.censored = btg::Censored(rows, result.lower, result.upper, points);
  return result;
}

// The log of the integral of (z'Q z)^(-(n-p)/2) over the box of z, by a grid of midpoints in s with
// z = l + (u - l) s or, without an upper limit, z = l + s / (1 - s), and of the means of z.
double grid_integral(const MatrixXd& q, const VectorXd& l, const VectorXd& u, int p, int cells,
                     VectorXd& mean) {
  const int n = static_cast<int>(l.size());
  VectorXd z(n);
  std::vector<int> at(n, 0);
  double sum = 0.0;
  mean = VectorXd::Zero(n);
  while (true) {
    double volume = 1.0;
    for (int k = 0; k < n; ++k) {
      const double s = (at[k] + 0.5) / cells;
      z[k] = std::isinf(u[k]) ? l[k] + s / (1.0 - s) : l[k] + (u[k] - l[k]) * s;
      volume *= (std::isinf(u[k]) ? 1.0 / ((1.0 - s) * (1.0 - s)) : u[k] - l[k]) / cells;
    }
    const double density = volume * std::pow(z.dot(q * z), -0.5 * (n - p));
    sum += density;
    mean += density * z;
    int k = 0;
    while (k < n && ++at[k] == cells) at[k++] = 0;
    if (k == n) break;
  }
  mean /= sum;
  return std::log(sum);
}

}  // namespace

TEST("without exact rows, likelihoods integrate the density of complete data") {
  Random random(21);
  struct Case {
    int p, n, cells;
    bool open;
  };
  for (const Case& one : {Case{1, 3, 120, false}, Case{1, 4, 48, false}, Case{1, 3, 200, true},
                          Case{2, 4, 48, false}, Case{1, 5, 24, false}, Case{2, 6, 12, false}}) {
    const IntervalModel all = interval_model(random, one.p, one.n, one.open, 16384);
    const Model& model = all.made.model;
    const VectorXd eta = all.made.random_eta(random);
    const double* lambda = model.lambda(eta.data());
    MatrixXd k = all.made.correlation(model.inputs, eta);
    k.diagonal().array() += eta[all.made.noise_index()];
    const problems::NaiveFit fit(k, all.made.trend, VectorXd::Ones(one.n));
    const MatrixXd weighted = (fit.k_inverse * fit.m).cast<double>();
    const MatrixXd q = fit.k_inverse.cast<double>() -
                       weighted * fit.a_inverse.cast<double>() * weighted.transpose();
    VectorXd l(one.n), u(one.n), mean;
    double jacobian = 0.0, references = 0.0;
    for (int row = 0; row < one.n; ++row) {
      l[row] = model.transform.forward(all.lower[row], lambda);
      u[row] =
          std::isinf(all.upper[row]) ? infinity : model.transform.forward(all.upper[row], lambda);
      if (std::isinf(u[row])) continue;
      jacobian += model.transform.log_derivative(0.5 * (all.lower[row] + all.upper[row]), lambda);
      references += 1.0;
    }
    const double m = one.n - one.p;
    const double constant = std::log(2.0) + 0.5 * m * std::log(btg::pi) - std::lgamma(0.5 * m);
    const double expected = -static_cast<double>(fit.half_log_det) - one.p / references * jacobian +
                            grid_integral(q, l, u, one.p, one.cells, mean);
    const std::optional<btg::KernelNode> node = btg::kernel_node(model, eta.data());
    const btg::CensoredRows rows(model, *node);
    const btg::Completion found =
        btg::complete(model, *node, rows, eta.data(), model.censored.points());
    CHECK_CLOSE(value_at(model, eta), found.log_marginal, 1e-12);
    // Grids of few cells are off by up to 0.01.
    CHECK(found.standard_error < 0.02);
    CHECK_CLOSE(found.log_marginal + constant - expected, 0.0,
                3.0 * found.standard_error + (one.n < 5 ? 1e-3 : 1e-2));
    const VectorXd means = found.latent * found.weights;
    for (int row = 0; row < one.n; ++row) {
      if (!std::isinf(u[row])) CHECK_CLOSE(means[row], mean[row], 0.02 * (u[row] - l[row]));
    }
  }
}

TEST("without exact rows, short intervals are exact responses, and gradients are differences") {
  Random random(22);
  for (const double h : {1e-5, 0.6}) {
    RandomModel made = problems::random_model(random, problems::kernels()[0], btg::Form::radial,
                                              {"affine", "sinharcsinh"}, 2);
    const Model exact = made.model;
    Model& model = made.model;
    const VectorXd ends = VectorXd::Constant(model.response.size(), h);
    model.censored =
        btg::Censored(btg::all_rows(model), model.response - ends, model.response + ends, 8192);
    const VectorXd eta = made.random_eta(random), other = made.random_eta(random);
    if (h < 0.1) {
      CHECK_CLOSE(value_at(model, eta) - value_at(model, other),
                  value_at(exact, eta) - value_at(exact, other), 1e-3);
      const VectorXd difference = btg::evaluate_gradient(model, eta.data()).gradient -
                                  btg::evaluate_gradient(exact, eta.data()).gradient;
      CHECK(difference.cwiseAbs().maxCoeff() < 1e-3);
      continue;
    }
    const btg::MarginalGradient at = btg::evaluate_gradient(model, eta.data());
    CHECK_CLOSE(at.log_marginal, value_at(model, eta), 1e-12);
    for (int j = 0; j < model.size(); ++j) {
      const btg::Scale scale = model.hyperparameters[j].scale;
      const double numeric = problems::difference(
          [&](double x) {
            VectorXd moved = eta;
            moved[j] = btg::from_coordinate(x, scale);
            return value_at(model, moved);
          },
          btg::to_coordinate(eta[j], scale), 1e-2);
      CHECK_CLOSE(at.gradient[j], numeric, 2e-2);
    }
  }
}

TEST("completions stay inside their limits") {
  Random random(15);
  const RandomModel made = problems::censored_model(random, 1, -infinity, 5.0, 256);
  const Model& model = made.model;
  const VectorXd eta = made.random_eta(random);
  const std::optional<btg::KernelNode> node = btg::kernel_node(model, eta.data());
  const btg::CensoredRows rows(model, *node);
  const btg::Completion found =
      btg::complete(model, *node, rows, eta.data(), model.censored.points());
  const btg::Censored::Limits limits =
      model.censored.latent_limits(model.transform, model.lambda(eta.data()));
  for (int k = 0; k < 2; ++k) {
    CHECK(found.latent.row(k).minCoeff() >= limits.lower[k]);
    CHECK(found.latent.row(k).maxCoeff() <= limits.upper[k]);
  }
  CHECK_CLOSE(found.weights.sum(), 1.0, 1e-12);
  // Q_cc and C_cc against the model of two rows less.
  CHECK_CLOSE((rows.precision * rows.covariance - MatrixXd::Identity(2, 2)).norm(), 0.0, 1e-9);
}

TEST("completed nodes have the moments of completions") {
  Random random(16);
  const RandomModel made = problems::censored_model(random, 1, -infinity, 5.0, 8192);
  const Model& model = made.model;
  MatrixXd etas(model.size(), 3);
  for (int i = 0; i < 3; ++i) etas.col(i) = made.random_eta(random);
  VectorXd weights(3);
  weights << 0.7, 0.299, 0.001;
  const btg::CompletedNodes nodes = btg::complete_nodes(model, etas, weights, 2000);
  CHECK(nodes.etas.rows() == model.node_size());
  const VectorXd divided = nodes.divide(weights);
  for (int i = 0; i < 3; ++i) {
    double share = 0.0, sum = 0.0;
    VectorXd mean = VectorXd::Zero(2);
    int count = 0;
    for (std::size_t k = 0; k < nodes.origin.size(); ++k) {
      if (nodes.origin[k] != i) continue;
      ++count;
      const auto column = static_cast<Eigen::Index>(k);
      CHECK(nodes.etas.col(column).head(model.size()) == etas.col(i));
      share += nodes.share[column];
      sum += divided[column];
      mean += nodes.share[column] * nodes.etas.col(column).tail(2);
    }
    CHECK(std::abs(count - std::fmax(1.0, 2000 * weights[i])) <= 1.0);
    CHECK_CLOSE(share, 1.0, 1e-12);
    CHECK_CLOSE(sum, weights[i], 1e-12);
    if (count < 100) continue;
    const std::optional<btg::KernelNode> node = btg::kernel_node(model, etas.col(i).data());
    const btg::CensoredRows rows(model, *node);
    const btg::Completion all =
        btg::complete(model, *node, rows, etas.col(i).data(), model.censored.points());
    const VectorXd expected = all.latent * all.weights;
    const MatrixXd deviation = all.latent.colwise() - expected;
    for (int k = 0; k < 2; ++k) {
      const double sd = std::sqrt(deviation.row(k).cwiseAbs2().dot(all.weights));
      CHECK(std::abs(mean[k] - expected[k]) < 4.0 * sd / std::sqrt(count));
    }
  }
}

TEST("without censored rows nodes stay") {
  Random random(17);
  const RandomModel made =
      problems::random_model(random, problems::kernels()[0], btg::Form::radial, {"boxcox"}, 1);
  MatrixXd etas(made.model.size(), 2);
  etas << made.random_eta(random), made.random_eta(random);
  const btg::CompletedNodes nodes =
      btg::complete_nodes(made.model, etas, VectorXd::Constant(2, 0.5), 1000);
  CHECK(nodes.etas == etas);
  CHECK(nodes.share == VectorXd::Ones(2));
}
