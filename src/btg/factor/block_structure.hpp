// Which sites stand together in the block factor: blocks of near sites in a random order, for each
// the nearest sites of earlier blocks, and the sites whose functions carry the global part. Found
// in a space where distances are those of the kernel, and then held: a structure that moved with
// the lengthscales would make the likelihood jump.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/numerics/kd_tree.hpp"
#include "btg/numerics/spread_points.hpp"

namespace btg {

struct BlockOptions {
  int neighbours = 100;  // of a block
  int block = 32;        // sites in it, at most
  int inducing = 200;    // functions
  std::uint64_t seed = 0;
};

// Sites are numbered from 0, and again by their positions: those of the first block come first.
class BlockStructure {
 public:
  // Members are positions: the neighbours, then first, ..., end - 1.
  struct Block {
    int first, end;
    std::vector<int> members;
    std::vector<int> around;  // the nearest of all, to predict from within the block's cell

    int size() const { return end - first; }
    int member_count() const { return static_cast<int>(members.size()); }
    int neighbour_count() const { return member_count() - size(); }
  };

  // Some consecutive blocks: work for one thread.
  struct Piece {
    int first_block, end_block;
    int first, end;  // positions
  };

  // `inputs` are sites x columns, and have these lengthscales, or about.
  BlockStructure(const Eigen::MatrixXd& inputs, const Eigen::RowVectorXd& length_scales,
                 const BlockOptions& options)
      : length_scales_(length_scales) {
    if (options.block < 1 || options.neighbours < 0 || options.inducing < 0) {
      throw Error("argument", "Blocks need a site each, and no negative number of others.");
    }
    const int n = static_cast<int>(inputs.rows());
    const Eigen::MatrixXd points =
        (inputs.array().rowwise() / length_scales.array()).matrix().transpose();
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

  int size() const { return static_cast<int>(order_.size()); }
  const std::vector<int>& order() const { return order_; }  // the site of each position
  const std::vector<Block>& blocks() const { return blocks_; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  const std::vector<int>& inducing() const { return inducing_; }  // positions

  // The block in whose cell each point lies. The points are not scaled.
  std::vector<int> cells_of(const Eigen::MatrixXd& points) const {
    const Eigen::MatrixXd scaled = points.array().rowwise() / length_scales_.array();
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

  // Where the cell of a block comes in an order in which neighbours are near each other.
  int place_of_cell(int block) const { return place_[block]; }

 private:
  using Range = std::pair<int, int>;

  struct Cell {
    int block;  // or -1, and then:
    int axis;
    double split;
    int left, right;
  };

  int split(const Eigen::MatrixXd& points, int first, int end, int most,
            std::vector<Range>& ranges) {
    const int id = static_cast<int>(cells_.size());
    cells_.push_back({-1, 0, 0.0, -1, -1});
    if (end - first <= most) {
      cells_[id].block = static_cast<int>(ranges.size());
      ranges.emplace_back(first, end);
      return id;
    }
    // As many whole blocks on either side as there can be.
    const int parts = (end - first + most - 1) / most;
    const int middle =
        first + static_cast<int>(static_cast<long>(end - first) * (parts / 2) / parts);
    const int axis = KdTree::widest_axis(points, order_, first, end);
    KdTree::split_at(points, order_, first, middle, end, axis);
    const double at = points(axis, order_[middle]);
    const int left = split(points, first, middle, most, ranges);
    const int right = split(points, middle, end, most, ranges);
    cells_[id] = {-1, axis, at, left, right};
    return id;
  }

  // The blocks from the ranges of order_, in a random order.
  void shuffle(const std::vector<Range>& ranges, std::uint64_t seed) {
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

  void find_neighbours(const Eigen::MatrixXd& points, const BlockOptions& options) {
    const int n = size();
    Eigen::MatrixXd ordered(points.rows(), n);
    for (int p = 0; p < n; ++p) ordered.col(p) = points.col(order_[p]);
    std::vector<int> rank(n);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      std::fill(rank.begin() + blocks_[b].first, rank.begin() + blocks_[b].end,
                static_cast<int>(b));
    }
    const KdTree tree(ordered, rank);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      Block& block = blocks_[b];
      const Eigen::VectorXd centre = ordered.middleCols(block.first, block.size()).rowwise().mean();
      block.members = tree.nearest(centre, options.neighbours, static_cast<int>(b));
      for (int p = block.first; p < block.end; ++p) block.members.push_back(p);
      // More than a block is conditioned on, as points may lie at the edge of the cell.
      block.around = tree.nearest(centre, 2 * options.neighbours + options.block,
                                  static_cast<int>(blocks_.size()));
    }
  }

  void cut_pieces() {
    constexpr int enough = 256;  // sites: sums over a piece are then nearly as fast as over all
    for (int b = 0; b < static_cast<int>(blocks_.size()); ++b) {
      if (pieces_.empty() || pieces_.back().end - pieces_.back().first >= enough) {
        pieces_.push_back({b, b, blocks_[b].first, blocks_[b].first});
      }
      pieces_.back().end_block = b + 1;
      pieces_.back().end = blocks_[b].end;
    }
  }

  Eigen::RowVectorXd length_scales_;
  std::vector<int> order_, inducing_, place_;
  std::vector<Block> blocks_;
  std::vector<Piece> pieces_;
  std::vector<Cell> cells_;
};

}  // namespace btg
