// Which sites stand together in the block factor: blocks of near sites in a random order, for each
// the nearest sites of earlier blocks, and the sites whose functions carry the global part. Found
// in a space where distances are those of the kernel, and then held: a structure that moved with
// the lengthscales would make the likelihood jump.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <utility>
#include <vector>

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
                 const BlockOptions& options);

  int size() const { return static_cast<int>(order_.size()); }
  const std::vector<int>& order() const { return order_; }  // the site of each position
  const std::vector<Block>& blocks() const { return blocks_; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  const std::vector<int>& inducing() const { return inducing_; }  // positions

  // The block in whose cell each point lies. The points are not scaled.
  std::vector<int> cells_of(const Eigen::MatrixXd& points) const;

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
            std::vector<Range>& ranges);

  // The blocks from the ranges of order_, in a random order.
  void shuffle(const std::vector<Range>& ranges, std::uint64_t seed);

  void find_neighbours(const Eigen::MatrixXd& points, const BlockOptions& options);

  void cut_pieces();

  Eigen::RowVectorXd length_scales_;
  std::vector<int> order_, inducing_, place_;
  std::vector<Block> blocks_;
  std::vector<Piece> pieces_;
  std::vector<Cell> cells_;
};

}  // namespace btg
