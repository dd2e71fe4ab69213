#include "eigen_factor.hpp"

#include <utility>
#include <vector>

#include "btg/numerics/decompositions.hpp"
#include "problems.hpp"

namespace problems {

namespace {

class EigenCrossTerms final : public btg::CrossTerms {
 public:
  // `correlation` is k, sites x points; `inverse` is K^-1.
  EigenCrossTerms(const btg::Covariance& covariance, Eigen::MatrixXd points,
                  Eigen::MatrixXd correlation, const Eigen::MatrixXd& inverse)
      : covariance_(covariance),
        points_(std::move(points)),
        k_(std::move(correlation)),
        explained_(k_.transpose() * inverse * k_) {}

  Eigen::VectorXd prior() const override { return covariance_.variance(points_); }
  Eigen::VectorXd explained() const override { return explained_.diagonal(); }
  Eigen::VectorXd times(const Eigen::VectorXd& prepared) const override {
    return k_.transpose() * prepared;
  }
  Eigen::MatrixXd transposed_times(const Eigen::MatrixXd& prepared) const override {
    return prepared.transpose() * k_;
  }
  Eigen::MatrixXd covariance() const override {
    const int m = static_cast<int>(points_.rows());
    Eigen::MatrixXd r(m, m);
    covariance_.cross(points_.data(), m, points_.data(), m, r.data());
    return r - explained_;
  }

 private:
  btg::Covariance covariance_;
  Eigen::MatrixXd points_, k_, explained_;
};

class EigenProjectedRoot final : public btg::ProjectedRoot {
 public:
  explicit EigenProjectedRoot(Eigen::MatrixXd g) : g_(std::move(g)) {}

  double squared_norm(int site) const override { return g_.col(site).squaredNorm(); }
  Eigen::MatrixXd gram(const std::vector<int>& sites,
                       const Eigen::VectorXd& weights) const override {
    const Eigen::MatrixXd c = columns(sites, weights);
    return c.transpose() * c;
  }
  Eigen::VectorXd combine(const std::vector<int>& sites,
                          const Eigen::VectorXd& weights) const override {
    return columns(sites, weights).rowwise().sum();
  }
  Eigen::VectorXd transposed_times(const Eigen::VectorXd& x) const override {
    return g_.transpose() * x;
  }

 private:
  Eigen::MatrixXd columns(const std::vector<int>& sites, const Eigen::VectorXd& weights) const {
    Eigen::MatrixXd c(g_.rows(), static_cast<Eigen::Index>(sites.size()));
    for (Eigen::Index k = 0; k < c.cols(); ++k) c.col(k) = weights[k] * g_.col(sites[k]);
    return c;
  }

  Eigen::MatrixXd g_;
};

class EigenFactor final : public btg::Factor {
 public:
  // `inputs` are scaled.
  EigenFactor(const btg::Covariance& covariance, Eigen::MatrixXd inputs,
              const btg::SymmetricEigen& eigen)
      : covariance_(covariance),
        inputs_(std::move(inputs)),
        half_log_det_(0.5 * eigen.values.array().log().sum()),
        w_(eigen.values.cwiseSqrt().cwiseInverse().asDiagonal() * eigen.vectors.transpose()),
        inverse_(w_.transpose() * w_) {}

  double half_log_det() const override { return half_log_det_; }
  Eigen::MatrixXd whiten(const Eigen::MatrixXd& b) const override { return w_ * b; }
  Eigen::MatrixXd whiten_transposed(const Eigen::MatrixXd& b) const override {
    return w_.transpose() * b;
  }

  btg::CovarianceGradient gradient(const Eigen::MatrixXd& whitened) const override {
    const int n = static_cast<int>(inputs_.rows()), d = static_cast<int>(inputs_.cols());
    const Eigen::MatrixXd left = whiten_transposed(whitened);
    Eigen::VectorXd slopes(covariance_.slope_count());
    covariance_.gradient(inputs_.data(), n, inverse_.data(), left.data(),
                         static_cast<int>(left.cols()), slopes.data());
    const Eigen::Index parameters = covariance_.parameter_count();
    return {0.5 * slopes.head(d), 0.5 * slopes.segment(d, parameters),
            0.5 * slopes.tail(slopes.size() - d - parameters),
            0.5 * (left.rowwise().squaredNorm() - inverse_.diagonal())};
  }

  std::unique_ptr<const btg::CrossTerms> cross(const Eigen::MatrixXd& points,
                                               const btg::KeptTerms& kept,
                                               const btg::SiteGroups& /*groups*/) const override {
    const btg::Covariance own = covariance_.only(kept);
    Eigen::MatrixXd scaled = covariance_.scale(points);
    const int n = static_cast<int>(inputs_.rows()), m = static_cast<int>(points.rows());
    Eigen::MatrixXd k(n, m);
    own.cross(inputs_.data(), n, scaled.data(), m, k.data());
    return std::make_unique<EigenCrossTerms>(own, std::move(scaled), std::move(k), inverse_);
  }
  btg::CrossSlopes cross_slopes(const Eigen::MatrixXd& points, const btg::KeptTerms& kept,
                                const Eigen::MatrixXd& prepared) const override {
    const btg::Covariance own = covariance_.only(kept);
    const Eigen::MatrixXd scaled = covariance_.scale(points), dk = slopes(own, scaled);
    const Eigen::Index n = inputs_.rows(), m = points.rows();
    Eigen::MatrixXd k(n, m);
    own.cross(inputs_.data(), static_cast<int>(n), scaled.data(), static_cast<int>(m), k.data());
    const Eigen::MatrixXd solved = inverse_ * k;
    btg::CrossSlopes result{own.variance_slopes(scaled), Eigen::MatrixXd(m, inputs_.cols()), {}};
    for (Eigen::Index j = 0; j < inputs_.cols(); ++j) {
      const Eigen::MatrixXd of_input = dk.middleCols(m * j, m);
      result.explained.col(j) = 2.0 * (of_input.transpose() * solved).diagonal();
      result.times.emplace_back(prepared.transpose() * of_input);
    }
    return result;
  }
  btg::WhitenedSlopes whitened_slopes(const Eigen::MatrixXd& points,
                                      const btg::KeptTerms& kept) const override {
    const btg::Covariance own = covariance_.only(kept);
    const Eigen::MatrixXd whitened = w_ * slopes(own, covariance_.scale(points));
    btg::WhitenedSlopes result{own.slope_covariance(), {}};
    for (Eigen::Index j = 0; j < inputs_.cols(); ++j) {
      result.of_columns.emplace_back(whitened.middleCols(points.rows() * j, points.rows()));
    }
    return result;
  }
  // K^-1 b, of which cross terms take k'.
  Eigen::MatrixXd prepare(const Eigen::MatrixXd& whitened) const override {
    return whiten_transposed(whitened);
  }

  std::unique_ptr<const btg::ProjectedRoot> project(const Eigen::MatrixXd& u) const override {
    return std::make_unique<EigenProjectedRoot>(w_ - u * (u.transpose() * w_));
  }

 private:
  Eigen::MatrixXd slopes(const btg::Covariance& own, const Eigen::MatrixXd& scaled) const {
    return own.cross_slopes(inputs_.data(), static_cast<int>(inputs_.rows()), scaled.data(),
                            static_cast<int>(scaled.rows()));
  }

  btg::Covariance covariance_;
  Eigen::MatrixXd inputs_;
  double half_log_det_;
  Eigen::MatrixXd w_, inverse_;
};

}  // namespace

std::unique_ptr<const btg::Factor> EigenMethod::factor(const btg::Covariance& covariance,
                                                       const Eigen::MatrixXd& inputs,
                                                       const Eigen::VectorXd& noise,
                                                       const btg::Execution& /*execution*/) const {
  Eigen::MatrixXd scaled = covariance.scale(inputs);
  const int n = static_cast<int>(inputs.rows());
  Eigen::MatrixXd k(n, n);
  covariance.correlation(scaled.data(), n, k.data());
  k.diagonal() += noise;
  const btg::SymmetricEigen eigen = btg::symmetric_eigen(symmetric(k));
  const double least = btg::smallest_pivot(n, 1.0 + noise.minCoeff());
  if (!(eigen.values.minCoeff() > least)) return nullptr;
  return std::make_unique<EigenFactor>(covariance, std::move(scaled), eigen);
}

}  // namespace problems
