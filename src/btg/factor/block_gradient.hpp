// Derivatives of F = -1/2 log|K| - 1/2 sum_c b_c' K^-1 b_c for the K of block_factor.hpp. Each u
// minimises |W_c (b - V'u)|^2 + |u|^2, and the differential of log|H| equals that of
// |W_c V' L_H^-T|^2 with L_H fixed. So the differential of F equals that of
//
//   -sum_b log|L_bb| - 1/2 |W_c E|^2,   E = (V' L_H^-T, b_c - V'u_c)
//
// with L_H and u_c fixed. For the term of one block, with J = (N, b), e = b_c - V'u_c, res = W_c e
// and Y_b = W_b V_J', the derivative in C_JJ is (W_b'Theta + Theta'W_b) / 2, where
//
//   Theta = Phi W_b / 2 + (Psi, 0),   Phi = Y_b H^-1 Y_b' + res_b res_b' - I
//   Psi = (Y_b H^-1 V_N + res_b e_N') C_NN^-1.
//
// V_J enters both E and C = R - V'V + noise, so the derivative in V_J is
//
//   -(H^-1 Y_b' - u res_b' + V_J Theta') W_b - Y_b' Theta.
//
// Derivatives in R_uu and R_u follow from V = L_u^-1 R_u. F depends on V only through V'V, so V
// times the derivative in V is symmetric. With Z = L_u^-T dF/dV, the derivative in R_u is Z, and in
// R_uu it is -1/2 Z V' L_u^-1.
#pragma once

#include <Eigen/Core>

#include "btg/factor/block_state.hpp"
#include "btg/factor/factor.hpp"

namespace btg {

// A block's contribution to the derivatives at its members.
struct MemberSlopes {
  Eigen::VectorXd noise;
  Eigen::MatrixXd v;  // inducing x members
};

// Quantities that are fixed while F is differentiated.
struct HeldColumns {
  Eigen::MatrixXd res, e;  // positions x columns
  Eigen::MatrixXd u;       // inducing x columns
};

struct GradientScratch {
  ResidualRoot root;
  Buffer half, weights;
};

// Adds the part through dF/dC_JJ to `kernel`. `y` is Y_b' and `y_h` is H^-1 Y_b'.
MemberSlopes block_slopes(const BlockState& state, const HeldColumns& held, int k,
                          const Eigen::Ref<const Eigen::MatrixXd>& y,
                          const Eigen::Ref<const Eigen::MatrixXd>& y_h, GradientScratch& scratch,
                          Eigen::VectorXd& kernel);

// `whitened` is W b for the columns b.
CovarianceGradient block_gradient(const BlockState& state, const Eigen::MatrixXd& whitened);

}  // namespace btg
