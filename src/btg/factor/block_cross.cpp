#include "btg/factor/block_cross.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "btg/base/error.hpp"
#include "btg/base/parallel.hpp"
#include "btg/base/select_rows.hpp"
#include "btg/compute/compute.hpp"

namespace btg {

BlockPoints::BlockPoints(std::shared_ptr<const BlockState> of, const Eigen::MatrixXd& inputs,
                         const KeptTerms& kept)
    : state(std::move(of)),
      covariance(state->covariance.only(kept)),
      points(state->covariance.scale(inputs)),
      v(state->inducing(), inputs.rows()) {
  fill_v(*state, covariance, points, v.data());
}

void BlockPoints::predict_residual(PointGroup& group, ResidualRoot& root) const {
  const Compute& compute = state->compute();
  const int r = state->inducing(), size = static_cast<int>(group.points.size());
  const int count = static_cast<int>(group.sites.size());
  if (!root.make(*state, group.sites.data(), count, count)) {
    throw Error("numerical", "The covariance of the sites around a point could not be factored.");
  }
  const Eigen::MatrixXd own = select_rows(points, group.points);
  Eigen::MatrixXd& c = group.whitened;
  c.resize(count, size);
  covariance.cross(root.points(), count, own.data(), size, c.data());
  group.h.resize(r, size);
  for (int k = 0; k < size; ++k) group.h.col(k) = v.col(group.points[k]);
  if (r > 0) {
    compute.add_product(-1.0, {root.v(), r, true}, {group.h.data(), r, false}, count, r, size,
                        c.data(), count);
  }
  compute.solve_lower(root.l(), count, c.data(), size);
  group.weights = c;
  compute.solve_lower_transposed(root.l(), count, group.weights.data(), size);
  if (r > 0) {
    compute.add_product(-1.0, {root.v(), r, false}, {group.weights.data(), count, false}, r, count,
                        size, group.h.data(), r);
  }
}

Eigen::MatrixXd BlockPoints::root_of_h(Eigen::MatrixXd h) const {
  const int r = state->inducing();
  if (r > 0) {
    state->compute().solve_lower(state->h_root.data(), r, h.data(), static_cast<int>(h.cols()));
  }
  return h;
}

BlockCrossTerms::BlockCrossTerms(LocalSites sites, const Eigen::MatrixXd& points,
                                 const KeptTerms& kept)
    : sites_(std::move(sites)), of_(sites_.state, points, kept), explained_(points.rows()) {
  for (SiteGroup& group : sites_.groups) {
    groups_.push_back({std::move(group.points), std::move(group.sites), {}, {}, {}});
    cells_.push_back(group.block);
  }
  parallel_for(static_cast<long>(groups_.size()), of_.state->execution, [&](long g) {
    PointGroup& group = groups_[g];
    ResidualRoot root;
    of_.predict_residual(group, root);
    const Eigen::VectorXd variance = of_.root_of_h(group.h).colwise().squaredNorm();
    for (std::size_t k = 0; k < group.points.size(); ++k) {
      const int i = group.points[k];
      explained_[i] =
          of_.v.col(i).squaredNorm() + group.whitened.col(k).squaredNorm() - variance[k];
    }
    group.h.resize(0, 0);
    group.whitened.resize(0, 0);
  });
}

Eigen::MatrixXd BlockCrossTerms::transposed_times(const Eigen::MatrixXd& prepared) const {
  Eigen::MatrixXd result = prepared.bottomRows(of_.state->inducing()).transpose() * of_.v;
  const Eigen::MatrixXd at_sites = sites_.select(prepared);
  for (const PointGroup& group : groups_) {
    const Eigen::MatrixXd part = values_at(at_sites, group.sites).transpose() * group.weights;
    for (std::size_t k = 0; k < group.points.size(); ++k) {
      result.col(group.points[k]) += part.col(k);
    }
  }
  return result;
}

Eigen::MatrixXd BlockCrossTerms::covariance() const {
  const Eigen::Index m = of_.points.rows();
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(m, m), errors(of_.state->inducing(), m);
  for (PointGroup& group : joined_groups()) {
    of_.state->execution.check();
    ResidualRoot root;
    of_.predict_residual(group, root);
    const Eigen::MatrixXd error = of_.root_of_h(group.h);
    const int size = static_cast<int>(group.points.size());
    const Eigen::MatrixXd points = select_rows(of_.points, group.points);
    Eigen::MatrixXd own(size, size);
    of_.covariance.correlation(points.data(), size, own.data());
    add_gram(own, group.whitened, -1.0);
    for (int j = 0; j < size; ++j) {
      const int a = group.points[j];
      errors.col(a) = error.col(j);
      for (int i = j; i < size; ++i) {
        const int b = group.points[i];
        result(std::max(a, b), std::min(a, b)) = own(i, j) - of_.v.col(a).dot(of_.v.col(b));
      }
    }
  }
  add_gram(result, errors, 1.0);
  return result;
}

std::vector<PointGroup> BlockCrossTerms::joined_groups() const {
  constexpr std::size_t most = 2000;
  std::vector<std::size_t> order(groups_.size());
  for (std::size_t g = 0; g < order.size(); ++g) order[g] = g;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return of_.state->structure->place_of_cell(cells_[a]) <
           of_.state->structure->place_of_cell(cells_[b]);
  });
  std::vector<PointGroup> joined;
  std::set<int> sites;
  for (const std::size_t g : order) {
    std::set<int> with = sites;
    with.insert(groups_[g].sites.begin(), groups_[g].sites.end());
    if (joined.empty() || (with.size() > most && with.size() > sites.size())) {
      joined.emplace_back();
      with = {groups_[g].sites.begin(), groups_[g].sites.end()};
    }
    sites = std::move(with);
    PointGroup& last = joined.back();
    last.points.insert(last.points.end(), groups_[g].points.begin(), groups_[g].points.end());
    last.sites.assign(sites.begin(), sites.end());
  }
  return joined;
}

}  // namespace btg
