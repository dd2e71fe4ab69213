#include "btg/factor/block_gradient.hpp"

#include <cstddef>
#include <vector>

#include "btg/compute/compute.hpp"
#include "btg/factor/block_whitening.hpp"

namespace btg {

namespace {

struct PieceSlopes {
  Eigen::VectorXd kernel;  // log lengthscales, then log kernel parameters
  std::vector<MemberSlopes> blocks;
};

}  // namespace

MemberSlopes block_slopes(const BlockState& state, const HeldColumns& held, int k,
                          const Eigen::Ref<const Eigen::MatrixXd>& y,
                          const Eigen::Ref<const Eigen::MatrixXd>& y_h, GradientScratch& scratch,
                          Eigen::VectorXd& kernel) {
  const Compute& compute = state.compute();
  const BlockState::Block& block = state.block(k);
  const BlockState::Rows rows = state.rows_of(k);
  const int count = block.member_count(), size = block.size(), earlier = block.neighbour_count();
  const int r = state.inducing();
  const Eigen::MatrixXd res = held.res.middleRows(block.first, size);
  const std::vector<int> neighbours(block.members.begin(), block.members.begin() + earlier);
  ResidualRoot& root = scratch.root;
  root.make(state, block.members.data(), earlier, count);

  Eigen::MatrixXd phi = res * res.transpose();
  phi.diagonal().array() -= 1.0;
  Eigen::MatrixXd psi = values_at(held.e, neighbours) * res.transpose();
  if (r > 0) {
    compute.add_product(1.0, {y.data(), r, true}, {y_h.data(), r, false}, size, r, size, phi.data(),
                        size);
    compute.add_product(1.0, {root.v(), r, true}, {y_h.data(), r, false}, earlier, r, size,
                        psi.data(), earlier);
  }
  if (earlier > 0) {
    compute.solve_lower(root.l(), earlier, psi.data(), size);
    compute.solve_lower_transposed(root.l(), earlier, psi.data(), size);
  }
  Eigen::MatrixXd theta = Eigen::MatrixXd::Zero(count, size);
  theta.topRows(earlier) = psi;
  compute.add_product(0.5, {rows.data(), count, false}, {phi.data(), size, false}, count, size,
                      size, theta.data(), count);

  // Covariance::gradient expects minus the weights, in the lower triangle.
  Eigen::Map<Eigen::MatrixXd> half = scratch.half.take(count, count);
  half.setZero();
  compute.add_product(-0.5, {rows.data(), count, false}, {theta.data(), count, true}, count, size,
                      count, half.data(), count);
  Eigen::Map<Eigen::MatrixXd> weights = scratch.weights.take(count, count);
  weights = half + half.transpose();
  Eigen::VectorXd slopes(kernel.size());
  state.covariance.gradient(root.points(), count, weights.data(), nullptr, 0, slopes.data());
  kernel += slopes;

  MemberSlopes result;
  result.noise = rows.cwiseProduct(theta).rowwise().sum();
  result.v = Eigen::MatrixXd::Zero(r, count);
  if (r == 0) return result;
  Eigen::MatrixXd left = y_h;
  left.noalias() -= held.u * res.transpose();
  compute.add_product(1.0, {root.v(), r, false}, {theta.data(), count, false}, r, count, size,
                      left.data(), r);
  compute.add_product(-1.0, {left.data(), r, false}, {rows.data(), count, true}, r, size, count,
                      result.v.data(), r);
  compute.add_product(-1.0, {y.data(), r, false}, {theta.data(), count, true}, r, size, count,
                      result.v.data(), r);
  return result;
}

namespace {

PieceSlopes piece_slopes(const BlockState& state, const HeldColumns& held, long i,
                         Eigen::Index slopes) {
  const BlockState::Piece& piece = state.piece(i);
  PieceSlopes result{Eigen::VectorXd::Zero(slopes), {}};
  const Eigen::MatrixXd y = whitened_inducing(state, piece);
  Eigen::MatrixXd y_h = y;
  solve_h(state, y_h);
  GradientScratch scratch;
  for (int k = piece.first_block; k < piece.end_block; ++k) {
    state.execution.check();
    const BlockState::Block& block = state.block(k);
    const int first = block.first - piece.first;
    result.blocks.push_back(block_slopes(state, held, k, y.middleCols(first, block.size()),
                                         y_h.middleCols(first, block.size()), scratch,
                                         result.kernel));
  }
  return result;
}

// The part of the gradient through R_u and R_uu, from dF/dV.
Eigen::VectorXd inducing_slopes(const BlockState& state, const Eigen::MatrixXd& v_slopes,
                                Eigen::Index slopes) {
  const int r = state.inducing_sites();
  const Compute& compute = state.compute();
  const Covariance covariance = state.full_rank();
  struct Part {
    Eigen::VectorXd kernel;
    Eigen::MatrixXd product;  // of dF/dV and V'
  };
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(slopes);
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(r, r);
  parallel_in_order(
      state.piece_count(), state.execution,
      [&](long i) {
        const BlockState::Piece& piece = state.piece(i);
        const int count = piece.end - piece.first;
        Part part{Eigen::VectorXd(slopes), Eigen::MatrixXd::Zero(r, r)};
        Eigen::MatrixXd z = v_slopes.block(0, piece.first, r, count);
        compute.add_product(1.0, {z.data(), r, false},
                            {state.v.col(piece.first).data(), state.inducing(), true}, r, count, r,
                            part.product.data(), r);
        compute.solve_lower_transposed(state.inducing_root.data(), r, z.data(), count);
        const Eigen::MatrixXd points = state.points.middleCols(piece.first, count).transpose();
        covariance.cross_gradient(state.inducing_points.data(), r, points.data(), count, z.data(),
                                  part.kernel.data());
        return part;
      },
      [&](long, const Part& part) {
        sum += part.kernel;
        product += part.product;
      });

  // 1/2 L_u^-T product L_u^-1, which is minus the weights, as Covariance::gradient expects.
  Eigen::MatrixXd weights = 0.25 * (product + product.transpose());
  compute.solve_lower_transposed(state.inducing_root.data(), r, weights.data(), r);
  weights.transposeInPlace();
  compute.solve_lower_transposed(state.inducing_root.data(), r, weights.data(), r);
  Eigen::VectorXd of_inducing(slopes);
  covariance.gradient(state.inducing_points.data(), r, weights.data(), nullptr, 0,
                      of_inducing.data());
  return sum + of_inducing;
}

// Adds the part of the gradient through the functions of low rank, which only depend on the shares.
void add_low_rank_slopes(const BlockState& state, const Eigen::MatrixXd& v_slopes,
                         Eigen::VectorXd& kernel) {
  const int shares = state.covariance.first_share();
  for (std::size_t k = 0; k < state.low_rank.size(); ++k) {
    const int row = state.inducing_sites() + static_cast<int>(k);
    kernel[shares + state.low_rank[k].term] += 0.5 * v_slopes.row(row).dot(state.v.row(row));
  }
}

}  // namespace

CovarianceGradient block_gradient(const BlockState& state, const Eigen::MatrixXd& whitened) {
  const int n = state.size(), r = state.inducing();
  HeldColumns held;
  held.res = whitened.topRows(n);
  held.e = residual_unwhiten(state, held.res);
  held.u = whitened.bottomRows(r);

  const Eigen::Index slopes = state.covariance.slope_count();
  Eigen::VectorXd kernel = Eigen::VectorXd::Zero(slopes), noise = Eigen::VectorXd::Zero(n);
  Eigen::MatrixXd v_slopes = Eigen::MatrixXd::Zero(r, n);
  parallel_in_order(
      state.piece_count(), state.execution,
      [&](long i) { return piece_slopes(state, held, i, slopes); },
      [&](long i, const PieceSlopes& part) {
        kernel += part.kernel;
        for (std::size_t k = 0; k < part.blocks.size(); ++k) {
          const std::vector<int>& members =
              state.block(state.piece(i).first_block + static_cast<int>(k)).members;
          for (std::size_t j = 0; j < members.size(); ++j) {
            noise[members[j]] += part.blocks[k].noise[j];
            v_slopes.col(members[j]) += part.blocks[k].v.col(j);
          }
        }
      });
  if (state.inducing_sites() > 0) kernel += inducing_slopes(state, v_slopes, slopes);
  add_low_rank_slopes(state, v_slopes, kernel);

  CovarianceGradient gradient = split_slopes(state.covariance, kernel, Eigen::VectorXd(n));
  for (int p = 0; p < n; ++p) gradient.noise[state.structure->order()[p]] = noise[p];
  return gradient;
}

}  // namespace btg
