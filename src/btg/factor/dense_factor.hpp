// K as a dense matrix with its Cholesky factor: K = L L' and W = L^-1.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <utility>
#include <vector>

#include "btg/compute/compute.hpp"
#include "btg/factor/covariance.hpp"
#include "btg/factor/factor.hpp"

namespace btg {

class DenseProjectedRoot final : public ProjectedRoot {
 public:
  // Works column by column on L^-1, to skip the zeros above the diagonal.
  DenseProjectedRoot(const Compute& compute, const Eigen::MatrixXd& l, const Eigen::MatrixXd& u);
  // The columns of `sites` only.
  DenseProjectedRoot(const Compute& compute, const Eigen::MatrixXd& l, const Eigen::MatrixXd& u,
                     const std::vector<int>& sites);

  double squared_norm(int site) const override { return root_.col(place_[site]).squaredNorm(); }
  Eigen::MatrixXd gram(const std::vector<int>& sites,
                       const Eigen::VectorXd& weights) const override;
  Eigen::VectorXd combine(const std::vector<int>& sites,
                          const Eigen::VectorXd& weights) const override;
  // NaN for sites without a column.
  Eigen::VectorXd transposed_times(const Eigen::VectorXd& x) const override;

 private:
  const Compute& compute_;
  std::vector<int> place_;  // the column of each site, or -1
  Eigen::MatrixXd root_;
};

class DenseFactor final : public Factor {
 public:
  // `inputs` are scaled; the lower triangle of `l` is the Cholesky factor.
  DenseFactor(const Covariance& covariance, Eigen::MatrixXd inputs, Eigen::MatrixXd l)
      : covariance_(covariance), inputs_(std::move(inputs)), l_(std::move(l)) {}

  double half_log_det() const override { return l_.diagonal().array().log().sum(); }

  Eigen::MatrixXd whiten(const Eigen::MatrixXd& b) const override;
  Eigen::MatrixXd whiten_transposed(const Eigen::MatrixXd& b) const override;

  // 1/2 sum_ij S_ij dK_ij with S = left left' - K^-1 and left = K^-1 b.
  CovarianceGradient gradient(const Eigen::MatrixXd& whitened) const override;

  std::unique_ptr<const CrossTerms> cross(const Eigen::MatrixXd& points, const KeptTerms& kept,
                                          const SiteGroups& groups) const override;

  // d k' K^-1 k = 2 dk' K^-1 k and d k' K^-1 b = dk' K^-1 b, with dk through the scaled points.
  CrossSlopes cross_slopes(const Eigen::MatrixXd& points, const KeptTerms& kept,
                           const Eigen::MatrixXd& prepared) const override;
  WhitenedSlopes whitened_slopes(const Eigen::MatrixXd& points,
                                 const KeptTerms& kept) const override;

  std::unique_ptr<const ProjectedRoot> project(const Eigen::MatrixXd& u) const override {
    return std::make_unique<DenseProjectedRoot>(compute(), l_, u);
  }
  std::unique_ptr<const ProjectedRoot> project_some(const Eigen::MatrixXd& u,
                                                    const std::vector<int>& sites) const override;

  std::shared_ptr<const Factor> packed() const override;

 private:
  const Compute& compute() const { return *covariance_.compute; }
  int size() const { return static_cast<int>(l_.rows()); }

  Covariance covariance_;
  Eigen::MatrixXd inputs_, l_;
};

// Stores only the lower triangle, in the order of Compute::pack_lower. Prediction at one point
// reads L once, at the speed of memory, and rounds as prediction at many. Other operations unpack
// L.
class PackedDenseFactor final : public Factor {
 public:
  PackedDenseFactor(const Covariance& covariance, const Eigen::MatrixXd& inputs,
                    const Eigen::MatrixXd& l);

  double half_log_det() const override { return dense().half_log_det(); }
  Eigen::MatrixXd whiten(const Eigen::MatrixXd& b) const override { return dense().whiten(b); }
  Eigen::MatrixXd whiten_transposed(const Eigen::MatrixXd& b) const override {
    return dense().whiten_transposed(b);
  }
  CovarianceGradient gradient(const Eigen::MatrixXd& whitened) const override {
    return dense().gradient(whitened);
  }
  CrossSlopes cross_slopes(const Eigen::MatrixXd& points, const KeptTerms& kept,
                           const Eigen::MatrixXd& prepared) const override;
  WhitenedSlopes whitened_slopes(const Eigen::MatrixXd& points,
                                 const KeptTerms& kept) const override {
    return dense().whitened_slopes(points, kept);
  }
  std::unique_ptr<const ProjectedRoot> project(const Eigen::MatrixXd& u) const override {
    return dense().project(u);
  }

  std::unique_ptr<const CrossTerms> cross(const Eigen::MatrixXd& points, const KeptTerms& kept,
                                          const SiteGroups& groups) const override;

  std::shared_ptr<const Factor> unpacked() const override {
    return std::make_shared<const DenseFactor>(dense());
  }

 private:
  DenseFactor dense() const;

  Covariance covariance_;
  Eigen::MatrixXd inputs_;
  Eigen::VectorXd packed_;
};

inline std::shared_ptr<const Factor> DenseFactor::packed() const {
  return std::make_shared<const PackedDenseFactor>(covariance_, inputs_, l_);
}

std::shared_ptr<const FactorMethod> dense_method();

}  // namespace btg
