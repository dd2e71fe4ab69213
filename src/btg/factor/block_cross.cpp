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

BlockCrossTerms::BlockCrossTerms(std::shared_ptr<const BlockState> state,
                                 const Eigen::MatrixXd& points, const KeptTerms& kept,
                                 std::vector<BlockStructure::Group> groups)
    : state_(std::move(state)),
      covariance_(state_->covariance.only(kept)),
      points_(state_->covariance.scale(points)),
      v_(state_->inducing(), points.rows()),
      explained_(points.rows()) {
  fill_v(*state_, covariance_, points_, v_.data());
  for (BlockStructure::Group& group : groups) {
    groups_.push_back({std::move(group.points), std::move(group.sites), {}, {}, {}});
    cells_.push_back(group.block);
  }
  parallel_for(static_cast<long>(groups_.size()), state_->execution, [&](long g) {
    PointGroup& group = groups_[g];
    predict_residual(group);
    const Eigen::VectorXd variance = root_of_h(group).colwise().squaredNorm();
    for (std::size_t k = 0; k < group.points.size(); ++k) {
      const int i = group.points[k];
      explained_[i] = v_.col(i).squaredNorm() + group.whitened.col(k).squaredNorm() - variance[k];
    }
    group.h.resize(0, 0);
    group.whitened.resize(0, 0);
  });
}

Eigen::MatrixXd BlockCrossTerms::transposed_times(const Eigen::MatrixXd& prepared) const {
  Eigen::MatrixXd result = prepared.bottomRows(state_->inducing()).transpose() * v_;
  for (const PointGroup& group : groups_) {
    const Eigen::MatrixXd part = values_at(prepared, group.sites).transpose() * group.weights;
    for (std::size_t k = 0; k < group.points.size(); ++k) {
      result.col(group.points[k]) += part.col(k);
    }
  }
  return result;
}

Eigen::MatrixXd BlockCrossTerms::covariance() const {
  const Eigen::Index m = points_.rows();
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(m, m), errors(state_->inducing(), m);
  for (PointGroup& group : joined_groups()) {
    state_->execution.check();
    predict_residual(group);
    const Eigen::MatrixXd error = root_of_h(group);
    const int size = static_cast<int>(group.points.size());
    const Eigen::MatrixXd points = select_rows(points_, group.points);
    Eigen::MatrixXd own(size, size);
    covariance_.correlation(points.data(), size, own.data());
    add_gram(own, group.whitened, -1.0);
    for (int j = 0; j < size; ++j) {
      const int a = group.points[j];
      errors.col(a) = error.col(j);
      for (int i = j; i < size; ++i) {
        const int b = group.points[i];
        result(std::max(a, b), std::min(a, b)) = own(i, j) - v_.col(a).dot(v_.col(b));
      }
    }
  }
  add_gram(result, errors, 1.0);
  return result;
}

void BlockCrossTerms::predict_residual(PointGroup& group) const {
  const Compute& compute = state_->compute();
  const int r = state_->inducing(), size = static_cast<int>(group.points.size());
  const int count = static_cast<int>(group.sites.size());
  ResidualRoot root;
  factor_around(group.sites, root);
  const Eigen::MatrixXd points = select_rows(points_, group.points);
  Eigen::MatrixXd& c = group.whitened;
  c.resize(count, size);
  covariance_.cross(root.points(), count, points.data(), size, c.data());
  group.h.resize(r, size);
  for (int k = 0; k < size; ++k) group.h.col(k) = v_.col(group.points[k]);
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

void BlockCrossTerms::factor_around(const std::vector<int>& sites, ResidualRoot& root) const {
  const int count = static_cast<int>(sites.size());
  if (root.make(*state_, sites.data(), count, count)) return;
  throw Error("numerical", "The covariance of the sites around a point could not be factored.");
}

Eigen::MatrixXd BlockCrossTerms::root_of_h(const PointGroup& group) const {
  Eigen::MatrixXd root = group.h;
  const int r = state_->inducing();
  if (r > 0) {
    state_->compute().solve_lower(state_->h_root.data(), r, root.data(),
                                  static_cast<int>(root.cols()));
  }
  return root;
}

std::vector<PointGroup> BlockCrossTerms::joined_groups() const {
  constexpr std::size_t most = 2000;
  std::vector<std::size_t> order(groups_.size());
  for (std::size_t g = 0; g < order.size(); ++g) order[g] = g;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return state_->structure->place_of_cell(cells_[a]) <
           state_->structure->place_of_cell(cells_[b]);
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
