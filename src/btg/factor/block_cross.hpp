// New points under the block factor. At x, the process is v'w + g with v = V(x). The sites give
// w ~ N(u, H^-1). The residual g is predicted from the sites A around the cell of x as if w were
// known: with c = C_A(x) = R_A(x) - V_A'v and h = v - V_A C_AA^-1 c,
//
//   k' K^-1 b = v'u + c' C_AA^-1 (b - V'u)_A
//   k' K^-1 k = |v|^2 + c' C_AA^-1 c - h' H^-1 h
//
// This is exact if A and the neighbours of the blocks include all sites.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "btg/factor/block_state.hpp"
#include "btg/factor/factor.hpp"
#include "btg/factor/local_sites.hpp"

namespace btg {

// Points predicted from the same sites.
struct PointGroup {
  std::vector<int> points;
  std::vector<int> sites;    // positions in the state of the points
  Eigen::MatrixXd weights;   // C_AA^-1 c, sites x points
  Eigen::MatrixXd h;         // inducing x points
  Eigen::MatrixXd whitened;  // L_A^-1 c
};

// New points for one factor, of the process or of some of its terms.
struct BlockPoints {
  BlockPoints(std::shared_ptr<const BlockState> of, const Eigen::MatrixXd& inputs,
              const KeptTerms& kept);

  // Computes the weights, h and whitened terms of a group, and the root of C_AA.
  void predict_residual(PointGroup& group, ResidualRoot& root) const;

  // L_H^-1 h, or of any other columns.
  Eigen::MatrixXd root_of_h(Eigen::MatrixXd h) const;

  std::shared_ptr<const BlockState> state;
  Covariance covariance;      // of the kept terms
  Eigen::MatrixXd points, v;  // scaled points; inducing x points
};

class BlockCrossTerms final : public CrossTerms {
 public:
  // Predicts the points of each group from its sites. Every point belongs to one group.
  BlockCrossTerms(LocalSites sites, const Eigen::MatrixXd& points, const KeptTerms& kept);

  Eigen::VectorXd prior() const override { return of_.covariance.variance(of_.points); }
  Eigen::VectorXd explained() const override { return explained_; }
  Eigen::VectorXd times(const Eigen::VectorXd& prepared) const override {
    return transposed_times(prepared).transpose();
  }
  Eigen::MatrixXd transposed_times(const Eigen::MatrixXd& prepared) const override;

  // Points in nearby cells are predicted jointly, from the sites around all of them. Other points
  // are dependent only through w.
  Eigen::MatrixXd covariance() const override;

 private:
  // Lower triangle of C <- C + scale X'X. Eigen would dereference the first element of an empty X.
  static void add_gram(Eigen::MatrixXd& c, const Eigen::MatrixXd& x, double scale) {
    if (x.size() > 0) c.selfadjointView<Eigen::Lower>().rankUpdate(x.transpose(), scale);
  }

  // Joins adjacent cells while they have at most `most` sites around them.
  std::vector<PointGroup> joined_groups() const;

  LocalSites sites_;
  BlockPoints of_;
  Eigen::VectorXd explained_;
  std::vector<PointGroup> groups_;
  std::vector<int> cells_;  // cell of each group
};

}  // namespace btg
