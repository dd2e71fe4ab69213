// Selects rows of a matrix, or elements of a vector, by index. Indices may repeat.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace btg {

template <class Matrix>
Matrix select_rows(const Matrix& matrix, const std::vector<int>& rows) {
  Matrix result(rows.size(), matrix.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) result.row(i) = matrix.row(rows[i]);
  return result;
}

}  // namespace btg
