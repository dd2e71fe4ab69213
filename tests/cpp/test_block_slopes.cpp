// Slopes under the block factor against differences of its own predictions. test_block_factor.cpp
// and test_low_rank.cpp compare them with those of the dense factor, where the two are equal.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "block_models.hpp"
#include "btg/factor/block_structure.hpp"
#include "check.hpp"

using namespace blocks;
using btg::Direction;

namespace {

const double step = 1e-4;

btg::Points moved(const btg::Points& points, const Direction& along, double by) {
  btg::Points result = points;
  result.inputs += by * along.inputs;
  result.trend += by * along.trend;
  return result;
}

// The central difference of f, without its leading error.
template <class F>
MatrixXd difference(F f) {
  const MatrixXd narrow = (f(step) - f(-step)) / (2 * step);
  const MatrixXd wide = (f(2 * step) - f(-2 * step)) / (4 * step);
  return (4 * narrow - wide) / 3;
}

// The sites that each point is predicted from.
std::vector<std::vector<int>> sites_of(const Model& model, const MatrixXd& points) {
  const auto& method = dynamic_cast<const btg::BlockMethod&>(*model.factor_method);
  std::vector<std::vector<int>> sites(points.rows());
  for (const btg::SiteGroup& group : method.structure()->groups_of(points)) {
    for (const int i : group.points) sites[i] = group.sites;
  }
  return sites;
}

// Points, apart from sites, and a direction along which each keeps its sites.
struct Path {
  btg::Points points;
  Direction along;
};

Path path_of(Random& random, const Model& model, int count, int p) {
  for (int trial = 0; trial < 20; ++trial) {
    const Path path{
        problems::points_at(random.matrix(count, 3, -1.2, 1.2), random.polynomial_trend(count, p),
                            random.matrix(count, 1, 0, 1)),
        {random.matrix(count, 3), random.matrix(count, p), {}}};
    const auto at = [&](double by) {
      return sites_of(model, moved(path.points, path.along, by).inputs);
    };
    if (at(-2 * step) == at(2 * step)) return path;
  }
  throw std::string("No points whose sites stay.");
}

bool is_rough(const Kernel& kernel) { return kernel.derivatives < 1.0; }

}  // namespace

TEST("locations and scales under blocks have the slopes of differences") {
  for_each(40, [](const RandomModel& made, const VectorXd& eta, Random& random) {
    for (const BlockOptions& options : few) {
      const Model model = with_blocks(made.model, options);
      const Path path = path_of(random, model, 12, static_cast<int>(made.trend.cols()));
      const btg::LatentPredictions slopes =
          btg::predict_latent(model, eta, path.points, {path.along}, {});
      const auto at = [&](double by) {
        return problems::latent_values(model, eta, moved(path.points, path.along, by));
      };
      check_close(slopes.at.location, at(0.0).location, 1e-13);
      check_close(slopes.at.scale, at(0.0).scale, 1e-13);
      check_close(slopes.along[0].location, difference([&](double by) { return at(by).location; }),
                  1e-7);
      check_close(slopes.along[0].scale, difference([&](double by) { return at(by).scale; }), 1e-7);
    }
  });
}

TEST("the derivative of the process has the variance of its differences") {
  for_each(40, [](const RandomModel& made, const VectorXd& eta, Random& random) {
    const btg::Covariance covariance = made.model.covariance(eta.data());
    if (is_rough(*covariance.terms[0].kernel)) return;
    for (const BlockOptions& options : few) {
      const Model model = with_blocks(made.model, options);
      const Path path = path_of(random, model, 6, 1);
      const btg::KernelNode node = *btg::kernel_node(model, eta.data());
      const btg::WhitenedSlopes whitened = node.factor->whitened_slopes(path.points.inputs, {});
      for (int i = 0; i < 6; ++i) {
        // Both ends have the same sites, from which their covariance is that of one process. The
        // covariance of the roughest kernels has a term in h^3.
        const auto over = [&](double h) {
          MatrixXd ends(2, 3);
          ends.row(0) = path.points.inputs.row(i) + h / 2 * path.along.inputs.row(i);
          ends.row(1) = path.points.inputs.row(i) - h / 2 * path.along.inputs.row(i);
          const MatrixXd c = problems::symmetric(node.factor->cross(ends, {}, {})->covariance());
          return (c(0, 0) + c(1, 1) - 2 * c(0, 1)) / (h * h);
        };
        const double expected = 2 * over(2 * step) - over(4 * step);
        VectorXd columns = VectorXd::Zero(whitened.of_columns[0].rows());
        VectorXd errors = VectorXd::Zero(whitened.errors[0].rows());
        const VectorXd direction = path.along.inputs.row(i);
        for (int k = 0; k < 3; ++k) {
          columns += direction(k) * whitened.of_columns[k].col(i);
          errors += direction(k) * whitened.errors[k].col(i);
        }
        const double prior = direction.dot(whitened.prior * direction);
        CHECK_CLOSE(prior + errors.squaredNorm() - columns.squaredNorm(), expected, 1e-5);
      }
    }
  });
}
