#include "btg/quadrature/grids/factorial_design.hpp"

#include <cstddef>

namespace btg {

std::vector<std::uint32_t> walsh_columns(int factors) {
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

namespace {

bool has_odd_ones(std::uint32_t x) {
  bool odd = false;
  for (; x != 0; x &= x - 1) odd = !odd;
  return odd;
}

}  // namespace

std::uint32_t factorial_runs(const std::vector<std::uint32_t>& columns) {
  std::uint32_t runs = 1;
  for (const std::uint32_t column : columns) {
    while (runs <= column) runs *= 2;
  }
  return runs;
}

Eigen::MatrixXd factorial_design(const std::vector<std::uint32_t>& columns) {
  Eigen::MatrixXd signs(columns.size(), factorial_runs(columns));
  for (Eigen::Index i = 0; i < signs.cols(); ++i) {
    for (Eigen::Index k = 0; k < signs.rows(); ++k) {
      signs(k, i) = has_odd_ones(static_cast<std::uint32_t>(i) & columns[k]) ? -1.0 : 1.0;
    }
  }
  return signs;
}

}  // namespace btg
