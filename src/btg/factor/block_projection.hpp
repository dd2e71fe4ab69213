// Left-out rows under the block factor. With T = W_c'Y = W_c'W_c V',
//
//   Q = K^-1 - W'U U'W = W_c'W_c - S'S,   S = (L_H^-1 T', U'W).
//
// An element of Q needs one column of S for each of its sites, and the blocks that have both as
// members. S is stored and is as large as V. The difference loses at most
// log10(process variance / noise variance) digits.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <utility>
#include <vector>

#include "btg/factor/block_state.hpp"
#include "btg/factor/block_whitening.hpp"
#include "btg/factor/factor.hpp"

namespace btg {

class BlockProjectedRoot final : public ProjectedRoot {
 public:
  BlockProjectedRoot(std::shared_ptr<const BlockState> state, const Eigen::MatrixXd& u);

  double squared_norm(int site) const override { return squared_norm_[position_[site]]; }

  Eigen::MatrixXd gram(const std::vector<int>& sites,
                       const Eigen::VectorXd& weights) const override;

  Eigen::VectorXd combine(const std::vector<int>& sites,
                          const Eigen::VectorXd& weights) const override;

  Eigen::VectorXd transposed_times(const Eigen::VectorXd& x) const override {
    return block_whiten_transposed(*state_, x - u_ * (u_.transpose() * x));
  }

 private:
  // L_H^-1 T', from each block's W_b'Y_b.
  void add_inducing();

  std::shared_ptr<const BlockState> state_;
  Eigen::MatrixXd u_, s_;
  Eigen::VectorXd squared_norm_;                               // by position
  std::vector<int> position_;                                  // of each site
  std::vector<std::vector<std::pair<int, int>>> memberships_;  // position -> (block, member)
};

}  // namespace btg
