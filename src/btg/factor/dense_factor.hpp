// K as a dense matrix with its Cholesky factor, K = L L' and W = L^-1.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "btg/factor/factor.hpp"

namespace btg {

class DenseCrossTerms final : public CrossTerms {
 public:
  // `points` are scaled; `whitened` is L^-1 k, sites x points.
  DenseCrossTerms(const Covariance& covariance, Eigen::MatrixXd points, Eigen::MatrixXd whitened)
      : covariance_(covariance), points_(std::move(points)), whitened_(std::move(whitened)) {}

  Eigen::VectorXd explained() const override {
    return whitened_.colwise().squaredNorm().transpose();
  }
  Eigen::VectorXd times(const Eigen::VectorXd& prepared) const override {
    return whitened_.transpose() * prepared;
  }
  Eigen::MatrixXd transposed_times(const Eigen::MatrixXd& prepared) const override {
    return prepared.transpose() * whitened_;
  }
  Eigen::MatrixXd covariance() const override {
    const int m = static_cast<int>(points_.rows()), d = static_cast<int>(points_.cols());
    Eigen::MatrixXd explained(m, m), correlation(m, m);
    covariance_.compute->gram(whitened_.data(), static_cast<int>(whitened_.rows()), m,
                              explained.data());
    covariance_.kernel->correlation(points_.data(), m, d, covariance_.form(), correlation.data());
    correlation.triangularView<Eigen::Lower>() -= explained;
    return correlation;
  }

 private:
  Covariance covariance_;
  Eigen::MatrixXd points_, whitened_;
};

class DenseProjectedRoot final : public ProjectedRoot {
 public:
  // Column by column from L^-1, whose zeros above the diagonal need no work.
  DenseProjectedRoot(const Compute& compute, const Eigen::MatrixXd& l, const Eigen::MatrixXd& u)
      : compute_(compute), root_(l.rows(), l.rows()) {
    const int n = static_cast<int>(l.rows());
    compute.invert_lower(l.data(), n, root_.data());
    Eigen::VectorXd coefficients(u.cols());
    for (int k = 0; k < n; ++k) {
      coefficients.noalias() = u.bottomRows(n - k).transpose() * root_.col(k).tail(n - k);
      root_.col(k).noalias() -= u * coefficients;
    }
  }

  double squared_norm(int site) const override { return root_.col(site).squaredNorm(); }
  Eigen::MatrixXd gram(const std::vector<int>& sites,
                       const Eigen::VectorXd& weights) const override {
    const int size = static_cast<int>(sites.size());
    Eigen::MatrixXd columns(root_.rows(), size), result(size, size);
    for (int k = 0; k < size; ++k) columns.col(k) = weights[k] * root_.col(sites[k]);
    compute_.gram(columns.data(), static_cast<int>(columns.rows()), size, result.data());
    return result;
  }
  Eigen::VectorXd combine(const std::vector<int>& sites,
                          const Eigen::VectorXd& weights) const override {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(root_.rows());
    for (std::size_t k = 0; k < sites.size(); ++k) sum += weights[k] * root_.col(sites[k]);
    return sum;
  }
  Eigen::VectorXd transposed_times(const Eigen::VectorXd& x) const override {
    return root_.transpose() * x;
  }

 private:
  const Compute& compute_;
  Eigen::MatrixXd root_;
};

class DenseFactor final : public Factor {
 public:
  // `inputs` are scaled; `l` has the Cholesky factor in its lower triangle.
  DenseFactor(const Covariance& covariance, Eigen::MatrixXd inputs, Eigen::MatrixXd l)
      : covariance_(covariance), inputs_(std::move(inputs)), l_(std::move(l)) {}

  double half_log_det() const override { return l_.diagonal().array().log().sum(); }

  Eigen::MatrixXd whiten(const Eigen::MatrixXd& b) const override {
    Eigen::MatrixXd result = b;
    compute().solve_lower(l_.data(), size(), result.data(), static_cast<int>(result.cols()));
    return result;
  }
  Eigen::MatrixXd whiten_transposed(const Eigen::MatrixXd& b) const override {
    Eigen::MatrixXd result = b;
    compute().solve_lower_transposed(l_.data(), size(), result.data(),
                                     static_cast<int>(result.cols()));
    return result;
  }

  // 1/2 sum_ij S_ij dK_ij with S = left left' - K^-1 and left = K^-1 b.
  CovarianceGradient gradient(const Eigen::MatrixXd& whitened) const override {
    const int n = size(), d = static_cast<int>(inputs_.cols());
    const Eigen::MatrixXd left = whiten_transposed(whitened);
    Eigen::MatrixXd inverse(n, n);
    compute().inverse(l_.data(), n, inverse.data());
    Eigen::VectorXd slopes(d + covariance_.kernel->n_parameters);
    covariance_.kernel->gradient(inputs_.data(), n, d, covariance_.form(), inverse.data(),
                                 left.data(), static_cast<int>(left.cols()), slopes.data());
    return {0.5 * slopes.head(d), 0.5 * slopes.tail(slopes.size() - d),
            0.5 * (left.rowwise().squaredNorm() - inverse.diagonal())};
  }

  std::unique_ptr<const CrossTerms> cross(const Eigen::MatrixXd& points) const override {
    Eigen::MatrixXd scaled = covariance_.scale(points);
    const int m = static_cast<int>(points.rows());
    Eigen::MatrixXd whitened(size(), m);
    covariance_.kernel->cross_correlation(inputs_.data(), size(), scaled.data(), m,
                                          static_cast<int>(scaled.cols()), covariance_.form(),
                                          whitened.data());
    compute().solve_lower(l_.data(), size(), whitened.data(), m);
    return std::make_unique<DenseCrossTerms>(covariance_, std::move(scaled), std::move(whitened));
  }

  // d k' K^-1 k = 2 dk' K^-1 k and d k' K^-1 b = dk' K^-1 b, with dk by the scaled points first.
  CrossSlopes cross_slopes(const Eigen::MatrixXd& points,
                           const Eigen::MatrixXd& prepared) const override {
    const Eigen::MatrixXd scaled = covariance_.scale(points);
    const Eigen::Index n = size(), m = points.rows(), d = points.cols();
    Eigen::MatrixXd solved(n, m), slopes(n, m * d);
    covariance_.kernel->cross_correlation(inputs_.data(), size(), scaled.data(),
                                          static_cast<int>(m), static_cast<int>(d),
                                          covariance_.form(), solved.data());
    compute().solve_lower(l_.data(), size(), solved.data(), static_cast<int>(m));
    compute().solve_lower_transposed(l_.data(), size(), solved.data(), static_cast<int>(m));
    covariance_.kernel->cross_slopes(inputs_.data(), size(), scaled.data(), static_cast<int>(m),
                                     static_cast<int>(d), covariance_.form(), slopes.data());
    const Eigen::MatrixXd b = whiten_transposed(prepared);
    CrossSlopes result{Eigen::MatrixXd(m, d), {}};
    for (Eigen::Index k = 0; k < d; ++k) {
      const Eigen::MatrixXd dk = slopes.middleCols(m * k, m) / covariance_.length_scales[k];
      result.explained.col(k) = 2.0 * dk.cwiseProduct(solved).colwise().sum().transpose();
      result.times.emplace_back(b.transpose() * dk);
    }
    return result;
  }

  std::unique_ptr<const ProjectedRoot> project(const Eigen::MatrixXd& u) const override {
    return std::make_unique<DenseProjectedRoot>(compute(), l_, u);
  }

  std::shared_ptr<const Factor> packed() const override;

 private:
  const Compute& compute() const { return *covariance_.compute; }
  int size() const { return static_cast<int>(l_.rows()); }

  Covariance covariance_;
  Eigen::MatrixXd inputs_, l_;
};

// Without the upper triangle: column after column of L. One point asks for all of L once, and is
// answered as fast as memory can be read; what needs more of it is left to the unpacked form.
class PackedDenseFactor final : public Factor {
 public:
  PackedDenseFactor(const Covariance& covariance, const Eigen::MatrixXd& inputs,
                    const Eigen::MatrixXd& l)
      : covariance_(covariance), inputs_(inputs), columns_(l.rows() * (l.rows() + 1) / 2) {
    Eigen::Index first = 0;
    for (Eigen::Index j = 0; j < l.cols(); first += l.rows() - j, ++j) {
      columns_.segment(first, l.rows() - j) = l.col(j).tail(l.rows() - j);
    }
  }

  double half_log_det() const override { return dense().half_log_det(); }
  Eigen::MatrixXd whiten(const Eigen::MatrixXd& b) const override { return dense().whiten(b); }
  Eigen::MatrixXd whiten_transposed(const Eigen::MatrixXd& b) const override {
    return dense().whiten_transposed(b);
  }
  CovarianceGradient gradient(const Eigen::MatrixXd& whitened) const override {
    return dense().gradient(whitened);
  }
  CrossSlopes cross_slopes(const Eigen::MatrixXd& points,
                           const Eigen::MatrixXd& prepared) const override {
    return dense().cross_slopes(points, prepared);
  }
  std::unique_ptr<const ProjectedRoot> project(const Eigen::MatrixXd& u) const override {
    return dense().project(u);
  }

  std::unique_ptr<const CrossTerms> cross(const Eigen::MatrixXd& points) const override {
    Eigen::MatrixXd scaled = covariance_.scale(points);
    const int n = static_cast<int>(inputs_.rows()), m = static_cast<int>(points.rows());
    Eigen::MatrixXd whitened(n, m);
    covariance_.kernel->cross_correlation(inputs_.data(), n, scaled.data(), m,
                                          static_cast<int>(scaled.cols()), covariance_.form(),
                                          whitened.data());
    for (int k = 0; k < m; ++k) solve(whitened.col(k));
    return std::make_unique<DenseCrossTerms>(covariance_, std::move(scaled), std::move(whitened));
  }

  std::shared_ptr<const Factor> unpacked() const override {
    return std::make_shared<const DenseFactor>(dense());
  }

 private:
  // b <- L^-1 b
  void solve(Eigen::Ref<Eigen::VectorXd> b) const {
    const Eigen::Index n = b.size();
    Eigen::Index first = 0;
    for (Eigen::Index j = 0; j < n; first += n - j, ++j) {
      b[j] /= columns_[first];
      b.tail(n - j - 1) -= b[j] * columns_.segment(first + 1, n - j - 1);
    }
  }

  DenseFactor dense() const {
    const Eigen::Index n = inputs_.rows();
    Eigen::MatrixXd l(n, n);
    Eigen::Index first = 0;
    for (Eigen::Index j = 0; j < n; first += n - j, ++j) {
      l.col(j).tail(n - j) = columns_.segment(first, n - j);
    }
    return DenseFactor(covariance_, inputs_, std::move(l));
  }

  Covariance covariance_;
  Eigen::MatrixXd inputs_;
  Eigen::VectorXd columns_;
};

inline std::shared_ptr<const Factor> DenseFactor::packed() const {
  return std::make_shared<const PackedDenseFactor>(covariance_, inputs_, l_);
}

class DenseMethod final : public FactorMethod {
 public:
  std::unique_ptr<const Factor> factor(const Covariance& covariance, const Eigen::MatrixXd& inputs,
                                       const Eigen::VectorXd& noise,
                                       const Execution& /*execution*/) const override {
    Eigen::MatrixXd scaled = covariance.scale(inputs);
    const int n = static_cast<int>(inputs.rows()), d = static_cast<int>(inputs.cols());
    Eigen::MatrixXd l(n, n);
    covariance.kernel->correlation(scaled.data(), n, d, covariance.form(), l.data());
    l.diagonal() += noise;
    if (covariance.compute->cholesky(l.data(), n) != 0) return nullptr;
    const double least = smallest_pivot(n, 1.0 + noise.minCoeff());
    if (!(l.diagonal().array().square().minCoeff() > least)) return nullptr;
    return std::make_unique<DenseFactor>(covariance, std::move(scaled), std::move(l));
  }

  double factor_bytes(double n, double columns) const override {
    return 8.0 * n * (0.5 * (n + 1.0) + columns);
  }

  double factor_cost(double n) const override { return n * n * (n / 3.0 + 20.0); }
  double cross_cost(double n) const override { return n * (n + 20.0); }
  double project_cost(double n) const override { return 2.0 * factor_cost(n); }
  // As measured for 30 to 200 rows, each a site.
  double shared_cost(double n) const override { return std::min(0.5, 20.0 / n); }
  // So that they stay in the processor's cache: with 200 sites, 5000 at a time take twice as long.
  Eigen::Index points_at_a_time(Eigen::Index n) const override {
    return std::max<Eigen::Index>(256, (1 << 16) / n);
  }
};

inline std::shared_ptr<const FactorMethod> dense_method() {
  static const auto method = std::make_shared<const DenseMethod>();
  return method;
}

}  // namespace btg
