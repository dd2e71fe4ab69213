// Joint draws have the naive covariance given a node, and the margins of the predictions.
#include <Eigen/Core>
#include <vector>

#include "btg/node/node.hpp"
#include "btg/node/predict.hpp"
#include "btg/numerics/student_t.hpp"
#include "btg/predictive/joint_draws.hpp"
#include "check.hpp"
#include "random_model.hpp"

using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::LongMatrix;
using problems::narrow;
using problems::Random;
using problems::RandomModel;
using problems::times;
using problems::transposed_times;
using problems::widen;

namespace {

// C of several points at one node, and the locations, by explicit inverses.
struct NaiveJoint {
  NaiveJoint(const RandomModel& made, const VectorXd& eta, const MatrixXd& points,
             const MatrixXd& trend, bool observation)
      : fit(made.naive(eta)) {
    RandomModel between = made;
    between.model.inputs = points;
    const LongMatrix k = widen(made.correlation(points, eta)), m = widen(trend);
    const LongMatrix explained = times(fit.k_inverse, k);
    const LongMatrix u = LongMatrix(m.transpose()) - transposed_times(fit.m, explained);
    const LongMatrix r = widen(between.correlation(points, eta));
    covariance =
        narrow(r - transposed_times(k, explained) + transposed_times(u, times(fit.a_inverse, u)));
    if (observation) covariance.diagonal().array() += eta[made.noise_index()];
    covariance *= static_cast<double>(fit.q) / made.model.degrees_of_freedom();
    location = narrow(transposed_times(k, fit.e) + times(m, fit.beta));
  }

  problems::NaiveFit fit;
  MatrixXd covariance;
  VectorXd location;
};

// One draw for each point, with the columns of the unit matrix for normals.
MatrixXd unit_draws(const btg::Model& model, const MatrixXd& etas, int node, const MatrixXd& points,
                    const MatrixXd& trend, bool observation) {
  const int m = static_cast<int>(points.rows());
  return problems::joint_draws(
      model, etas, problems::points_at(points, trend, observation),
      {std::vector<int>(m, node), MatrixXd::Identity(m, m), VectorXd::Ones(m)});
}

}  // namespace

TEST("without a transform, draws of unit normals are a root of the naive covariance") {
  Random random(1);
  for (const btg_compute::Kernel& kernel : problems::kernels()) {
    for (bool observation : {true, false}) {
      const btg::Form form = observation ? btg::Form::product : btg::Form::radial;
      const RandomModel made = problems::random_model(random, kernel, form, {}, 2);
      const MatrixXd points = random.matrix(5, 3), trend = random.polynomial_trend(5, 2);
      MatrixXd etas(made.model.size(), 3);
      for (int i = 0; i < 3; ++i) etas.col(i) = made.random_eta(random);
      for (int node = 0; node < 3; ++node) {
        const NaiveJoint naive(made, etas.col(node), points, trend, observation);
        const MatrixXd root =
            unit_draws(made.model, etas, node, points, trend, observation).colwise() -
            naive.location;
        const MatrixXd found = root * root.transpose();
        for (Eigen::Index k = 0; k < found.size(); ++k) {
          CHECK_CLOSE(found(k), naive.covariance(k), 1e-8);
        }
      }
    }
  }
}

TEST("a chi-square divides the deviation of its draw by its root") {
  Random random(2);
  const RandomModel made =
      problems::random_model(random, problems::kernels().front(), btg::Form::radial, {}, 1);
  const btg::Model& model = made.model;
  const MatrixXd eta = made.random_eta(random), points = random.matrix(3, 3);
  const NaiveJoint naive(made, eta, points, MatrixXd::Ones(3, 1), true);
  const MatrixXd normals = random.matrix(3, 1).replicate(1, 2);
  const MatrixXd draws =
      problems::joint_draws(model, eta, problems::points_at(points, MatrixXd::Ones(3, 1), true),
                            {{0, 0}, normals, Eigen::Vector2d(1, 4)});
  for (int a = 0; a < 3; ++a) {
    CHECK_CLOSE(draws(a, 0) - naive.location[a], 2 * (draws(a, 1) - naive.location[a]), 1e-10);
  }
}

TEST("a truncated margin is drawn at the probability of its untruncated one") {
  Random random(3);
  const RandomModel made =
      problems::random_model(random, problems::kernels().front(), btg::Form::radial, {"boxcox"}, 1);
  VectorXd eta = made.random_eta(random);
  eta[eta.size() - 1] = 2.5;  // lambda: much of the mass is lost
  const MatrixXd points = random.matrix(4, 3, -3, 3), trend = MatrixXd::Ones(4, 1);
  const NaiveJoint naive(made, eta, points, trend, true);
  const MatrixXd draws = unit_draws(made.model, eta, 0, points, trend, true);
  const MatrixXd root = problems::cholesky(naive.covariance);
  const btg::StudentT t(made.model.degrees_of_freedom());
  double lost = 0;
  for (int a = 0; a < 4; ++a) {
    const double scale = std::sqrt(naive.covariance(a, a));
    const auto cdf = [&](double z) { return t.cdf((z - naive.location[a]) / scale); };
    const double below = cdf(-1 / 2.5);
    lost = std::fmax(lost, below);
    for (int k = 0; k < 4; ++k) {
      const double z = (std::pow(draws(a, k), 2.5) - 1) / 2.5;
      CHECK(draws(a, k) > 0);
      CHECK_CLOSE((cdf(z) - below) / (1 - below), t.cdf(root(a, k) / scale), 1e-7);
    }
  }
  CHECK(lost > 0.01);
}

TEST("at one place the noise-free process has one value") {
  Random random(4);
  const RandomModel made =
      problems::random_model(random, problems::kernels().front(), btg::Form::radial, {}, 1);
  const MatrixXd eta = made.random_eta(random), points = random.matrix(1, 3).replicate(3, 1);
  const MatrixXd draws = unit_draws(made.model, eta, 0, points, MatrixXd::Ones(3, 1), false);
  CHECK_CLOSE(draws(1, 0), draws(0, 0), 1e-5);
  CHECK_CLOSE(draws(2, 0), draws(0, 0), 1e-5);
}

// The covariance is then less than what is added to its diagonal to factor it.
TEST("margins are those of the predictions where the response is nearly known") {
  Random random(5);
  const RandomModel made =
      problems::random_model(random, problems::kernels().back(), btg::Form::radial, {}, 1);
  const btg::Model& model = made.model;
  MatrixXd eta = made.random_eta(random);
  eta(made.noise_index(), 0) = 1e-13;
  const MatrixXd points = model.inputs.topRows(4), trend = MatrixXd::Ones(4, 1);
  const std::optional<btg::KernelNode> node = btg::kernel_node(model, eta.data());
  const btg::CrossPoints block = btg::cross_points(model, btg::PredictingNode(*node), eta.data(),
                                                   problems::points_at(points, trend, true));
  const btg::PredictingFit fit(*node, btg::fit_latent(model, *node, model.response));
  const VectorXd location = btg::predictive_location(block, fit);
  const VectorXd scale = btg::predictive_scale(block, fit, model.likelihood);
  const MatrixXd draws = unit_draws(model, eta, 0, points, trend, true);
  for (int a = 0; a < 4; ++a) {
    CHECK(scale[a] < 1e-5);
    const double length = (draws.row(a).array() - location[a]).matrix().norm();
    CHECK_CLOSE(length / scale[a], 1.0, 1e-6);
  }
}

// The unit normals of all points, drawn in two steps, are those of one step.
TEST("points drawn given others have the draws of all together") {
  Random random(6);
  const RandomModel made =
      problems::random_model(random, problems::kernels().front(), btg::Form::radial, {}, 1);
  const MatrixXd eta = made.random_eta(random), points = random.matrix(6, 3, -3, 3);
  const btg::Points process = problems::points_at(points, MatrixXd::Ones(6, 1), false);
  const btg::ModelNodes nodes(made.model.transform, MatrixXd(0, 1));
  const auto draw = [&](const btg::Points& at, const btg::DrawPlan& plan) {
    btg::JointDraws draws(plan.normals.rows(), 6);
    btg::joint_draws(made.model, nodes, eta, 0, at, plan, {}, draws);
    return draws;
  };
  const std::vector<int> node(6, 0);
  const VectorXd chi = random.matrix(6, 1, 0.5, 2);
  const MatrixXd normals = MatrixXd::Identity(6, 6);
  const btg::JointDraws all = draw(process, {node, normals, chi});
  const btg::JointDraws first = draw(process.at({0, 1}), {node, normals.topRows(2), chi});
  const btg::JointDraws rest =
      draw(process, {node, normals.bottomRows(4), chi, first.deviation, MatrixXd()});
  CHECK((first.response - all.response.topRows(2)).cwiseAbs().maxCoeff() < 1e-9);
  CHECK((rest.response - all.response.bottomRows(4)).cwiseAbs().maxCoeff() < 1e-6);
  CHECK((rest.deviation - all.deviation.bottomRows(4)).cwiseAbs().maxCoeff() < 1e-6);

  // Separate noise gives observations their covariance.
  const btg::Points observed = problems::points_at(points, MatrixXd::Ones(6, 1), true);
  MatrixXd both(6, 12), noise(6, 12);
  both << normals, MatrixXd::Zero(6, 6);
  noise << MatrixXd::Zero(6, 6), normals;
  const std::vector<int> twice(12, 0);
  btg::JointDraws draws(6, 12);
  btg::joint_draws(made.model, nodes, eta, 0, observed,
                   {twice, both, VectorXd::Ones(12), MatrixXd(), noise}, {}, draws);
  const NaiveJoint naive(made, eta, points, MatrixXd::Ones(6, 1), true);
  const MatrixXd root = draws.response.colwise() - naive.location;
  const MatrixXd found = root * root.transpose();
  for (Eigen::Index k = 0; k < found.size(); ++k) {
    CHECK_CLOSE(found(k), naive.covariance(k), 1e-6);
  }
}
