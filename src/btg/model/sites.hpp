// Rows with equal inputs and equal trend share a site. With m sites among n rows, all that the
// model asks of K (n x n) follows from a K of the sites (m x m). Row i, of site a(i), has the noise
// variance v / w_i; W_a is the sum of its site's weights w_i, and zbar_a their weighted mean of z.
// With P = d zbar / d z (m x n) and K_m = R_m + v diag(1 / W),
//
//   K^-1     = P' K_m^-1 P + (diag(w) - P' diag(W) P) / v
//   z'K^-1 z = zbar' K_m^-1 zbar + 1/v sum_i w_i (z_i - zbar_a(i))^2
//   log|K|   = log|K_m| + (n - m) log v + sum_a log W_a - sum_i log w_i
//
// and the same with Q of node_gradient.hpp for K^-1, since the trend does not vary within a site.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

namespace btg {

// As constructed by default, every row is a site of its own, and all weights are 1.
class Sites {
 public:
  Sites() = default;

  // Row i belongs to site of_row[i]; sites are numbered from 0, in the order of their first rows.
  Sites(const std::vector<int>& of_row, const Eigen::VectorXd& weight)
      : of_row_(of_row), weight_(weight) {
    for (std::size_t i = 0; i < of_row.size(); ++i) {
      if (of_row[i] == static_cast<int>(first_row_.size())) {
        first_row_.push_back(static_cast<int>(i));
      }
    }
    total_ = Eigen::VectorXd::Zero(first_row_.size());
    for (std::size_t i = 0; i < of_row.size(); ++i) total_[of_row[i]] += weight[i];
    log_det_ = total_.array().log().sum() - weight.array().log().sum();
  }

  bool plain() const { return of_row_.empty(); }
  bool replicated() const { return first_row_.size() < of_row_.size(); }
  const std::vector<int>& first_rows() const { return first_row_; }

  int of_row(int row) const { return plain() ? row : of_row_[row]; }
  double weight(int row) const { return plain() ? 1.0 : weight_[row]; }
  // w_i / W_a(i)
  double share(int row) const { return plain() ? 1.0 : weight_[row] / total_[of_row_[row]]; }

  // 1 / W_a
  Eigen::VectorXd relative_noise(int sites) const {
    return plain() ? Eigen::VectorXd::Ones(sites) : Eigen::VectorXd(total_.cwiseInverse());
  }

  // log|K| - log|K_m|
  double log_det(double noise) const {
    const std::size_t extra = of_row_.size() - first_row_.size();
    return (extra > 0 ? static_cast<double>(extra) * std::log(noise) : 0.0) + log_det_;
  }

  // zbar
  Eigen::VectorXd mean(const Eigen::VectorXd& z) const {
    if (!replicated()) return z;
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(total_.size());
    for (std::size_t i = 0; i < of_row_.size(); ++i) {
      mean[of_row_[i]] += share(static_cast<int>(i)) * z[i];
    }
    return mean;
  }

  // sum_i w_i (z_i - zbar_a(i))^2
  double within(const Eigen::VectorXd& z) const {
    if (!replicated()) return 0.0;
    const Eigen::VectorXd centre = mean(z);
    double sum = 0.0;
    for (std::size_t i = 0; i < of_row_.size(); ++i) {
      const double deviation = z[i] - centre[of_row_[i]];
      sum += weight_[i] * deviation * deviation;
    }
    return sum;
  }

  // Q z of the rows from that of the sites, `e`, for the noise v.
  Eigen::VectorXd to_rows(const Eigen::VectorXd& e, const Eigen::VectorXd& z, double noise) const {
    if (!replicated()) return e;
    const Eigen::VectorXd centre = mean(z);
    Eigen::VectorXd rows(z.size());
    for (std::size_t i = 0; i < of_row_.size(); ++i) {
      const int site = of_row_[i];
      rows[i] = share(static_cast<int>(i)) * e[site] + weight_[i] * (z[i] - centre[site]) / noise;
    }
    return rows;
  }

  // Element (i, j) of diag(w) - P' diag(W) P, exactly 0 for a row that is alone at its site.
  double within_element(int i, int j) const {
    if (!replicated() || of_row_[i] != of_row_[j]) return 0.0;
    return i == j ? weight_[i] * (1.0 - share(i)) : -weight_[i] * share(j);
  }

 private:
  std::vector<int> of_row_, first_row_;
  Eigen::VectorXd weight_, total_;
  double log_det_ = 0.0;  // what of log_det() does not depend on the noise
};

// Every row a site of its own.
inline Sites weighted_rows(const Eigen::VectorXd& weight) {
  std::vector<int> of_row(weight.size());
  std::iota(of_row.begin(), of_row.end(), 0);
  return Sites(of_row, weight);
}

// The sites of rows with these inputs and trend columns.
inline Sites find_sites(const Eigen::MatrixXd& inputs, const Eigen::MatrixXd& trend,
                        const Eigen::VectorXd& weight) {
  std::map<std::vector<double>, int> known;
  std::vector<int> of_row;
  for (Eigen::Index i = 0; i < inputs.rows(); ++i) {
    std::vector<double> row;
    for (Eigen::Index k = 0; k < inputs.cols(); ++k) row.push_back(inputs(i, k));
    for (Eigen::Index k = 0; k < trend.cols(); ++k) row.push_back(trend(i, k));
    of_row.push_back(known.try_emplace(row, static_cast<int>(known.size())).first->second);
  }
  return Sites(of_row, weight);
}

}  // namespace btg
