// Packed block factors, which compute V only at the sites that predictions need: against dense
// factors where blocks leave nothing out, and elsewhere against the factors that were packed.
#include <memory>
#include <vector>

#include "block_models.hpp"
#include "btg/factor/factor.hpp"
#include "btg/node/node.hpp"
#include "check.hpp"
#include "random_model.hpp"

using namespace blocks;

namespace {

// Predictions, joint variances and derivatives at the points.
void check_same_predictions(const btg::Factor& factor, const btg::Factor& other,
                            const MatrixXd& prepared, const MatrixXd& other_prepared,
                            const MatrixXd& points, double tolerance) {
  const auto terms = factor.cross(points, {}, {}), other_terms = other.cross(points, {}, {});
  check_close(terms->explained(), other_terms->explained(), tolerance);
  check_close(terms->transposed_times(prepared), other_terms->transposed_times(other_prepared),
              tolerance);
  check_close(problems::symmetric(terms->covariance()),
              problems::symmetric(other_terms->covariance()), tolerance);
  const btg::CrossSlopes slopes = factor.cross_slopes(points, {}, prepared);
  const btg::CrossSlopes other_slopes = other.cross_slopes(points, {}, other_prepared);
  check_close(slopes.explained, other_slopes.explained, 10.0 * tolerance);
  for (std::size_t k = 0; k < slopes.times.size(); ++k) {
    check_close(slopes.times[k], other_slopes.times[k], 10.0 * tolerance);
  }
}

}  // namespace

TEST("with all neighbours, a packed factor predicts like the dense one") {
  for_each(47, [](const RandomModel& made, const VectorXd& eta, Random& random) {
    const Model model = with_blocks(made.model, {60, 6, 9, 2});
    const btg::KernelNode node = *btg::kernel_node(model, eta.data());
    const btg::KernelNode dense = *btg::kernel_node(made.model, eta.data());
    const MatrixXd b = random.matrix(47, 2), points = random_points(random, model, 9, 1).inputs;
    check_same_predictions(*node.factor->packed(), *dense.factor,
                           node.factor->prepare(node.factor->whiten(b)), dense.factor->whiten(b),
                           points, 1e-8);
  });
}

TEST("a packed factor predicts like the one that was packed, and is unpacked to its bits") {
  for_each(61, [](const RandomModel& made, const VectorXd& eta, Random& random) {
    for (const BlockOptions& options : few) {
      const Model model = with_blocks(made.model, options);
      const btg::KernelNode node = *btg::kernel_node(model, eta.data());
      const std::shared_ptr<const btg::Factor> packed = node.factor->packed();
      const MatrixXd b = random.matrix(61, 2), whitened = node.factor->whiten(b);
      const MatrixXd prepared = node.factor->prepare(whitened);
      check_same_predictions(*packed, *node.factor, prepared, prepared,
                             random_points(random, model, 5, 1).inputs, 1e-10);
      CHECK(packed->unpacked()->half_log_det() == node.factor->half_log_det());
      CHECK(packed->unpacked()->whiten(b) == whitened);
      CHECK(packed->half_log_det() == node.factor->half_log_det());
      CHECK(packed->prepare(whitened) == prepared);
    }
  });
}

TEST("groups that were found before give the same bits") {
  Random random(21);
  const RandomModel made =
      large_model(random, problems::kernels()[1], btg::Form::radial, 300, 1, false);
  const Model model = with_blocks(made.model, {12, 8, 10, 0});
  const VectorXd eta = made.random_eta(random);
  const btg::KernelNode node = *btg::kernel_node(model, eta.data());
  const MatrixXd points = random.matrix(40, 3, -1.5, 1.5);
  const btg::SiteGroups groups = model.factor_method->groups_of(points);
  CHECK(groups.size() > 3);
  for (const auto& factor : {node.factor, node.factor->packed()}) {
    CHECK(factor->cross(points, {}, groups)->explained() ==
          factor->cross(points, {}, {})->explained());
  }
  CHECK(made.model.factor_method->groups_of(points).empty());
}
