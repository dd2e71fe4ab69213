#include "btg/quadrature/sampling/compress.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "btg/numerics/decompositions.hpp"

namespace btg {

std::vector<std::vector<int>> first_monomials(int d, int count, int most_degree) {
  std::vector<std::vector<int>> chosen, same_degree;
  std::vector<int> exponents(d, 0);
  const auto list = [&](const auto& next, int variable, int left) -> void {
    if (variable == d - 1) {
      exponents[variable] = left;
      same_degree.push_back(exponents);
      return;
    }
    for (exponents[variable] = left; exponents[variable] >= 0; --exponents[variable]) {
      next(next, variable + 1, left - exponents[variable]);
    }
    exponents[variable] = 0;
  };
  const auto variables = [](const std::vector<int>& e) {
    return e.size() - std::count(e.begin(), e.end(), 0);
  };
  for (int degree = 0; degree <= most_degree; ++degree) {
    same_degree.clear();
    list(list, 0, degree);
    std::stable_sort(same_degree.begin(), same_degree.end(),
                     [&](const auto& a, const auto& b) { return variables(a) < variables(b); });
    for (const std::vector<int>& e : same_degree) {
      if (static_cast<int>(chosen.size()) == count) return chosen;
      chosen.push_back(e);
    }
  }
  return chosen;
}

Eigen::MatrixXd whiten(const Eigen::MatrixXd& points, const Eigen::VectorXd& weights) {
  const Eigen::MatrixXd centred = points.colwise() - Eigen::VectorXd(points * weights);
  const SymmetricEigen eigen =
      symmetric_eigen(centred * weights.asDiagonal() * centred.transpose());
  const Eigen::ArrayXd variances = eigen.values;
  const Eigen::VectorXd scales =
      (variances > 1e-12 * variances.maxCoeff()).select(variances.rsqrt(), 0.0);
  return scales.asDiagonal() * eigen.vectors.transpose() * centred;
}

namespace {

// Hermite polynomials with the monomials' leading terms at whitened points, one row each. They are
// nearly orthonormal if the weighted points are nearly normal.
Eigen::MatrixXd hermite_products(const Eigen::MatrixXd& points,
                                 const std::vector<std::vector<int>>& monomials) {
  const int d = static_cast<int>(points.rows());
  const int highest = std::accumulate(monomials.back().begin(), monomials.back().end(), 0);
  Eigen::MatrixXd products(monomials.size(), points.cols());
  Eigen::MatrixXd hermite(highest + 1, d);
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    const Eigen::RowVectorXd x = points.col(i).transpose();
    hermite.row(0).setOnes();
    if (highest > 0) hermite.row(1) = x;
    for (int k = 2; k <= highest; ++k) {
      hermite.row(k) =
          (x.cwiseProduct(hermite.row(k - 1)) - std::sqrt(k - 1.0) * hermite.row(k - 2)) /
          std::sqrt(static_cast<double>(k));
    }
    for (std::size_t m = 0; m < monomials.size(); ++m) {
      double product = 1.0;
      for (int j = 0; j < d; ++j) {
        if (monomials[m][j] > 0) product *= hermite(monomials[m][j], j);
      }
      products(m, i) = product;
    }
  }
  return products;
}

// The simplex tableau of a x = a x0. It expresses each nonbasic column as a combination of basic
// ones. Updates by pivots are applied in blocks.
class Tableau {
 public:
  Tableau(const Eigen::MatrixXd& a, const Compute& compute) : compute_(compute), table_(a) {
    const Eigen::Index panel = 16;
    const double negligible = 1e-9 * a.rowwise().norm().maxCoeff();
    std::vector<Eigen::Index> independent;
    for (Eigen::Index begin = 0; begin < a.rows(); begin += panel) {
      const Eigen::Index end = std::min(begin + panel, a.rows());
      const std::size_t known = independent.size();
      for (Eigen::Index row = begin; row < end; ++row) {
        Eigen::Index column;
        if (!(table_.row(row).cwiseAbs().maxCoeff(&column) > negligible)) continue;
        pivot(row, column, begin, end - begin, 0, a.cols());
        independent.push_back(row);
        basis_.push_back(column);
      }
      update_others(independent, known, begin, end);
    }
    for (std::size_t k = 0; k < independent.size(); ++k) table_.row(k) = table_.row(independent[k]);
    table_.conservativeResize(static_cast<Eigen::Index>(independent.size()), Eigen::NoChange);
  }

  // Empties the nonbasic columns in order while keeping x >= 0. The content of a column moves to
  // the basis; if that would empty a basic column first, the two are exchanged.
  void empty(Eigen::VectorXd& x) {
    const Eigen::Index width = 32;
    std::vector<char> basic(x.size(), 0);
    for (const Eigen::Index column : basis_) basic[column] = 1;
    for (Eigen::Index begin = 0; begin < x.size(); begin += width) {
      const Eigen::Index end = std::min(begin + width, x.size());
      std::vector<Pivot> pivots;
      for (Eigen::Index j = begin; j < end; ++j) {
        if (basic[j] || x[j] == 0.0) continue;
        const Eigen::Index leaving = empty_column(j, x);
        if (leaving < 0) continue;
        basis_[leaving] = j;
        pivots.push_back(pivot(leaving, j, 0, table_.rows(), j + 1, end));
      }
      update_later(pivots, end);
    }
  }

 private:
  struct Pivot {
    Eigen::Index row;
    double size;
    Eigen::VectorXd entries;  // of its column before the pivot; 0 in its row
  };

  // Returns the row whose basic column is emptied first, or -1 if column j itself is.
  Eigen::Index empty_column(Eigen::Index j, Eigen::VectorXd& x) const {
    double step = x[j];
    Eigen::Index leaving = -1;
    for (Eigen::Index k = 0; k < table_.rows(); ++k) {
      if (table_(k, j) < -1e-13 && -x[basis_[k]] / table_(k, j) < step) {
        step = -x[basis_[k]] / table_(k, j);
        leaving = k;
      }
    }
    for (Eigen::Index k = 0; k < table_.rows(); ++k) {
      x[basis_[k]] = std::max(x[basis_[k]] + step * table_(k, j), 0.0);
    }
    if (leaving < 0) {
      x[j] = 0.0;
    } else {
      x[j] -= step;
      x[basis_[leaving]] = 0.0;
    }
    return leaving;
  }

  // Makes the column a unit vector, for some rows and for the columns from `first` to `last`.
  Pivot pivot(Eigen::Index row, Eigen::Index column, Eigen::Index first_row, Eigen::Index rows,
              Eigen::Index first, Eigen::Index last) {
    Pivot made{row, table_(row, column), table_.col(column).segment(first_row, rows)};
    made.entries[row - first_row] = 0.0;
    for (Eigen::Index j = first; j < last; ++j) {
      const double share = table_(row, j) / made.size;
      if (share == 0.0) continue;
      table_.col(j).segment(first_row, rows) -= share * made.entries;
      table_(row, j) = share;
    }
    return made;
  }

  // Applies the pivots in rows independent[known], ... outside of rows `begin` to `end`.
  void update_others(const std::vector<Eigen::Index>& independent, std::size_t known,
                     Eigen::Index begin, Eigen::Index end) {
    const Eigen::Index count = static_cast<Eigen::Index>(independent.size() - known);
    if (count == 0) return;
    Eigen::MatrixXd columns(table_.rows(), count), rows(count, table_.cols());
    for (Eigen::Index k = 0; k < count; ++k) {
      columns.col(k) = table_.col(basis_[known + k]);
      rows.row(k) = table_.row(independent[known + k]);
    }
    columns.middleRows(begin, end - begin).setZero();
    subtract_product(columns, rows, 0);
  }

  // Applies the pivots to the columns from `first` on. Each subtracts a multiple of its entries and
  // divides its own row by its size.
  void update_later(const std::vector<Pivot>& pivots, Eigen::Index first) {
    const Eigen::Index count = static_cast<Eigen::Index>(pivots.size());
    if (count == 0 || first == table_.cols()) return;
    Eigen::MatrixXd columns(table_.rows(), count), shares(count, table_.cols() - first);
    for (Eigen::Index k = 0; k < count; ++k) {
      columns.col(k) = pivots[k].entries;
      columns(pivots[k].row, k) = pivots[k].size - 1.0;
    }
    for (Eigen::Index k = 0; k < count; ++k) {
      const Eigen::RowVectorXd before = columns.row(pivots[k].row).head(k);
      shares.row(k) = table_.row(pivots[k].row).tail(shares.cols());
      if (k > 0) shares.row(k).noalias() -= before * shares.topRows(k);
      shares.row(k) /= pivots[k].size;
    }
    subtract_product(columns, shares, first);
  }

  void subtract_product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, Eigen::Index first) {
    const int rows = static_cast<int>(a.rows()), inner = static_cast<int>(a.cols());
    compute_.subtract_product(a.data(), rows, b.data(), inner, rows, inner,
                              static_cast<int>(b.cols()), table_.col(first).data(), rows);
  }

  const Compute& compute_;
  Eigen::MatrixXd table_;
  std::vector<Eigen::Index> basis_;
};

}  // namespace

Eigen::VectorXd compress(const Eigen::MatrixXd& points, const Eigen::VectorXd& weights, int count,
                         const Compute& compute) {
  const int most_degree = 8, d = static_cast<int>(points.rows());
  if (d == 0 || weights.size() <= count) return weights;
  const Eigen::MatrixXd polynomials =
      hermite_products(whiten(points, weights), first_monomials(d, count, most_degree));
  // Removes the lightest points first.
  std::vector<Eigen::Index> order(weights.size());
  std::iota(order.begin(), order.end(), Eigen::Index(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return weights[a] < weights[b]; });
  // Scaling by sqrt(weight) keeps light points out of the initial basis.
  Eigen::VectorXd x(weights.size());
  Eigen::MatrixXd a(polynomials.rows(), weights.size());
  for (std::size_t j = 0; j < order.size(); ++j) {
    x[j] = std::sqrt(weights[order[j]]);
    a.col(j) = x[j] * polynomials.col(order[j]);
  }
  Tableau(a, compute).empty(x);
  Eigen::VectorXd result(weights.size());
  for (std::size_t j = 0; j < order.size(); ++j) {
    result[order[j]] = x[j] * std::sqrt(weights[order[j]]);
  }
  return result / result.sum();
}

}  // namespace btg
