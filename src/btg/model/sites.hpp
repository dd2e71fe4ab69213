// Rows with equal inputs, trend and noise share a site. With m sites and n rows, the terms in K
// (n x n) follow from a matrix of the sites (m x m). Row i at site a has noise variance v_a / w_i.
// W_a is the sum of the weights w_i at site a, and zbar_a the weighted mean of z there. With
// P = d zbar / d z (m x n) and K_m = R_m + diag(v / W),
//
//   K^-1     = P' K_m^-1 P + (diag(w) - P' diag(W) P) / v
//   z'K^-1 z = zbar' K_m^-1 zbar + sum_i w_i (z_i - zbar_a(i))^2 / v_a(i)
//   log|K|   = log|K_m| + sum_a (n_a - 1) log v_a + sum_a log W_a - sum_i log w_i
//
// The same holds for Q of node/gradient.hpp, since the trend is constant within a site.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace btg {

// By default, every row is its own site and all weights are 1.
class Sites {
 public:
  Sites() = default;

  // Row i belongs to site of_row[i]. Sites are numbered from 0 in the order of their first rows.
  Sites(const std::vector<int>& of_row, const Eigen::VectorXd& weight);

  bool plain() const { return of_row_.empty(); }
  bool replicated() const { return first_row_.size() < of_row_.size(); }
  const std::vector<int>& first_rows() const { return first_row_; }
  Eigen::Index row_count() const { return static_cast<Eigen::Index>(of_row_.size()); }

  int of_row(int row) const { return plain() ? row : of_row_[row]; }
  double weight(int row) const { return plain() ? 1.0 : weight_[row]; }
  // w_i / W_a(i)
  double share(int row) const { return plain() ? 1.0 : weight_[row] / total_[of_row_[row]]; }

  // 1 / W_a
  Eigen::VectorXd relative_noise(Eigen::Index sites) const {
    return plain() ? Eigen::VectorXd::Ones(sites) : Eigen::VectorXd(total_.cwiseInverse());
  }

  // n_a - 1
  const Eigen::VectorXd& extra_rows() const { return extra_rows_; }

  // log|K| - log|K_m|
  double log_det(const Eigen::VectorXd& v) const {
    return (replicated() ? extra_rows_.dot(v.array().log().matrix()) : 0.0) + log_det_of_weights_;
  }

  // zbar
  Eigen::VectorXd mean(const Eigen::VectorXd& z) const;

  // sum_i w_i (z_i - zbar_a)^2 / v_a over the rows i of each site a; empty without replicates.
  Eigen::VectorXd within(const Eigen::VectorXd& z, const Eigen::VectorXd& v) const;

  // Computes Q z for the rows from its value `e` for the sites.
  Eigen::VectorXd to_rows(const Eigen::VectorXd& e, const Eigen::VectorXd& z,
                          const Eigen::VectorXd& v) const;

  // Element (i, j) of (diag(w) - P' diag(W) P) / v; exactly 0 for a row that is alone at its site.
  double within_element(int i, int j, const Eigen::VectorXd& v) const;

 private:
  std::vector<int> of_row_, first_row_;
  Eigen::VectorXd weight_, total_, extra_rows_;
  double log_det_of_weights_ = 0.0;
};

// Makes every row its own site.
Sites weighted_rows(const Eigen::VectorXd& weight);

// Finds the sites of rows with these columns of inputs, trend and noise.
Sites find_sites(const Eigen::MatrixXd& columns, const Eigen::VectorXd& weight);

// Like find_sites, but makes every row its own site if there are too few sites for the trend.
Sites choose_sites(const Eigen::MatrixXd& columns, Eigen::Index trend_columns,
                   const Eigen::VectorXd& weight);

}  // namespace btg
