// Two-level fractional factorial designs of resolution V for any number of factors
// (Sanchez and Sanchez 2005, "Very large fractional factorial and central composite
// designs"): the columns are Walsh functions,
//
//     sign of factor k in run i = (-1)^(number of 1s in i AND c_k).
//
// A product of columns is the column of the XOR of their numbers c, and balanced unless
// that is 0. Resolution V means that no four or fewer columns have product 1.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace btg {

// The smallest numbers of which no four or fewer have XOR 0: 1, 2, 4, 8, 15, 16, 32, 51, ...
inline std::vector<std::uint32_t> walsh_columns(int factors) {
  std::vector<std::uint32_t> columns;
  std::vector<bool> excluded(2, false);  // XORs of up to three columns
  excluded[0] = true;
  const auto exclude = [&](std::uint32_t x) {
    if (x >= excluded.size()) excluded.resize(std::size_t{2} * x, false);
    excluded[x] = true;
  };
  for (std::uint32_t next = 1; static_cast<int>(columns.size()) < factors; ++next) {
    if (next < excluded.size() && excluded[next]) continue;
    exclude(next);
    for (std::size_t a = 0; a < columns.size(); ++a) {
      exclude(next ^ columns[a]);
      for (std::size_t b = 0; b < a; ++b) exclude(next ^ columns[a] ^ columns[b]);
    }
    columns.push_back(next);
  }
  return columns;
}

inline bool has_odd_ones(std::uint32_t x) {
  bool odd = false;
  for (; x != 0; x &= x - 1) odd = !odd;
  return odd;
}

// The number of runs: the power of 2 above all column numbers.
inline std::uint32_t factorial_runs(const std::vector<std::uint32_t>& columns) {
  std::uint32_t runs = 1;
  for (const std::uint32_t column : columns) {
    while (runs <= column) runs *= 2;
  }
  return runs;
}

// Signs, one row a factor, one column a run.
inline Eigen::MatrixXd factorial_design(const std::vector<std::uint32_t>& columns) {
  Eigen::MatrixXd signs(columns.size(), factorial_runs(columns));
  for (Eigen::Index i = 0; i < signs.cols(); ++i) {
    for (Eigen::Index k = 0; k < signs.rows(); ++k) {
      signs(k, i) = has_odd_ones(static_cast<std::uint32_t>(i) & columns[k]) ? -1.0 : 1.0;
    }
  }
  return signs;
}

}  // namespace btg
