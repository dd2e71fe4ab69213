// Draws of fields against the naive moments of their totals, and the margins of the predictions.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "btg/node/node.hpp"
#include "btg/numerics/student_t.hpp"
#include "btg/predictive/field_draws.hpp"
#include "btg/predictive/joint_draws.hpp"
#include "check.hpp"
#include "random_model.hpp"

using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Random;
using problems::RandomModel;

namespace {

btg::FieldDraws draw(const btg::Model& model, const MatrixXd& etas, const VectorXd& weights,
                     const btg::Points& points, const btg::FieldPlan& plan) {
  const btg::FieldPoints sequence(plan, weights, model.degrees_of_freedom());
  btg::FieldDraws draws{MatrixXd(points.size(), sequence.chi_square.size()), sequence.node, 0};
  const btg::Segment lambda = model.hyperparameters.segment(btg::Role::transform);
  btg::field_draws(model,
                   btg::ModelNodes(model.transform, etas.middleRows(lambda.first, lambda.count)),
                   etas, 0, points, plan, sequence, {}, draws);
  return draws;
}

double standard_deviation(const VectorXd& x) {
  return std::sqrt((x.array() - x.mean()).square().sum() / static_cast<double>(x.size() - 1));
}

// The standard deviation of the total without a transform, from draws of unit normals.
double sd_of_total(const btg::Model& model, const MatrixXd& eta, const btg::Points& points,
                   const VectorXd& weights) {
  const int m = static_cast<int>(points.size());
  MatrixXd root = problems::joint_draws(
      model, eta, points, {std::vector<int>(m, 0), MatrixXd::Identity(m, m), VectorXd::Ones(m)});
  root.colwise() -= problems::latent_values(model, eta, points).location.row(0).transpose();
  const double df = model.degrees_of_freedom();
  return (root.transpose() * weights).norm() * std::sqrt(df / (df - 2.0));
}

}  // namespace

TEST("totals have the standard deviation of the complete covariance") {
  Random random(1);
  for (int points : {30, 400}) {
    const RandomModel made =
        problems::random_model(random, problems::kernels().front(), btg::Form::radial, {}, 1);
    const MatrixXd eta = made.random_eta(random);
    const btg::Points at =
        problems::points_at(random.matrix(points, 3), MatrixXd::Ones(points, 1), false);
    VectorXd weights(points);
    for (int i = 0; i < points; ++i) weights[i] = random.uniform(0, 2);
    const btg::FieldPlan plan{4, 2048, 0, 5, 0.002, weights};
    const btg::FieldDraws draws = draw(made.model, eta, VectorXd::Ones(1), at, plan);
    const VectorXd totals = draws.response.transpose() * weights;
    const double expected = sd_of_total(made.model, eta, at, weights);
    CHECK(std::abs(standard_deviation(totals) / expected - 1) < 0.04);
    const double mean = problems::latent_values(made.model, eta, at).location.row(0) * weights;
    CHECK(std::abs(totals.mean() - mean) < 0.02 * expected);
    CHECK(points < 256 ? draws.rank == points : draws.rank < points);
  }
}

TEST("nodes are drawn by their weights, and margins are those of the node") {
  Random random(2);
  const RandomModel made = problems::random_model(random, problems::kernels().front(),
                                                  btg::Form::radial, {"sinharcsinh"}, 1);
  MatrixXd etas(made.model.size(), 2);
  for (int i = 0; i < 2; ++i) etas.col(i) = made.random_eta(random);
  const btg::Points at = problems::points_at(random.matrix(5, 3), MatrixXd::Ones(5, 1), true);
  const btg::FieldPlan plan{2, 1024, 0, 3, 0.002, MatrixXd(5, 0)};
  const btg::FieldDraws draws = draw(made.model, etas, Eigen::Vector2d(0.25, 0.75), at, plan);
  const auto of_first = std::count(draws.node.begin(), draws.node.end(), 0);
  CHECK(std::abs(static_cast<double>(of_first) - 512) <= 4);
  const btg::LatentValues latent = problems::latent_values(made.model, etas, at);
  const btg::Segment lambda = made.model.hyperparameters.segment(btg::Role::transform);
  for (int node : {0, 1}) {
    const VectorXd own = etas.col(node).segment(lambda.first, lambda.count);
    for (int a = 0; a < 5; ++a) {
      const double median = made.model.transform.inverse(latent.location(node, a), own.data());
      int below = 0, all = 0;
      for (std::size_t k = 0; k < draws.node.size(); ++k) {
        if (draws.node[k] != node) continue;
        ++all;
        below += draws.response(a, static_cast<Eigen::Index>(k)) < median ? 1 : 0;
      }
      CHECK(std::abs(below / double(all) - 0.5) < 0.07);
    }
  }
}

TEST("parts of a sequence are the whole") {
  Random random(3);
  const RandomModel made =
      problems::random_model(random, problems::kernels().front(), btg::Form::radial, {}, 1);
  const double df = made.model.degrees_of_freedom();
  const btg::FieldPoints all({2, 8, 0, 9, 0.002, {}}, VectorXd::Ones(1), df);
  const btg::FieldPoints later({2, 4, 4, 9, 0.002, {}}, VectorXd::Ones(1), df);
  for (int k = 0; k < 4; ++k) {
    CHECK(all.normals.col(4 + k) == later.normals.col(k));
    CHECK(all.chi_square[12 + k] == later.chi_square[4 + k]);
  }
}
