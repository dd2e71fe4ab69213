// The structure of the block factor: blocks of nearby sites in a random order, the nearest sites of
// earlier blocks for each, and the inducing sites. It is found in a space with the kernel's
// distances and then fixed; a structure that moved with the lengthscales would make the likelihood
// discontinuous.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <utility>
#include <vector>

#include "btg/factor/input_space.hpp"

namespace btg {

// Defaults are compromises: larger values reduce the error, as bench/large.R measures, but the cost
// per site is about cubic in neighbours + block and quadratic in inducing.
struct BlockOptions {
  int neighbours = 100;  // per block
  int block = 32;        // maximum number of sites per block
  int inducing = 200;    // number of inducing functions
  std::uint64_t seed = 0;
};

// Sites are numbered from 0, and also by position: the sites of the first block come first.
class BlockStructure {
 public:
  // Members are positions: the neighbours, then first, ..., end - 1.
  struct Block {
    int first, end;
    std::vector<int> members;
    std::vector<int> around;  // nearest sites of all blocks, for prediction within the cell

    int size() const { return end - first; }
    int member_count() const { return static_cast<int>(members.size()); }
    int neighbour_count() const { return member_count() - size(); }
  };

  // Consecutive blocks that one thread works on.
  struct Piece {
    int first_block, end_block;
    int first, end;  // positions
  };

  // `inputs` are sites x columns; the lengthscales of `space` may be approximate.
  BlockStructure(const Eigen::MatrixXd& inputs, const InputSpace& space,
                 const BlockOptions& options);

  int size() const { return static_cast<int>(order_.size()); }
  const std::vector<int>& order() const { return order_; }  // the site of each position
  const std::vector<Block>& blocks() const { return blocks_; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  const std::vector<int>& inducing() const { return inducing_; }  // positions

  // Returns the block whose cell contains each point. The points are not scaled.
  std::vector<int> cells_of(const Eigen::MatrixXd& points) const;

  // Rank of a block's cell in an order that puts nearby cells together.
  int place_of_cell(int block) const { return place_[block]; }

 private:
  using Range = std::pair<int, int>;

  struct Cell {
    int block;  // -1 for an inner node, which has:
    int axis;
    double split;
    int left, right;
  };

  int split(const Eigen::MatrixXd& points, int first, int end, int most,
            std::vector<Range>& ranges);

  // Makes the blocks from the ranges of order_, in a random order.
  void shuffle(const std::vector<Range>& ranges, std::uint64_t seed);

  void find_neighbours(const Eigen::MatrixXd& points, const BlockOptions& options);

  void cut_pieces();

  InputSpace space_;
  std::vector<int> order_, inducing_, place_;
  std::vector<Block> blocks_;
  std::vector<Piece> pieces_;
  std::vector<Cell> cells_;
};

}  // namespace btg
