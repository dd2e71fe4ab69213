#include "btg/factor/block_state.hpp"

namespace btg {

void fill_v(const BlockState& state, const Covariance& covariance, const Eigen::MatrixXd& points,
            double* v) {
  const int sites = state.inducing_sites(), count = static_cast<int>(points.rows());
  Eigen::Map<Eigen::MatrixXd> all(v, state.inducing(), count);
  if (sites == state.inducing() && sites > 0) {
    covariance.cross(state.inducing_points.data(), sites, points.data(), count, v);
    state.compute().solve_lower(state.inducing_root.data(), sites, v, count);
    return;
  }
  if (sites > 0) {
    Eigen::MatrixXd of_sites(sites, count);
    covariance.only(full_rank_terms(covariance))
        .cross(state.inducing_points.data(), sites, points.data(), count, of_sites.data());
    state.compute().solve_lower(state.inducing_root.data(), sites, of_sites.data(), count);
    all.topRows(sites) = of_sites;
  }
  for (std::size_t k = 0; k < state.low_rank.size(); ++k) {
    all.row(sites + static_cast<int>(k)) =
        low_rank_values(covariance, state.low_rank[k], points).transpose();
  }
}

void fill_v_at_sites(BlockState& state) {
  constexpr long at_once = 256;  // as in the pieces of a structure
  const long all = state.points.cols();
  parallel_for((all + at_once - 1) / at_once, state.execution, [&](long k) {
    const long first = k * at_once, count = std::min(at_once, all - first);
    const Eigen::MatrixXd points = state.points.middleCols(first, count).transpose();
    fill_v(state, state.covariance, points, state.v.col(first).data());
  });
}

Eigen::Map<Eigen::MatrixXd> Buffer::take(Eigen::Index rows, Eigen::Index columns) {
  if (memory_.size() < rows * columns) memory_.resize(rows * columns);
  return {memory_.data(), rows, columns};
}

void gather_points(const BlockState& state, const int* positions, int count, Buffer& buffer) {
  Eigen::Map<Eigen::MatrixXd> points = buffer.take(count, state.columns());
  for (int k = 0; k < count; ++k) {
    const double* point = state.points.col(positions[k]).data();
    for (int j = 0; j < state.columns(); ++j) points(k, j) = point[j];
  }
}

void gather_v(const BlockState& state, const int* positions, int count, Buffer& buffer) {
  Eigen::Map<Eigen::MatrixXd> v = buffer.take(state.inducing(), count);
  for (int k = 0; k < count; ++k) v.col(k) = state.v.col(positions[k]);
}

bool ResidualRoot::make(const BlockState& state, const int* positions, int count, int more) {
  gather_points(state, positions, more, points_);
  gather_v(state, positions, more, v_);
  Eigen::Map<Eigen::MatrixXd> c = l_.take(count, count);
  if (count == 0) return true;
  correlate(state, count, more);
  if (state.inducing() > 0) {
    state.compute().add_gram(-1.0, v_.data(), state.inducing(), count, c.data());
  }
  double least_noise = state.noise[positions[0]];
  for (int k = 0; k < count; ++k) {
    c(k, k) += state.noise[positions[k]];
    least_noise = std::min(least_noise, state.noise[positions[k]]);
  }
  return state.compute().cholesky(c.data(), count) == 0 &&
         c.diagonal().array().square().minCoeff() >
             smallest_pivot(count + state.inducing(), 1.0 + least_noise);
}

void ResidualRoot::correlate(const BlockState& state, int count, int more) {
  const double* points = points_.data();
  if (more > count) {
    some_points_.take(count, state.columns()) =
        Eigen::Map<const Eigen::MatrixXd>(points, more, state.columns()).topRows(count);
    points = some_points_.data();
  }
  state.covariance.correlation(points, count, l_.data());
}

Eigen::MatrixXd values_at(const Eigen::MatrixXd& values, const std::vector<int>& positions) {
  Eigen::MatrixXd result(positions.size(), values.cols());
  for (Eigen::Index c = 0; c < values.cols(); ++c) {
    const double* column = values.col(c).data();
    for (std::size_t k = 0; k < positions.size(); ++k) result(k, c) = column[positions[k]];
  }
  return result;
}

}  // namespace btg
