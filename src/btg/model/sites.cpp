#include "btg/model/sites.hpp"

#include <cstddef>
#include <map>
#include <numeric>

namespace btg {

Sites::Sites(const std::vector<int>& of_row, const Eigen::VectorXd& weight)
    : of_row_(of_row), weight_(weight) {
  for (std::size_t i = 0; i < of_row.size(); ++i) {
    if (of_row[i] == static_cast<int>(first_row_.size())) {
      first_row_.push_back(static_cast<int>(i));
    }
  }
  total_ = Eigen::VectorXd::Zero(first_row_.size());
  extra_rows_ = Eigen::VectorXd::Constant(first_row_.size(), -1.0);
  for (std::size_t i = 0; i < of_row.size(); ++i) {
    total_[of_row[i]] += weight[i];
    extra_rows_[of_row[i]] += 1.0;
  }
  log_det_of_weights_ = total_.array().log().sum() - weight.array().log().sum();
}

Eigen::VectorXd Sites::mean(const Eigen::VectorXd& z) const {
  if (!replicated()) return z;
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(total_.size());
  for (std::size_t i = 0; i < of_row_.size(); ++i) {
    mean[of_row_[i]] += share(static_cast<int>(i)) * z[i];
  }
  return mean;
}

Eigen::VectorXd Sites::within(const Eigen::VectorXd& z, const Eigen::VectorXd& v) const {
  if (!replicated()) return {};
  const Eigen::VectorXd centre = mean(z);
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(total_.size());
  for (std::size_t i = 0; i < of_row_.size(); ++i) {
    const double deviation = z[i] - centre[of_row_[i]];
    sums[of_row_[i]] += weight_[i] * deviation * deviation;
  }
  return sums.cwiseQuotient(v);
}

Eigen::VectorXd Sites::to_rows(const Eigen::VectorXd& e, const Eigen::VectorXd& z,
                               const Eigen::VectorXd& v) const {
  if (!replicated()) return e;
  const Eigen::VectorXd centre = mean(z);
  Eigen::VectorXd rows(z.size());
  for (std::size_t i = 0; i < of_row_.size(); ++i) {
    const int site = of_row_[i];
    rows[i] = share(static_cast<int>(i)) * e[site] + weight_[i] * (z[i] - centre[site]) / v[site];
  }
  return rows;
}

double Sites::within_element(int i, int j, const Eigen::VectorXd& v) const {
  if (!replicated() || of_row_[i] != of_row_[j]) return 0.0;
  const double element = i == j ? weight_[i] * (1.0 - share(i)) : -weight_[i] * share(j);
  return element / v[of_row_[i]];
}

Sites weighted_rows(const Eigen::VectorXd& weight) {
  std::vector<int> of_row(weight.size());
  std::iota(of_row.begin(), of_row.end(), 0);
  return Sites(of_row, weight);
}

Sites find_sites(const Eigen::MatrixXd& columns, const Eigen::VectorXd& weight) {
  std::map<std::vector<double>, int> known;
  std::vector<int> of_row;
  for (Eigen::Index i = 0; i < columns.rows(); ++i) {
    std::vector<double> row;
    for (Eigen::Index k = 0; k < columns.cols(); ++k) row.push_back(columns(i, k));
    of_row.push_back(known.try_emplace(row, static_cast<int>(known.size())).first->second);
  }
  return Sites(of_row, weight);
}

Sites choose_sites(const Eigen::MatrixXd& columns, Eigen::Index trend_columns,
                   const Eigen::VectorXd& weight) {
  const Sites sites = find_sites(columns, weight);
  const bool enough = static_cast<Eigen::Index>(sites.first_rows().size()) > trend_columns;
  return enough ? sites : weighted_rows(weight);
}

}  // namespace btg
