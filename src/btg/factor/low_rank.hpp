// Terms of low rank as columns of V, where they are exact: with one function f_k for each column of
// a linear term, or for each group, or for both,
//
//   rho_t R_t(x, x') = sum_k f_k(x) f_k(x')
#pragma once

#include <Eigen/Core>
#include <vector>

#include "btg/factor/covariance.hpp"

namespace btg {

// f(x) = sqrt(rho_t / d) times x_column, or times 1 if x_column is `level`, or times 1 without a
// column; 0 outside of `group`.
struct LowRankFunction {
  int term;
  int column = -1;     // of the inputs
  bool level = false;  // the column holds levels
  double code = 0.0;   // the level
  int group_column = -1;
  double group = 0.0;
};

inline bool is_low_rank(const CovarianceTerm& term) {
  return term.form == Form::linear || term.form == Form::constant;
}

// Which terms are not of low rank.
std::vector<bool> full_rank_terms(const Covariance& covariance);

// More would cost more than all else in a large fit, whose cost is quadratic in them.
constexpr int most_low_rank_functions = 500;

// The functions of all terms of low rank, for the groups and levels at `points` (scaled, columns x
// points). Throws if there are more than `most_low_rank_functions`.
std::vector<LowRankFunction> low_rank_functions(const Covariance& covariance,
                                                const Eigen::MatrixXd& points);

// The value of a function at scaled points, one per row.
Eigen::VectorXd low_rank_values(const Covariance& covariance, const LowRankFunction& f,
                                const Eigen::MatrixXd& points);

// The derivative of a function of a column of numbers in that column, in the units of the inputs.
Eigen::VectorXd low_rank_slopes(const Covariance& covariance, const LowRankFunction& f,
                                const Eigen::MatrixXd& points);

}  // namespace btg
