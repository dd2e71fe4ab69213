// Roots of low rank against the complete covariance.
#include <Eigen/Core>
#include <optional>
#include <utility>
#include <vector>

#include "btg/node/evaluate.hpp"
#include "btg/node/predict.hpp"
#include "btg/predictive/low_rank_root.hpp"
#include "check.hpp"
#include "random_model.hpp"

using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Random;
using problems::RandomModel;

namespace {

struct Case {
  Case(Random& random, const btg_compute::Kernel& kernel, int points, double length_scale)
      : made(problems::random_model(random, kernel, btg::Form::radial, {}, 2)),
        eta(made.random_eta(random)) {
    eta.head(2).setConstant(length_scale);
    node = btg::kernel_node(made.model, eta.data());
    cross = btg::cross_points(
        made.model, btg::PredictingNode(*node), eta.data(),
        problems::points_at(random.matrix(points, 3), random.polynomial_trend(points, 2), true));
    covariance = cross.terms->covariance().selfadjointView<Eigen::Lower>();
    covariance += cross.trend_error.transpose() * cross.trend_error;
  }
  RandomModel made;
  VectorXd eta;
  std::optional<btg::KernelNode> node;
  btg::CrossPoints cross;
  MatrixXd covariance;
};

}  // namespace

TEST("columns of the covariance are those of the whole") {
  Random random(1);
  for (const btg_compute::Kernel& kernel : problems::kernels()) {
    const Case one(random, kernel, 20, 1.0);
    const std::vector<int> some{3, 17, 0};
    const MatrixXd columns = one.cross.terms->covariance_columns(some);
    const MatrixXd all = one.cross.terms->covariance().selfadjointView<Eigen::Lower>();
    for (int k = 0; k < 3; ++k) CHECK_CLOSE((columns.col(k) - all.col(some[k])).norm(), 0, 1e-12);
  }
}

TEST("the diagonal is exact, the rest is off by no more than the residual") {
  Random random(2);
  for (const btg_compute::Kernel& kernel : problems::kernels()) {
    for (double share : {0.05, 0.002}) {
      const Case one(random, kernel, 400, 1.0);
      const btg::LowRankRoot root = btg::low_rank_root(one.made.model, one.cross, share, 7);
      const MatrixXd error = one.covariance - root.columns * root.columns.transpose();
      CHECK(root.residual.minCoeff() >= 0);
      CHECK(root.residual.sum() <= share * one.covariance.trace() + 1e-10);
      for (int i = 0; i < 400; ++i) CHECK_CLOSE(error(i, i), root.residual[i], 1e-9);
      // The remainder is positive semi-definite, so its trace bounds its norm.
      CHECK(error.norm() <= root.residual.sum() + 1e-9);
    }
  }
}

TEST("smooth processes have a low rank, few points and rough ones a complete root") {
  Random random(3);
  const btg_compute::Kernel& smooth = problems::kernels().front();
  const Case easy(random, smooth, 400, 3.0);
  CHECK(btg::low_rank_root(easy.made.model, easy.cross, 0.002, 1).columns.cols() < 140);
  for (const auto& [points, length_scale] : {std::pair{50, 1.0}, std::pair{300, 0.05}}) {
    const Case one(random, smooth, points, length_scale);
    const btg::LowRankRoot root = btg::low_rank_root(one.made.model, one.cross, 0.002, 1);
    CHECK(root.columns.cols() == points);
    CHECK(root.residual.isZero());
    CHECK((one.covariance - root.columns * root.columns.transpose()).norm() < 1e-8);
  }
}
