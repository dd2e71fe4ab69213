#include "btg/factor/low_rank.hpp"

#include <cmath>
#include <set>
#include <string>

#include "btg/base/error.hpp"

namespace btg {

namespace {

std::set<double> values_of(const Eigen::MatrixXd& points, int column) {
  const Eigen::RowVectorXd row = points.row(column);
  return {row.data(), row.data() + row.size()};
}

// The functions of a term that ignore its groups.
std::vector<LowRankFunction> ungrouped_functions(const CovarianceTerm& term, int number,
                                                 const Eigen::MatrixXd& points) {
  if (term.form == Form::constant) return {{number}};
  std::vector<LowRankFunction> all;
  for (int k = 0; k < term.own_columns(); ++k) {
    const int column = term.first + k;
    if (!term.holds_levels(k)) {
      all.push_back({number, column});
      continue;
    }
    for (const double code : values_of(points, column)) {
      all.push_back({number, column, true, code});
    }
  }
  return all;
}

}  // namespace

std::vector<bool> full_rank_terms(const Covariance& covariance) {
  std::vector<bool> full;
  for (const CovarianceTerm& term : covariance.terms) full.push_back(!is_low_rank(term));
  return full;
}

std::vector<LowRankFunction> low_rank_functions(const Covariance& covariance,
                                                const Eigen::MatrixXd& points) {
  std::vector<LowRankFunction> all;
  for (std::size_t t = 0; t < covariance.terms.size(); ++t) {
    const CovarianceTerm& term = covariance.terms[t];
    if (!is_low_rank(term)) continue;
    for (const LowRankFunction& f : ungrouped_functions(term, static_cast<int>(t), points)) {
      if (!term.grouped) {
        all.push_back(f);
        continue;
      }
      LowRankFunction in_group = f;
      in_group.group_column = term.first + term.own_columns();
      for (const double group : values_of(points, in_group.group_column)) {
        in_group.group = group;
        all.push_back(in_group);
      }
    }
  }
  if (all.size() > static_cast<std::size_t>(most_low_rank_functions)) {
    throw Error("approx", "With an approximate covariance, linear terms and groups can have " +
                              std::to_string(most_low_rank_functions) +
                              " coefficients, but they have " + std::to_string(all.size()) + ".");
  }
  return all;
}

namespace {

// 1 in the group of a function, and 0 outside of it.
Eigen::ArrayXd in_group(const LowRankFunction& f, const Eigen::MatrixXd& points) {
  if (f.group_column < 0) return Eigen::ArrayXd::Ones(points.rows());
  return (points.col(f.group_column).array() == f.group).cast<double>();
}

double amplitude(const Covariance& covariance, const LowRankFunction& f) {
  const CovarianceTerm& term = covariance.terms[f.term];
  return std::sqrt(term.share / (f.column < 0 ? 1.0 : term.own_columns()));
}

}  // namespace

Eigen::VectorXd low_rank_values(const Covariance& covariance, const LowRankFunction& f,
                                const Eigen::MatrixXd& points) {
  Eigen::ArrayXd values = amplitude(covariance, f) * in_group(f, points);
  if (f.level) {
    values *= (points.col(f.column).array() == f.code).cast<double>();
  } else if (f.column >= 0) {
    values *= points.col(f.column).array();
  }
  return values;
}

Eigen::VectorXd low_rank_slopes(const Covariance& covariance, const LowRankFunction& f,
                                const Eigen::MatrixXd& points) {
  return amplitude(covariance, f) / covariance.length_scales[f.column] * in_group(f, points);
}

}  // namespace btg
