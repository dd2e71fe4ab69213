// Every draw belongs to one visited node, with its own transform.
#include <Eigen/Core>
#include <mutex>
#include <vector>

#include "btg/predictive/drawn_nodes.hpp"
#include "check.hpp"
#include "random_model.hpp"

TEST("draws are visited once, at their nodes") {
  problems::Random random(1);
  const problems::RandomModel made =
      problems::random_model(random, problems::kernels().front(), btg::Form::radial, {"boxcox"}, 1);
  Eigen::MatrixXd etas(made.model.size(), 3);
  for (int i = 0; i < 3; ++i) etas.col(i) = made.random_eta(random);
  // The first two nodes share a covariance.
  const Eigen::Index last = etas.rows() - 1;
  const double lambda = etas(last, 1);
  etas.col(1) = etas.col(0);
  etas(last, 1) = lambda;
  const btg::ModelNodes nodes(made.model.transform, etas.bottomRows(1));
  const std::vector<int> node_of_draw{12, 10, 11, 12, 10, 9, 13};
  std::vector<int> seen(node_of_draw.size(), -1);
  int groups = 0;
  std::mutex mutex;
  btg::for_each_drawn_group(
      made.model, nodes, etas, 10, node_of_draw, {},
      [&](const btg::PreparedGroup& group, const double* eta,
          const std::vector<btg::DrawnNode>& used) {
        const std::lock_guard<std::mutex> lock(mutex);
        ++groups;
        CHECK(eta == etas.col(group.group.first).data());
        for (const btg::DrawnNode& one : used) {
          const Eigen::Index i = group.group.first + one.in_group;
          CHECK(one.alone.size == 1 && one.alone.models[0].lambda(0, 0) == etas(last, i));
          for (const int draw : one.draws) seen[draw] = static_cast<int>(10 + i);
        }
      });
  CHECK(groups == 2);
  CHECK((seen == std::vector<int>{12, 10, 11, 12, 10, -1, -1}));
}
