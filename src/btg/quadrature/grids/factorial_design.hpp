// Two-level fractional factorial designs of resolution V for any number of factors (Sanchez and
// Sanchez 2005, "Very large fractional factorial and central composite designs"). The columns are
// Walsh functions,
//
//     sign of factor k in run i = (-1)^(number of 1s in i AND c_k).
//
// The product of columns is the column of the XOR of their numbers c, and is balanced unless that
// is 0. Resolution V means that no product of up to four columns is constant.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace btg {

// The smallest numbers with no XOR of up to four equal to 0: 1, 2, 4, 8, 15, 16, 32, 51, ...
std::vector<std::uint32_t> walsh_columns(int factors);

// Number of runs: the smallest power of 2 above all column numbers.
std::uint32_t factorial_runs(const std::vector<std::uint32_t>& columns);

// Signs, with one row per factor and one column per run.
Eigen::MatrixXd factorial_design(const std::vector<std::uint32_t>& columns);

}  // namespace btg
