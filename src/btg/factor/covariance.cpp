#include "btg/factor/covariance.hpp"

#include <algorithm>
#include <cstddef>

namespace btg {

int Covariance::parameter_count() const {
  std::size_t count = 0;
  for (const CovarianceTerm& term : terms) count += term.parameters.size();
  return static_cast<int>(count);
}

Eigen::MatrixXd Covariance::scale(const Eigen::MatrixXd& points) const {
  Eigen::MatrixXd scaled = points;
  for (const InputMap& map : maps) map.apply(scaled);
  scaled.array().rowwise() /= length_scales.array();
  return scaled;
}

Covariance Covariance::only(const std::vector<bool>& kept) const {
  Covariance some = *this;
  for (std::size_t t = 0; t < kept.size(); ++t) {
    if (!kept[t]) some.terms[t].share = 0.0;
  }
  return some;
}

btg_compute::Correlation Covariance::how(const CovarianceTerm& term, bool add) const {
  return {term.kernel,
          term.form,
          term.parameters.data(),
          term.level_distances.empty() ? nullptr : term.level_distances.data(),
          term.input_ends.empty() ? nullptr : term.input_ends.data(),
          static_cast<int>(term.input_ends.size()),
          term.grouped,
          term.crossed.empty() ? nullptr : term.crossed.data(),
          static_cast<int>(term.crossed.size()),
          term.share,
          add};
}

namespace {

// Where the columns of a term begin among those of n points.
const double* columns_of(const CovarianceTerm& term, const double* x, int n) {
  return x + static_cast<std::ptrdiff_t>(n) * term.first;
}

}  // namespace

void Covariance::correlation(const double* x, int n, double* r) const {
  bool add = false;
  for (const CovarianceTerm& term : terms) {
    if (term.share == 0.0) continue;
    compute->correlation(how(term, add), columns_of(term, x, n), n, term.columns, r);
    add = true;
  }
  if (!add) std::fill_n(r, static_cast<std::ptrdiff_t>(n) * n, 0.0);
}

void Covariance::cross(const double* x, int n, const double* y, int m, double* r) const {
  bool add = false;
  for (const CovarianceTerm& term : terms) {
    if (term.share == 0.0) continue;
    compute->cross_correlation(how(term, add), columns_of(term, x, n), n, columns_of(term, y, m), m,
                               term.columns, r);
    add = true;
  }
  if (!add) std::fill_n(r, static_cast<std::ptrdiff_t>(n) * m, 0.0);
}

namespace {

// R_t(x, x), and for a linear term the columns that it is the mean square of.
Eigen::VectorXd term_variance(const CovarianceTerm& term, const Eigen::MatrixXd& x) {
  if (!term.linear()) return Eigen::VectorXd::Ones(x.rows());
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(x.rows());
  for (int k = 0; k < term.own_columns(); ++k) {
    if (term.holds_levels(k)) {
      sum.array() += 1.0;
    } else {
      sum += x.col(term.first + k).cwiseAbs2();
    }
  }
  return sum / term.own_columns();
}

}  // namespace

Eigen::VectorXd Covariance::variance(const Eigen::MatrixXd& x) const {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(x.rows());
  for (const CovarianceTerm& term : terms) sum += term.share * term_variance(term, x);
  return sum;
}

namespace {

// Writes a term's derivatives among those of all terms.
class PlacedSlopes {
 public:
  PlacedSlopes(const Covariance& all, double* slopes)
      : all_(all),
        slopes_(slopes),
        parameter_(all.columns()),
        share_(all.first_share()),
        map_(all.first_map()) {
    std::fill_n(slopes, all.slope_count(), 0.0);
  }

  // `own` has the term's columns, its kernel parameters, its crossed columns, and its value.
  void put(const CovarianceTerm& term, const Eigen::VectorXd& own) {
    const auto count = static_cast<int>(term.parameters.size());
    std::copy_n(own.data(), term.columns, slopes_ + term.first);
    std::copy_n(own.data() + term.columns, count, slopes_ + parameter_);
    slopes_[share_++] = own[own.size() - 1];
    parameter_ += count;
    for (std::size_t j = 0; j < term.crossed.size(); ++j) {
      put_map(own.data() + term.crossed[j], own[term.columns + count + static_cast<int>(j)]);
    }
  }

 private:
  // Sums of -2 w_k w_l dR/d(r^2): `squares` has those of both columns, `product` is that of w_1
  // w_2.
  void put_map(const double* squares, double product) {
    for (const Eigen::Matrix2d& slope : all_.maps[next_map_++].slopes()) {
      slopes_[map_++] =
          -(slope(0, 0) * squares[0] + slope(1, 1) * squares[1] + 2.0 * slope(0, 1) * product);
    }
  }

  const Covariance& all_;
  double* slopes_;
  int parameter_, share_, map_;
  std::size_t next_map_ = 0;
};

Eigen::Index slopes_of(const CovarianceTerm& term) {
  return term.columns + static_cast<Eigen::Index>(term.parameters.size() + term.crossed.size()) + 1;
}

}  // namespace

void Covariance::gradient(const double* x, int n, const double* inverse, const double* left,
                          int left_columns, double* slopes) const {
  Eigen::VectorXd diagonal(n);  // of S
  for (int i = 0; i < n; ++i) {
    double squares = 0.0;
    for (int c = 0; c < left_columns; ++c) {
      const double element = left[static_cast<std::ptrdiff_t>(n) * c + i];
      squares += element * element;
    }
    diagonal[i] = squares - inverse[static_cast<std::ptrdiff_t>(n) * i + i];
  }
  const Eigen::Map<const Eigen::MatrixXd> points(x, n, columns());
  PlacedSlopes placed(*this, slopes);
  for (const CovarianceTerm& term : terms) {
    Eigen::VectorXd own = Eigen::VectorXd::Zero(slopes_of(term));
    if (term.share > 0.0) {
      compute->correlation_gradient(how(term), columns_of(term, x, n), n, term.columns, inverse,
                                    left, left_columns, own.data());
      own[own.size() - 1] += term.share * diagonal.dot(term_variance(term, points));
    }
    placed.put(term, own);
  }
}

void Covariance::cross_gradient(const double* x, int n, const double* y, int m,
                                const double* weights, double* slopes) const {
  PlacedSlopes placed(*this, slopes);
  for (const CovarianceTerm& term : terms) {
    Eigen::VectorXd own = Eigen::VectorXd::Zero(slopes_of(term));
    if (term.share > 0.0) {
      compute->cross_gradient(how(term), columns_of(term, x, n), n, columns_of(term, y, m), m,
                              term.columns, weights, own.data());
    }
    placed.put(term, own);
  }
}

Eigen::MatrixXd Covariance::cross_slopes(const double* x, int n, const double* y, int m) const {
  Eigen::MatrixXd slopes(n, Eigen::Index{m} * columns());
  for (const CovarianceTerm& term : terms) {
    double* own = slopes.data() + static_cast<std::ptrdiff_t>(n) * m * term.first;
    if (term.share == 0.0) {
      std::fill_n(own, static_cast<std::ptrdiff_t>(n) * m * term.columns, 0.0);
      continue;
    }
    compute->cross_slopes(how(term), columns_of(term, x, n), n, columns_of(term, y, m), m,
                          term.columns, own);
  }
  for (int k = 0; k < columns(); ++k) {
    slopes.middleCols(Eigen::Index{m} * k, m) /= length_scales[k];
  }
  for (const InputMap& map : maps) {  // dR/dx = A' dR/dw
    const Eigen::Matrix2d a = map.matrix();
    auto first = slopes.middleCols(Eigen::Index{m} * map.column, m);
    auto second = slopes.middleCols(Eigen::Index{m} * (map.column + 1), m);
    const Eigen::MatrixXd of_first = a(0, 0) * first + a(1, 0) * second;
    second = a(0, 1) * first + a(1, 1) * second;
    first = of_first;
  }
  return slopes;
}

Eigen::MatrixXd Covariance::variance_slopes(const Eigen::MatrixXd& x) const {
  Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(x.rows(), columns());
  for (const CovarianceTerm& term : terms) {
    for (int k = 0; term.linear() && k < term.own_columns(); ++k) {
      if (term.holds_levels(k)) continue;
      const int column = term.first + k;
      slopes.col(column) =
          2.0 * term.share / (term.own_columns() * length_scales[column]) * x.col(column);
    }
  }
  return slopes;
}

Eigen::MatrixXd Covariance::slope_covariance() const {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(columns(), columns());
  for (const CovarianceTerm& term : terms) {
    if (term.form == Form::constant || term.share == 0.0) continue;
    double curvature = 0.0;  // d^2 R_t / dx_k dy_k at x = y, for a lengthscale of 1
    if (term.linear()) {
      curvature = 1.0 / term.own_columns();
    } else {
      const Eigen::Array<double, 8, 1> zero = Eigen::Array<double, 8, 1>::Zero();
      Eigen::Array<double, 8, 1> slope;
      term.kernel->log_slope(term.parameters.data(), zero.data(), 8, slope.data());
      curvature = -2.0 * slope[0];
      if (term.form == Form::additive) curvature /= term.input_count();
    }
    for (int k = 0; k < term.own_columns(); ++k) {
      const double length_scale = length_scales[term.first + k];
      result(term.first + k, term.first + k) =
          term.share * curvature / (length_scale * length_scale);
    }
  }
  for (const InputMap& map : maps) {
    const Eigen::Matrix2d a = map.matrix();
    const Eigen::Matrix2d mapped = a.transpose() * result.block<2, 2>(map.column, map.column) * a;
    result.block<2, 2>(map.column, map.column) = mapped;
  }
  return result;
}

}  // namespace btg
