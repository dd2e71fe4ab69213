// Predictions without a row against the model of the other rows.
#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "btg/base/select_rows.hpp"
#include "btg/model/folds.hpp"
#include "btg/model/subset.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/validation/influence.hpp"
#include "check.hpp"
#include "left_out_refits.hpp"

using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Random;
using problems::RandomModel;

TEST("locations and scales are those of a model of the other rows") {
  Random random(1);
  for (const btg_compute::Kernel& kernel : problems::kernels()) {
    for (int p : {1, 3}) {
      const RandomModel made = refits::random_problem_of(random, kernel, 14, p);
      MatrixXd etas(made.model.size(), 2);
      for (int i = 0; i < 2; ++i) etas.col(i) = made.random_eta(random);
      for (bool observation : {true, false}) {
        const btg::Points points =
            problems::points_at(random.matrix(4, 3), random.polynomial_trend(4, p), observation);
        const std::vector<int> rows{3, 0, 13};
        const btg::Folds folds = btg::single_rows(rows);
        const btg::Influence found = btg::influence(made.model, etas, points, folds);
        for (int k = 0; k < 3; ++k) {
          std::vector<int> kept;
          for (int row = 0; row < 14; ++row) {
            if (row != rows[k]) kept.push_back(row);
          }
          const btg::Model rest = btg::keep_rows(made.model, kept);
          btg::Points in_basis = points;
          in_basis.trend = made.model.trend.to_basis(points.trend);
          const btg::LatentValues expected = problems::latent_values(rest, etas, in_basis);
          for (int node = 0; node < 2; ++node) {
            for (int j = 0; j < 4; ++j) {
              const double scale = expected.scale(node, j);
              CHECK_CLOSE(found.at.location(node, k + 3 * j) / scale,
                          expected.location(node, j) / scale, 1e-7);
              CHECK_CLOSE(found.at.scale(node, k + 3 * j) / scale, 1, 1e-7);
            }
          }
        }
      }
    }
  }
}
