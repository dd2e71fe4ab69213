#include "btg/factor/block_structure.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

#include "btg/base/error.hpp"
#include "btg/numerics/spread_points.hpp"

namespace btg {

namespace {

// Selects some members of a block, each as far as possible from those before it.
std::vector<int> spread_members(const Eigen::MatrixXd& ordered,
                                const BlockStructure::Block& block) {
  constexpr int most = 12;  // more would find nearly the same sites
  const auto members = ordered.middleCols(block.first, block.size());
  Eigen::RowVectorXd distance = (members.colwise() - members.col(0)).colwise().squaredNorm();
  std::vector<int> chosen{block.first};
  Eigen::Index farthest;
  while (static_cast<int>(chosen.size()) < most && distance.maxCoeff(&farthest) > 0.0) {
    chosen.push_back(block.first + static_cast<int>(farthest));
    const Eigen::RowVectorXd to_last =
        (members.colwise() - members.col(farthest)).colwise().squaredNorm();
    distance = distance.cwiseMin(to_last);
  }
  return chosen;
}

}  // namespace

BlockStructure::BlockStructure(const Eigen::MatrixXd& inputs, const InputSpace& space,
                               const BlockOptions& options)
    : options_(options), space_(space) {
  if (options.block < 1 || options.neighbours < 0 || options.inducing < 0) {
    throw Error("argument", "Blocks need a site each, and no negative number of others.");
  }
  const int n = static_cast<int>(inputs.rows());
  const Eigen::MatrixXd points = scale(inputs);
  cells_ = CellTree(points, options.block);
  shuffle(options.seed);
  find_neighbours(points);
  cut_pieces();
  std::vector<int> position(n);
  for (int p = 0; p < n; ++p) position[order_[p]] = p;
  for (const int site : spread_points(points, options.inducing, options.seed)) {
    inducing_.push_back(position[site]);
  }
}

Eigen::MatrixXd BlockStructure::scale(const Eigen::MatrixXd& points) const {
  return space_.coordinates(points).transpose();
}

std::vector<int> BlockStructure::cells_of(const Eigen::MatrixXd& points) const {
  const Eigen::MatrixXd scaled = scale(points);
  std::vector<int> cells;
  for (Eigen::Index i = 0; i < scaled.cols(); ++i) {
    cells.push_back(block_of_cell_[cells_.cell_of(scaled.col(i))]);
  }
  return cells;
}

SiteGroups BlockStructure::groups_of(const Eigen::MatrixXd& points) const {
  const std::vector<int> cells = cells_of(points);
  const Eigen::MatrixXd scaled = scale(points);
  const int checked = options_.neighbours / 4;
  std::map<int, SiteGroup> of_cells;
  SiteGroups groups;
  for (int i = 0; i < static_cast<int>(cells.size()); ++i) {
    const std::vector<int>& around = blocks_[cells[i]].around;
    std::vector<int> nearest = nearest_to(scaled.col(i), checked);
    const auto known = std::count_if(nearest.begin(), nearest.end(), [&](int p) {
      return std::binary_search(around.begin(), around.end(), p);
    });
    if (4 * known >= static_cast<long>(nearest.size())) {
      SiteGroup& group =
          of_cells.try_emplace(cells[i], SiteGroup{cells[i], {}, around}).first->second;
      group.points.push_back(i);
    } else {
      nearest = nearest_to(scaled.col(i), options_.neighbours + options_.block);
      std::sort(nearest.begin(), nearest.end());
      groups.push_back({cells[i], {i}, std::move(nearest)});
    }
  }
  for (auto& [cell, group] : of_cells) groups.push_back(std::move(group));
  return groups;
}

std::vector<int> BlockStructure::nearest_sites(const Eigen::RowVectorXd& point, int count) const {
  return nearest_to(scale(point).col(0), count);
}

std::vector<int> BlockStructure::nearest_to(const Eigen::VectorXd& point, int count) const {
  return sites_->nearest(point, count, static_cast<int>(blocks_.size()));
}

void BlockStructure::shuffle(std::uint64_t seed) {
  const int count = static_cast<int>(cells_.ranges().size());
  place_.resize(count);
  std::iota(place_.begin(), place_.end(), 0);
  std::uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (int i = count - 1; i > 0; --i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::swap(place_[i], place_[static_cast<int>((state >> 33) % (i + 1))]);
  }
  block_of_cell_.resize(count);
  for (int b = 0; b < count; ++b) {
    const auto& [from, to] = cells_.ranges()[place_[b]];
    const int first = static_cast<int>(order_.size());
    order_.insert(order_.end(), cells_.order().begin() + from, cells_.order().begin() + to);
    blocks_.push_back({first, static_cast<int>(order_.size()), {}, {}});
    block_of_cell_[place_[b]] = b;
  }
}

void BlockStructure::find_neighbours(const Eigen::MatrixXd& points) {
  const int n = size(), count = static_cast<int>(blocks_.size());
  Eigen::MatrixXd ordered(points.rows(), n);
  for (int p = 0; p < n; ++p) ordered.col(p) = points.col(order_[p]);
  std::vector<int> rank(n);
  for (int b = 0; b < count; ++b) {
    std::fill(rank.begin() + blocks_[b].first, rank.begin() + blocks_[b].end, b);
  }
  sites_ = std::make_unique<const NearestPoints>(ordered, rank);
  for (int b = 0; b < count; ++b) {
    Block& block = blocks_[b];
    block.members = near_block(ordered, block, options_.neighbours, b);
    for (int p = block.first; p < block.end; ++p) block.members.push_back(p);
    // About twice a block's members, a compromise: points may lie at the edge of the cell.
    block.around = near_block(ordered, block, 2 * options_.neighbours + options_.block, count);
  }
}

std::vector<int> BlockStructure::near_block(const Eigen::MatrixXd& ordered, const Block& block,
                                            int count, int limit) const {
  std::vector<int> found;
  const int all = limit < static_cast<int>(blocks_.size()) ? blocks_[limit].first : size();
  if (all <= count) {
    found.resize(all);
    std::iota(found.begin(), found.end(), 0);
    return found;
  }
  const std::vector<int> some = spread_members(ordered, block);
  std::vector<std::vector<int>> lists(some.size());
  std::vector<char> taken(all, 0);
  int next = 0, length = 0;  // rank of the next candidates; length of the lists
  while (static_cast<int>(found.size()) < count) {
    if (next == length) {
      length = std::min(all, length == 0 ? count / 3 + 8 : 2 * length);
      for (std::size_t k = 0; k < some.size(); ++k) {
        lists[k] = sites_->nearest(ordered.col(some[k]), length, limit);
      }
    }
    for (const std::vector<int>& list : lists) {
      if (taken[list[next]] || static_cast<int>(found.size()) == count) continue;
      taken[list[next]] = 1;
      found.push_back(list[next]);
    }
    ++next;
  }
  std::sort(found.begin(), found.end());
  return found;
}

void BlockStructure::cut_pieces() {
  constexpr int enough = 256;  // sites; sums over a piece are then nearly as fast as over all
  for (int b = 0; b < static_cast<int>(blocks_.size()); ++b) {
    if (pieces_.empty() || pieces_.back().end - pieces_.back().first >= enough) {
      pieces_.push_back({b, b, blocks_[b].first, blocks_[b].first});
    }
    pieces_.back().end_block = b + 1;
    pieces_.back().end = blocks_[b].end;
  }
}

}  // namespace btg
