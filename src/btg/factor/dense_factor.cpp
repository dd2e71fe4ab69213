#include "btg/factor/dense_factor.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "btg/base/parallel.hpp"
#include "btg/base/select_rows.hpp"

namespace btg {

namespace {

class DenseCrossTerms final : public CrossTerms {
 public:
  // `points` are scaled; `whitened` is L^-1 k, sites x points.
  DenseCrossTerms(Covariance covariance, Eigen::MatrixXd points, Eigen::MatrixXd whitened)
      : covariance_(std::move(covariance)),
        points_(std::move(points)),
        whitened_(std::move(whitened)) {}

  Eigen::VectorXd prior() const override { return covariance_.variance(points_); }
  Eigen::VectorXd explained() const override {
    return whitened_.colwise().squaredNorm().transpose();
  }
  // Products are sums over one column each, because a matrix product may round the columns of one
  // point and of many differently.
  Eigen::VectorXd times(const Eigen::VectorXd& prepared) const override {
    Eigen::VectorXd result(whitened_.cols());
    for (Eigen::Index k = 0; k < result.size(); ++k) result[k] = whitened_.col(k).dot(prepared);
    return result;
  }
  Eigen::MatrixXd transposed_times(const Eigen::MatrixXd& prepared) const override {
    Eigen::MatrixXd result(prepared.cols(), whitened_.cols());
    for (Eigen::Index j = 0; j < result.rows(); ++j) {
      result.row(j) = times(prepared.col(j)).transpose();
    }
    return result;
  }
  Eigen::MatrixXd covariance() const override {
    const int m = static_cast<int>(points_.rows());
    Eigen::MatrixXd explained(m, m), correlation(m, m);
    covariance_.compute->gram(whitened_.data(), static_cast<int>(whitened_.rows()), m,
                              explained.data());
    covariance_.correlation(points_.data(), m, correlation.data());
    correlation.triangularView<Eigen::Lower>() -= explained;
    return correlation;
  }
  bool has_columns() const override { return true; }
  Eigen::MatrixXd covariance_columns(const std::vector<int>& some) const override {
    const int m = static_cast<int>(points_.rows()), n = static_cast<int>(whitened_.rows());
    const int count = static_cast<int>(some.size());
    const Eigen::MatrixXd chosen = select_rows(points_, some);
    Eigen::MatrixXd solved(n, count), columns(m, count);
    for (int k = 0; k < count; ++k) solved.col(k) = whitened_.col(some[k]);
    covariance_.cross(points_.data(), m, chosen.data(), count, columns.data());
    covariance_.compute->add_product(-1.0, {whitened_.data(), n, true}, {solved.data(), n, false},
                                     m, n, count, columns.data(), m);
    return columns;
  }

 private:
  Covariance covariance_;
  Eigen::MatrixXd points_, whitened_;
};

}  // namespace

DenseProjectedRoot::DenseProjectedRoot(const Compute& compute, const Eigen::MatrixXd& l,
                                       const Eigen::MatrixXd& u)
    : compute_(compute), place_(l.rows()), root_(l.rows(), l.rows()) {
  std::iota(place_.begin(), place_.end(), 0);
  const int n = static_cast<int>(l.rows());
  compute.invert_lower(l.data(), n, root_.data());
  Eigen::VectorXd coefficients(u.cols());
  for (int k = 0; k < n; ++k) {
    coefficients.noalias() = u.bottomRows(n - k).transpose() * root_.col(k).tail(n - k);
    root_.col(k).noalias() -= u * coefficients;
  }
}

DenseProjectedRoot::DenseProjectedRoot(const Compute& compute, const Eigen::MatrixXd& l,
                                       const Eigen::MatrixXd& u, const std::vector<int>& sites)
    : compute_(compute), place_(l.rows(), -1) {
  int columns = 0;
  for (const int site : sites) {
    if (place_[site] < 0) place_[site] = columns++;
  }
  root_ = Eigen::MatrixXd::Zero(l.rows(), columns);
  for (const int site : sites) root_(site, place_[site]) = 1.0;
  compute.solve_lower(l.data(), static_cast<int>(l.rows()), root_.data(), columns);
  const Eigen::MatrixXd coefficients = u.transpose() * root_;
  root_.noalias() -= u * coefficients;
}

Eigen::VectorXd DenseProjectedRoot::transposed_times(const Eigen::VectorXd& x) const {
  const Eigen::VectorXd products = root_.transpose() * x;
  Eigen::VectorXd result(place_.size());
  for (std::size_t site = 0; site < place_.size(); ++site) {
    result[site] = place_[site] < 0 ? NAN : products[place_[site]];
  }
  return result;
}

Eigen::MatrixXd DenseProjectedRoot::gram(const std::vector<int>& sites,
                                         const Eigen::VectorXd& weights) const {
  const int size = static_cast<int>(sites.size());
  Eigen::MatrixXd columns(root_.rows(), size), result(size, size);
  for (int k = 0; k < size; ++k) columns.col(k) = weights[k] * root_.col(place_[sites[k]]);
  compute_.gram(columns.data(), static_cast<int>(columns.rows()), size, result.data());
  return result;
}

Eigen::VectorXd DenseProjectedRoot::combine(const std::vector<int>& sites,
                                            const Eigen::VectorXd& weights) const {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(root_.rows());
  for (std::size_t k = 0; k < sites.size(); ++k) sum += weights[k] * root_.col(place_[sites[k]]);
  return sum;
}

Eigen::MatrixXd DenseFactor::whiten(const Eigen::MatrixXd& b) const {
  Eigen::MatrixXd result = b;
  compute().solve_lower(l_.data(), size(), result.data(), static_cast<int>(result.cols()));
  return result;
}

Eigen::MatrixXd DenseFactor::whiten_transposed(const Eigen::MatrixXd& b) const {
  Eigen::MatrixXd result = b;
  compute().solve_lower_transposed(l_.data(), size(), result.data(),
                                   static_cast<int>(result.cols()));
  return result;
}

std::unique_ptr<const ProjectedRoot> DenseFactor::project_some(
    const Eigen::MatrixXd& u, const std::vector<int>& sites) const {
  // Inverting L costs a third of solving for as many columns as it has.
  if (3 * static_cast<int>(sites.size()) > size()) return project(u);
  return std::make_unique<DenseProjectedRoot>(compute(), l_, u, sites);
}

CovarianceGradient DenseFactor::gradient(const Eigen::MatrixXd& whitened) const {
  const int n = size();
  const Eigen::MatrixXd left = whiten_transposed(whitened);
  Eigen::MatrixXd inverse(n, n);
  compute().inverse(l_.data(), n, inverse.data());
  Eigen::VectorXd slopes(covariance_.slope_count());
  covariance_.gradient(inputs_.data(), n, inverse.data(), left.data(),
                       static_cast<int>(left.cols()), slopes.data());
  return split_slopes(covariance_, 0.5 * slopes,
                      0.5 * (left.rowwise().squaredNorm() - inverse.diagonal()));
}

// Packs L, so that the result does not depend on the form of the factor.
std::unique_ptr<const CrossTerms> DenseFactor::cross(const Eigen::MatrixXd& points,
                                                     const KeptTerms& kept,
                                                     const SiteGroups& groups) const {
  return packed()->cross(points, kept, groups);
}

CrossSlopes DenseFactor::cross_slopes(const Eigen::MatrixXd& points, const KeptTerms& kept,
                                      const Eigen::MatrixXd& prepared) const {
  const Covariance own = covariance_.only(kept);
  const Eigen::MatrixXd scaled = covariance_.scale(points);
  const int n = size(), m = static_cast<int>(points.rows()), d = covariance_.columns();
  Eigen::MatrixXd solved(n, m);
  own.cross(inputs_.data(), n, scaled.data(), m, solved.data());
  compute().solve_lower(l_.data(), n, solved.data(), m);
  compute().solve_lower_transposed(l_.data(), n, solved.data(), m);
  const Eigen::MatrixXd slopes = own.cross_slopes(inputs_.data(), n, scaled.data(), m);
  const Eigen::MatrixXd b = whiten_transposed(prepared);
  CrossSlopes result{own.variance_slopes(scaled), Eigen::MatrixXd(m, d), {}};
  for (Eigen::Index k = 0; k < d; ++k) {
    const Eigen::MatrixXd dk = slopes.middleCols(m * k, m);
    result.explained.col(k) = 2.0 * dk.cwiseProduct(solved).colwise().sum().transpose();
    result.times.emplace_back(b.transpose() * dk);
  }
  return result;
}

WhitenedSlopes DenseFactor::whitened_slopes(const Eigen::MatrixXd& points,
                                            const KeptTerms& kept) const {
  const Covariance own = covariance_.only(kept);
  const Eigen::MatrixXd scaled = covariance_.scale(points);
  const int n = size(), m = static_cast<int>(points.rows());
  Eigen::MatrixXd slopes = own.cross_slopes(inputs_.data(), n, scaled.data(), m);
  compute().solve_lower(l_.data(), n, slopes.data(), static_cast<int>(slopes.cols()));
  WhitenedSlopes result{own.slope_covariance(), {}};
  for (int k = 0; k < covariance_.columns(); ++k) {
    result.of_columns.emplace_back(slopes.middleCols(Eigen::Index{m} * k, m));
  }
  return result;
}

PackedDenseFactor::PackedDenseFactor(const Covariance& covariance, const Eigen::MatrixXd& inputs,
                                     const Eigen::MatrixXd& l)
    : covariance_(covariance), inputs_(inputs) {
  const int n = static_cast<int>(l.rows());
  packed_.resize(covariance.compute->packed_size(n));
  covariance.compute->pack_lower(l.data(), n, packed_.data());
}

CrossSlopes PackedDenseFactor::cross_slopes(const Eigen::MatrixXd& points, const KeptTerms& kept,
                                            const Eigen::MatrixXd& prepared) const {
  return dense().cross_slopes(points, kept, prepared);
}

std::unique_ptr<const CrossTerms> PackedDenseFactor::cross(const Eigen::MatrixXd& points,
                                                           const KeptTerms& kept,
                                                           const SiteGroups& /*groups*/) const {
  Covariance own = covariance_.only(kept);
  Eigen::MatrixXd scaled = covariance_.scale(points);
  const int n = static_cast<int>(inputs_.rows()), m = static_cast<int>(points.rows());
  Eigen::MatrixXd whitened(n, m);
  own.cross(inputs_.data(), n, scaled.data(), m, whitened.data());
  own.compute->solve_packed(packed_.data(), n, whitened.data(), m);
  return std::make_unique<DenseCrossTerms>(std::move(own), std::move(scaled), std::move(whitened));
}

DenseFactor PackedDenseFactor::dense() const {
  const Eigen::Index n = inputs_.rows();
  Eigen::MatrixXd l(n, n);
  covariance_.compute->unpack_lower(packed_.data(), static_cast<int>(n), l.data());
  return DenseFactor(covariance_, inputs_, std::move(l));
}

namespace {

class DenseMethod final : public FactorMethod {
 public:
  std::unique_ptr<const Factor> factor(const Covariance& covariance, const Eigen::MatrixXd& inputs,
                                       const Eigen::VectorXd& noise,
                                       const Execution& /*execution*/) const override {
    Eigen::MatrixXd scaled = covariance.scale(inputs);
    const int n = static_cast<int>(inputs.rows());
    Eigen::MatrixXd l(n, n);
    covariance.correlation(scaled.data(), n, l.data());
    l.diagonal() += noise;
    if (covariance.compute->cholesky(l.data(), n) != 0) return nullptr;
    const double least = smallest_pivot(n, 1.0 + noise.minCoeff());
    if (!(l.diagonal().array().square().minCoeff() > least)) return nullptr;
    return std::make_unique<DenseFactor>(covariance, std::move(scaled), std::move(l));
  }

  double factor_bytes(double n, double columns) const override {
    return 8.0 * n * (0.5 * n + 24.0 + columns);
  }

  double factor_cost(double n) const override { return n * n * (n / 3.0 + 20.0); }
  double cross_cost(double n) const override { return n * (n + 20.0); }
  double project_cost(double n) const override { return 2.0 * factor_cost(n); }
  // Measured for 30 to 200 rows, each its own site.
  double shared_cost(double n) const override { return std::min(0.5, 20.0 / n); }
  // Keeps points in the cache: with 200 sites, 5000 points at a time take twice as long.
  Eigen::Index points_at_a_time(Eigen::Index n) const override {
    return std::max<Eigen::Index>(256, (1 << 16) / n);
  }
};

}  // namespace

std::shared_ptr<const FactorMethod> dense_method() {
  static const auto method = std::make_shared<const DenseMethod>();
  return method;
}

}  // namespace btg
