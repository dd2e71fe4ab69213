// The structure of the block factor: blocks of nearby sites in a random order, the nearest sites of
// earlier blocks for each, and the inducing sites. It is found in a space with the kernel's
// distances and then fixed; a structure that moved with the lengthscales would make the likelihood
// discontinuous.
//
// The sites near a block are those nearest to any of its members. The sites nearest to its mean
// need not be correlated with any member: the mean of two levels of a factor is far from both.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <vector>

#include "btg/factor/input_space.hpp"
#include "btg/factor/site_groups.hpp"
#include "btg/numerics/cell_tree.hpp"
#include "btg/numerics/nearest_points.hpp"

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
  // Members are positions: the neighbours in increasing order, then first, ..., end - 1.
  struct Block {
    int first, end;
    std::vector<int> members;
    std::vector<int> around;  // near sites of all blocks in increasing order, for prediction

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
  const std::vector<Levels>& levels() const { return space_.levels; }

  // Groups points, which are not scaled. Points of a cell are predicted from the sites around it,
  // but a point whose nearest sites are not among these forms a group of its own. The sites of a
  // point do not depend on the other points.
  SiteGroups groups_of(const Eigen::MatrixXd& points) const;

  // Returns the block whose cell contains each point. The points are not scaled.
  std::vector<int> cells_of(const Eigen::MatrixXd& points) const;

  // Rank of a block's cell in an order that puts nearby cells together.
  int place_of_cell(int block) const { return place_[block]; }

  // Returns the positions of at most `count` sites nearest to a point, which is not scaled.
  std::vector<int> nearest_sites(const Eigen::RowVectorXd& point, int count) const;

 private:
  // Returns the coordinates of each point as a column.
  Eigen::MatrixXd scale(const Eigen::MatrixXd& points) const;

  // Returns the positions of at most `count` sites nearest to a scaled point, nearest first.
  std::vector<int> nearest_to(const Eigen::VectorXd& point, int count) const;

  // Makes the blocks from the cells, in a random order.
  void shuffle(std::uint64_t seed);

  void find_neighbours(const Eigen::MatrixXd& points);

  // Returns `count` sites of blocks below `limit` that are nearest to members of a block, or all
  // if there are not more.
  std::vector<int> near_block(const Eigen::MatrixXd& ordered, const Block& block, int count,
                              int limit) const;

  void cut_pieces();

  BlockOptions options_;
  InputSpace space_;
  std::vector<int> order_, inducing_, place_, block_of_cell_;
  std::vector<Block> blocks_;
  std::vector<Piece> pieces_;
  CellTree cells_;
  std::unique_ptr<const NearestPoints> sites_;
};

}  // namespace btg
