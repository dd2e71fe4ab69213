// Blocks, their neighbours and cells, by looking at all sites.
#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/factor/block_structure.hpp"
#include "check.hpp"
#include "problems.hpp"

using btg::BlockOptions;
using btg::BlockStructure;
using btg::InputSpace;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;
using problems::Random;

namespace {

// The position below `end` of the site nearest to that in position p.
double nearest_distance(const BlockStructure& structure, const MatrixXd& scaled, int p, int end) {
  double least = INFINITY;
  for (int q = 0; q < end; ++q) {
    if (q == p) continue;
    least = std::min(least,
                     (scaled.row(structure.order()[q]) - scaled.row(structure.order()[p])).norm());
  }
  return least;
}

double distance_to(const BlockStructure& structure, const MatrixXd& scaled, int p,
                   const std::vector<int>& positions) {
  double least = INFINITY;
  for (const int q : positions) {
    if (q == p) continue;
    least = std::min(least,
                     (scaled.row(structure.order()[q]) - scaled.row(structure.order()[p])).norm());
  }
  return least;
}

void check_increasing(const std::vector<int>& positions, std::size_t count, int end) {
  for (std::size_t k = 0; k < count; ++k) {
    CHECK(positions[k] >= 0 && positions[k] < end);
    CHECK(k == 0 || positions[k] > positions[k - 1]);
  }
}

void check_structure(const MatrixXd& inputs, const RowVectorXd& length_scales,
                     const BlockOptions& options) {
  const BlockStructure structure(inputs, InputSpace(length_scales), options);
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
    for (int p = block.first; p < block.end; ++p) {
      CHECK(block.members[block.neighbour_count() + p - block.first] == p);
    }
    CHECK(block.neighbour_count() == std::min(options.neighbours, block.first));
    CHECK(static_cast<int>(block.around.size()) ==
          std::min(2 * options.neighbours + options.block, n));
    check_increasing(block.members, block.neighbour_count(), block.first);
    check_increasing(block.around, block.around.size(), n);
    // At most 12 members choose neighbours in turn, so all members of a small block have their
    // nearest sites.
    if (block.size() > 12 || options.neighbours < block.size()) continue;
    const std::vector<int> neighbours(block.members.begin(),
                                      block.members.begin() + block.neighbour_count());
    for (int p = block.first; p < block.end; ++p) {
      CHECK_CLOSE(distance_to(structure, scaled, p, neighbours),
                  nearest_distance(structure, scaled, p, block.first), 1e-12);
      CHECK_CLOSE(distance_to(structure, scaled, p, block.around),
                  nearest_distance(structure, scaled, p, n), 1e-12);
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
  inputs.col(1).setConstant(4.0);
  check_structure(inputs, RowVectorXd::Ones(2), {10, 8, 5, 0});
}

TEST("with as many inducing sites as there are, all are") {
  Random random(3);
  const BlockStructure structure(random.matrix(30, 2), InputSpace(RowVectorXd::Ones(2)),
                                 {5, 4, 30, 0});
  CHECK(structure.inducing().size() == 30);
}

TEST("sites lie in the cells of their blocks, and far points in some cell") {
  Random random(4);
  const MatrixXd inputs = random.matrix(300, 3);
  const BlockStructure structure(inputs, InputSpace(random.matrix(1, 3, 0.2, 2)), {10, 8, 5, 7});
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

TEST("neighbours are of the same level of a factor if levels are far apart") {
  Random random(6);
  for (const int levels : {2, 8, 30}) {
    const int n = 60 * levels;
    MatrixXd inputs = MatrixXd::Zero(n, 2 + levels);
    inputs.leftCols(2) = random.matrix(n, 2);
    std::vector<int> level(n);
    for (int i = 0; i < n; ++i) {
      level[i] = i % levels;
      inputs(i, 2 + level[i]) = 1.0;
    }
    RowVectorXd length_scales = RowVectorXd::Constant(2 + levels, 0.5);
    length_scales.tail(levels).setConstant(0.02);
    const BlockStructure structure(inputs, InputSpace(length_scales), {12, 8, 5, 0});
    for (const BlockStructure::Block& block : structure.blocks()) {
      const int own = level[structure.order()[block.first]];
      int earlier = 0;
      for (int p = 0; p < block.first; ++p) earlier += level[structure.order()[p]] == own;
      int found = 0;
      for (const int p : block.members) found += level[structure.order()[p]] == own;
      CHECK(found == block.size() + std::min(earlier, block.neighbour_count()));
      for (const int p : block.around) CHECK(level[structure.order()[p]] == own);
    }
    // New points of a level are predicted from its rows.
    MatrixXd points = inputs;
    points.leftCols(2) = random.matrix(n, 2);
    for (const btg::SiteGroup& group : structure.groups_of(points)) {
      for (const int i : group.points) {
        for (const int p : group.sites) CHECK(level[structure.order()[p]] == level[i]);
      }
    }
  }
}

TEST("the sites of a point do not depend on other points, and include near ones") {
  Random random(7);
  const MatrixXd inputs = random.matrix(400, 3);
  const RowVectorXd length_scales = random.matrix(1, 3, 0.2, 2);
  const BlockStructure structure(inputs, InputSpace(length_scales), {12, 8, 5, 0});
  MatrixXd points = random.matrix(60, 3, -2, 2);
  std::vector<std::vector<int>> sites(60);
  for (const btg::SiteGroup& group : structure.groups_of(points)) {
    for (const int i : group.points) {
      CHECK(sites[i].empty());
      sites[i] = group.sites;
    }
  }
  for (int i = 0; i < 60; ++i) {
    const btg::SiteGroups alone = structure.groups_of(points.row(i));
    CHECK(alone.size() == 1 && alone[0].sites == sites[i]);
    // One of the three nearest sites is among them, or the point would have sites of its own.
    const std::vector<int> nearest = structure.nearest_sites(points.row(i), 3);
    CHECK(std::any_of(nearest.begin(), nearest.end(), [&](int p) {
      return std::find(sites[i].begin(), sites[i].end(), p) != sites[i].end();
    }));
  }
}

TEST("the structure is that of its seed") {
  Random random(5);
  const MatrixXd inputs = random.matrix(200, 2);
  const auto order = [&](std::uint64_t seed) {
    return BlockStructure(inputs, InputSpace(RowVectorXd::Ones(2)), {10, 8, 5, seed}).order();
  };
  CHECK(order(1) == order(1));
  CHECK(order(1) != order(2));
}

TEST("numbers that make no sense are refused") {
  const MatrixXd inputs = MatrixXd::Zero(4, 1);
  for (const BlockOptions& options :
       {BlockOptions{-1, 8, 5, 0}, BlockOptions{1, 0, 5, 0}, BlockOptions{1, 8, -5, 0}}) {
    CHECK_THROWS(BlockStructure(inputs, InputSpace(RowVectorXd::Ones(1)), options), btg::Error);
  }
}

TEST("levels become coordinates with the kernel's distances") {
  MatrixXd inputs(4, 3);
  inputs << 1, 1, 5, 2, 3, 6, 1, 3, 5, 4, 2, 9;
  const RowVectorXd length_scales = Eigen::RowVector3d(2, 0.5, 3);
  const MatrixXd points = InputSpace(length_scales, {{1, 3, 1.7}}).coordinates(inputs);
  CHECK(points.cols() == 5);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const double numbers = std::pow((inputs(i, 0) - inputs(j, 0)) / 2, 2) +
                             std::pow((inputs(i, 2) - inputs(j, 2)) / 3, 2);
      const double levels = inputs(i, 1) == inputs(j, 1) ? 0.0 : 1.7 / (0.5 * 0.5);
      CHECK(std::abs((points.row(i) - points.row(j)).squaredNorm() - numbers - levels) < 1e-12);
    }
  }
}
