#include "btg/factor/local_sites.hpp"

#include <algorithm>
#include <utility>

#include "btg/base/parallel.hpp"

namespace btg {

namespace {

// The sites of all groups, in increasing order.
std::vector<int> sites_of_groups(const SiteGroups& groups, int size) {
  std::vector<char> used(size, 0);
  for (const SiteGroup& group : groups) {
    for (const int p : group.sites) used[p] = 1;
  }
  std::vector<int> sites;
  for (int p = 0; p < size; ++p) {
    if (used[p]) sites.push_back(p);
  }
  return sites;
}

}  // namespace

LocalSites::LocalSites(std::shared_ptr<const BlockState> of, SiteGroups its_groups)
    : state(std::move(of)), groups(std::move(its_groups)) {
  if (state->holds_v()) return;
  const BlockState& all = *state;
  positions_ = sites_of_groups(groups, all.size());
  std::vector<int> number(all.size(), -1);
  for (std::size_t k = 0; k < positions_.size(); ++k) {
    number[positions_[k]] = static_cast<int>(k);
  }
  for (SiteGroup& group : groups) {
    for (int& p : group.sites) p = number[p];
  }
  restrict_to(all, positions_);
}

void LocalSites::restrict_to(const BlockState& all, const std::vector<int>& positions) {
  const auto local = std::make_shared<BlockState>();
  local->structure = all.structure;
  local->covariance = all.covariance;
  local->execution = all.execution;
  local->inducing_points = all.inducing_points;
  local->inducing_root = all.inducing_root;
  local->low_rank = all.low_rank;
  local->h_root = all.h_root;
  const Eigen::Index count = static_cast<Eigen::Index>(positions.size());
  local->points.resize(all.points.rows(), count);
  local->noise.resize(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    local->points.col(k) = all.points.col(positions[k]);
    local->noise[k] = all.noise[positions[k]];
  }
  local->v.resize(all.inducing(), count);
  fill_v_at_sites(*local);
  state = local;
}

Eigen::MatrixXd LocalSites::select(const Eigen::MatrixXd& prepared) const {
  return positions_.empty() ? prepared.topRows(state->points.cols())
                            : values_at(prepared, positions_);
}

}  // namespace btg
