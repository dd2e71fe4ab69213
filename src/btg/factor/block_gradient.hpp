// Derivatives of F = -1/2 log|K| - 1/2 sum_c b_c' K^-1 b_c for the K of block_factor.hpp. As u of
// each b minimises |W_c (b - V'u)|^2 + |u|^2, and as log|H| changes like |W_c V' L_H^-T|^2 with L_H
// held, F changes like
//
//   -sum_b log|L_bb| - 1/2 |W_c E|^2,   E = (V' L_H^-T, b_c - V'u_c)
//
// with L_H and u_c held. Of the term of a block, with J = (N, b), e = b_c - V'u_c, res = W_c e and
// Y_b = W_b V_J', the derivative in C_JJ is (W_b'Theta + Theta'W_b) / 2, where
//
//   Theta = Phi W_b / 2 + (Psi, 0),   Phi = Y_b H^-1 Y_b' + res_b res_b' - I
//   Psi = (Y_b H^-1 V_N + res_b e_N') C_NN^-1
//
// and that in V_J, as V is in E and in C = R - V'V + noise,
//
//   -(H^-1 Y_b' - u res_b' + V_J Theta') W_b - Y_b' Theta.
//
// Those in R_uu and R_u follow from V = L_u^-1 R_u. F depends on V by V'V alone, so that V times
// the derivative in V is symmetric: with Z = L_u^-T dF/dV, the derivative in R_u is Z, and in R_uu
// -1/2 Z V' L_u^-1.
#pragma once

#include <Eigen/Core>

#include "btg/factor/block_state.hpp"
#include "btg/factor/factor.hpp"

namespace btg {

// What a block gives to the derivatives in its members.
struct MemberSlopes {
  Eigen::VectorXd noise;
  Eigen::MatrixXd v;  // inducing x members
};

// What F holds while it is differentiated, see above.
struct HeldColumns {
  Eigen::MatrixXd res, e;  // positions x columns
  Eigen::MatrixXd u;       // inducing x columns
};

struct GradientScratch {
  ResidualRoot root;
  Buffer half, weights;
};

// dF/dC_JJ goes to `kernel`. `y` and `y_h` are Y_b' and H^-1 Y_b', inducing x sites of the block.
MemberSlopes block_slopes(const BlockState& state, const HeldColumns& held, int k,
                          const Eigen::Ref<const Eigen::MatrixXd>& y,
                          const Eigen::Ref<const Eigen::MatrixXd>& y_h, GradientScratch& scratch,
                          Eigen::VectorXd& kernel);

// From W b of the columns b.
CovarianceGradient block_gradient(const BlockState& state, const Eigen::MatrixXd& whitened);

}  // namespace btg
