// Blocks, their neighbours and cells, by looking at all sites.
#include <algorithm>
#include <set>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/factor/block_structure.hpp"
#include "check.hpp"
#include "problems.hpp"

using btg::BlockOptions;
using btg::BlockStructure;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;
using problems::Random;

namespace {

// The distances of the sites in positions below `end` to a point, in increasing order.
std::vector<double> distances(const BlockStructure& structure, const MatrixXd& scaled,
                              const RowVectorXd& centre, int end) {
  std::vector<double> result;
  for (int p = 0; p < end; ++p) {
    result.push_back((scaled.row(structure.order()[p]) - centre).norm());
  }
  std::sort(result.begin(), result.end());
  return result;
}

void check_structure(const MatrixXd& inputs, const RowVectorXd& length_scales,
                     const BlockOptions& options) {
  const BlockStructure structure(inputs, length_scales, options);
  const MatrixXd scaled = inputs.array().rowwise() / length_scales.array();
  const int n = static_cast<int>(inputs.rows());
  CHECK(structure.size() == n);
  CHECK(std::set<int>(structure.order().begin(), structure.order().end()).size() ==
        static_cast<std::size_t>(n));
  int next = 0;
  std::set<int> places;
  for (std::size_t b = 0; b < structure.blocks().size(); ++b) {
    const BlockStructure::Block& block = structure.blocks()[b];
    CHECK(block.first == next && block.size() >= 1 && block.size() <= options.block);
    next = block.end;
    places.insert(structure.place_of_cell(static_cast<int>(b)));
    RowVectorXd centre = RowVectorXd::Zero(inputs.cols());
    for (int p = block.first; p < block.end; ++p) {
      centre += scaled.row(structure.order()[p]) / block.size();
      CHECK(block.members[block.neighbour_count() + p - block.first] == p);
    }
    CHECK(block.neighbour_count() == std::min(options.neighbours, block.first));
    CHECK(static_cast<int>(block.around.size()) ==
          std::min(2 * options.neighbours + options.block, n));
    const std::vector<double> earlier = distances(structure, scaled, centre, block.first);
    const std::vector<double> all = distances(structure, scaled, centre, n);
    for (int k = 0; k < block.neighbour_count(); ++k) {
      CHECK(block.members[k] < block.first);
      CHECK_CLOSE((scaled.row(structure.order()[block.members[k]]) - centre).norm(), earlier[k],
                  1e-12);
    }
    for (std::size_t k = 0; k < block.around.size(); ++k) {
      CHECK_CLOSE((scaled.row(structure.order()[block.around[k]]) - centre).norm(), all[k], 1e-12);
    }
  }
  CHECK(next == n && places.size() == structure.blocks().size());
  int first = 0, first_block = 0;
  for (const BlockStructure::Piece& piece : structure.pieces()) {
    CHECK(piece.first == first && piece.first_block == first_block);
    first = piece.end;
    first_block = piece.end_block;
  }
  CHECK(first == n && first_block == static_cast<int>(structure.blocks().size()));
  const std::set<int> inducing(structure.inducing().begin(), structure.inducing().end());
  CHECK(inducing.size() == structure.inducing().size());
  CHECK(static_cast<int>(inducing.size()) <= options.inducing);
  for (const int p : inducing) CHECK(p >= 0 && p < n);
}

}  // namespace

TEST("blocks hold every site once, with the nearest of the earlier ones") {
  Random random(1);
  for (const int n : {1, 7, 40, 700}) {
    for (const int d : {1, 3}) {
      const MatrixXd inputs = random.matrix(n, d);
      const RowVectorXd length_scales = random.matrix(1, d, 0.1, 3);
      for (const BlockOptions& options :
           {BlockOptions{10, 8, 5, 0}, BlockOptions{6, 1, 0, 3}, BlockOptions{1000, 32, 1000, 1},
            BlockOptions{0, 5, 3, 1}}) {
        check_structure(inputs, length_scales, options);
      }
    }
  }
}

TEST("sites may share a place, all of them or some") {
  Random random(2);
  MatrixXd inputs = MatrixXd::Constant(60, 2, 0.3);
  check_structure(inputs, RowVectorXd::Ones(2), {10, 8, 5, 0});
  for (Eigen::Index i = 0; i < inputs.size(); ++i) inputs.data()[i] = random.integer(0, 2);
  check_structure(inputs, RowVectorXd::Ones(2), {10, 8, 5, 0});
}

TEST("with as many inducing sites as there are, all are") {
  Random random(3);
  const BlockStructure structure(random.matrix(30, 2), RowVectorXd::Ones(2), {5, 4, 30, 0});
  CHECK(structure.inducing().size() == 30);
}

TEST("sites lie in the cells of their blocks, and far points in some cell") {
  Random random(4);
  const MatrixXd inputs = random.matrix(300, 3);
  const BlockStructure structure(inputs, random.matrix(1, 3, 0.2, 2), {10, 8, 5, 7});
  const std::vector<int> cells = structure.cells_of(inputs);
  for (std::size_t b = 0; b < structure.blocks().size(); ++b) {
    const BlockStructure::Block& block = structure.blocks()[b];
    for (int p = block.first; p < block.end; ++p) {
      CHECK(cells[structure.order()[p]] == static_cast<int>(b));
    }
  }
  for (const int cell : structure.cells_of(MatrixXd::Constant(2, 3, 1e9))) {
    CHECK(cell >= 0 && cell < static_cast<int>(structure.blocks().size()));
  }
}

TEST("the structure is that of its seed") {
  Random random(5);
  const MatrixXd inputs = random.matrix(200, 2);
  const auto order = [&](std::uint64_t seed) {
    return BlockStructure(inputs, RowVectorXd::Ones(2), {10, 8, 5, seed}).order();
  };
  CHECK(order(1) == order(1));
  CHECK(order(1) != order(2));
}

TEST("numbers that make no sense are refused") {
  const MatrixXd inputs = MatrixXd::Zero(4, 1);
  for (const BlockOptions& options :
       {BlockOptions{-1, 8, 5, 0}, BlockOptions{1, 0, 5, 0}, BlockOptions{1, 8, -5, 0}}) {
    CHECK_THROWS(BlockStructure(inputs, RowVectorXd::Ones(1), options), btg::Error);
  }
}
