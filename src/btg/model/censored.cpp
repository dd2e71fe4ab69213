#include "btg/model/censored.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "btg/numerics/sobol_points.hpp"

namespace btg {

namespace {

// g(y), or the end of the image for a y at or beyond the end of the domain.
double latent_limit(const Composition& g, const double* lambda, double y) {
  const Interval domain = g.domain(lambda), image = g.image(lambda);
  if (!(y > domain.lower)) return image.lower;
  if (!(y < domain.upper)) return image.upper;
  return g.forward(y, lambda);
}

}  // namespace

Censored::Censored(std::vector<int> rows, Eigen::VectorXd lower, Eigen::VectorXd upper, int points)
    : rows_(std::move(rows)), lower_(std::move(lower)), upper_(std::move(upper)) {
  if (!empty()) points_ = sobol_points(count() + 1, points);
}

double Censored::middle(int index) const {
  const double width = upper_[index] - lower_[index];
  return std::isfinite(width) ? lower_[index] + 0.5 * width
                              : std::numeric_limits<double>::quiet_NaN();
}

int Censored::index_of(int row) const {
  const auto found = std::lower_bound(rows_.begin(), rows_.end(), row);
  return found != rows_.end() && *found == row ? static_cast<int>(found - rows_.begin()) : -1;
}

Censored::Limits Censored::latent_limits(const Composition& g, const double* lambda,
                                         const std::vector<int>& indices) const {
  const Eigen::Index size = static_cast<Eigen::Index>(indices.size());
  Limits limits{Eigen::VectorXd(size), Eigen::VectorXd(size)};
  for (Eigen::Index k = 0; k < size; ++k) {
    limits.lower[k] = latent_limit(g, lambda, lower_[indices[k]]);
    limits.upper[k] = latent_limit(g, lambda, upper_[indices[k]]);
  }
  return limits;
}

Censored::Limits Censored::latent_limits(const Composition& g, const double* lambda) const {
  std::vector<int> all(count());
  std::iota(all.begin(), all.end(), 0);
  return latent_limits(g, lambda, all);
}

}  // namespace btg
