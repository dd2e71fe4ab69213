#include "btg/factor/block_structure.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "btg/base/error.hpp"
#include "btg/numerics/kd_tree.hpp"
#include "btg/numerics/spread_points.hpp"

namespace btg {

BlockStructure::BlockStructure(const Eigen::MatrixXd& inputs, const InputSpace& space,
                               const BlockOptions& options)
    : space_(space) {
  if (options.block < 1 || options.neighbours < 0 || options.inducing < 0) {
    throw Error("argument", "Blocks need a site each, and no negative number of others.");
  }
  const int n = static_cast<int>(inputs.rows());
  const Eigen::MatrixXd points = space.coordinates(inputs).transpose();
  order_.resize(n);
  std::iota(order_.begin(), order_.end(), 0);
  std::vector<Range> ranges;
  split(points, 0, n, options.block, ranges);
  shuffle(ranges, options.seed);
  find_neighbours(points, options);
  cut_pieces();
  std::vector<int> position(n);
  for (int p = 0; p < n; ++p) position[order_[p]] = p;
  for (const int site : spread_points(points, options.inducing, options.seed)) {
    inducing_.push_back(position[site]);
  }
}

std::vector<int> BlockStructure::cells_of(const Eigen::MatrixXd& points) const {
  const Eigen::MatrixXd scaled = space_.coordinates(points);
  std::vector<int> cells;
  for (Eigen::Index i = 0; i < scaled.rows(); ++i) {
    int id = 0;
    while (cells_[id].block < 0) {
      const bool below = scaled(i, cells_[id].axis) < cells_[id].split;
      id = below ? cells_[id].left : cells_[id].right;
    }
    cells.push_back(cells_[id].block);
  }
  return cells;
}

int BlockStructure::split(const Eigen::MatrixXd& points, int first, int end, int most,
                          std::vector<Range>& ranges) {
  const int id = static_cast<int>(cells_.size());
  cells_.push_back({-1, 0, 0.0, -1, -1});
  if (end - first <= most) {
    cells_[id].block = static_cast<int>(ranges.size());
    ranges.emplace_back(first, end);
    return id;
  }
  // Splits so that each side has as many full blocks as possible.
  const int parts = (end - first + most - 1) / most;
  const int middle = first + static_cast<int>(static_cast<long>(end - first) * (parts / 2) / parts);
  const int axis = KdTree::widest_axis(points, order_, first, end);
  KdTree::split_at(points, order_, first, middle, end, axis);
  const double at = points(axis, order_[middle]);
  const int left = split(points, first, middle, most, ranges);
  const int right = split(points, middle, end, most, ranges);
  cells_[id] = {-1, axis, at, left, right};
  return id;
}

void BlockStructure::shuffle(const std::vector<Range>& ranges, std::uint64_t seed) {
  const int count = static_cast<int>(ranges.size());
  place_.resize(count);
  std::iota(place_.begin(), place_.end(), 0);
  std::uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (int i = count - 1; i > 0; --i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::swap(place_[i], place_[static_cast<int>((state >> 33) % (i + 1))]);
  }
  std::vector<int> order, block_of_range(count);
  for (int b = 0; b < count; ++b) {
    const Range& range = ranges[place_[b]];
    const int first = static_cast<int>(order.size());
    order.insert(order.end(), order_.begin() + range.first, order_.begin() + range.second);
    blocks_.push_back({first, static_cast<int>(order.size()), {}, {}});
    block_of_range[place_[b]] = b;
  }
  order_ = std::move(order);
  for (Cell& cell : cells_) {
    if (cell.block >= 0) cell.block = block_of_range[cell.block];
  }
}

void BlockStructure::find_neighbours(const Eigen::MatrixXd& points, const BlockOptions& options) {
  const int n = size();
  Eigen::MatrixXd ordered(points.rows(), n);
  for (int p = 0; p < n; ++p) ordered.col(p) = points.col(order_[p]);
  std::vector<int> rank(n);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    std::fill(rank.begin() + blocks_[b].first, rank.begin() + blocks_[b].end, static_cast<int>(b));
  }
  const KdTree tree(ordered, rank);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    Block& block = blocks_[b];
    const Eigen::VectorXd centre = ordered.middleCols(block.first, block.size()).rowwise().mean();
    block.members = tree.nearest(centre, options.neighbours, static_cast<int>(b));
    for (int p = block.first; p < block.end; ++p) block.members.push_back(p);
    // About twice a block's members, a compromise: points may lie at the edge of the cell.
    block.around = tree.nearest(centre, 2 * options.neighbours + options.block,
                                static_cast<int>(blocks_.size()));
  }
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
