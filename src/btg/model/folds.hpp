// A partition of the rows into folds, each to be predicted from all others.
#pragma once

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/base/select_rows.hpp"

namespace btg {

// The rows of the first fold, then those of the second, ...
struct Folds {
  std::vector<int> order;
  std::vector<int> first;  // where each fold begins in `order`, and n

  int count() const { return static_cast<int>(first.size()) - 1; }
  int size(int fold) const { return first[fold + 1] - first[fold]; }
  std::vector<int> rows(int fold) const {
    return {order.begin() + first[fold], order.begin() + first[fold + 1]};
  }

  // All other rows, in increasing order.
  std::vector<int> kept(int fold) const {
    std::vector<int> result(order.begin(), order.begin() + first[fold]);
    result.insert(result.end(), order.begin() + first[fold + 1], order.end());
    std::sort(result.begin(), result.end());
    return result;
  }
};

inline Folds leave_one_out(int n) {
  Folds folds{std::vector<int>(n), std::vector<int>(n + 1)};
  std::iota(folds.order.begin(), folds.order.end(), 0);
  std::iota(folds.first.begin(), folds.first.end(), 0);
  return folds;
}

// fold_of_row[i] is the number of row i's fold; all of 0, ..., count - 1 occur.
inline Folds make_folds(const std::vector<int>& fold_of_row, int count) {
  const int n = static_cast<int>(fold_of_row.size());
  Folds folds;
  for (int fold = 0; fold < count; ++fold) {
    folds.first.push_back(static_cast<int>(folds.order.size()));
    for (int row = 0; row < n; ++row) {
      if (fold_of_row[row] == fold) folds.order.push_back(row);
    }
    if (static_cast<int>(folds.order.size()) == folds.first.back()) {
      throw Error("folds", "Fold " + std::to_string(fold + 1) + " has no rows.");
    }
  }
  folds.first.push_back(n);
  if (static_cast<int>(folds.order.size()) != n) {
    throw Error("folds", "Every row must belong to one of the folds.");
  }
  return folds;
}

// Whether a fold can be predicted from the others, or else why not.
enum class FoldStatus {
  predicted,
  too_few_rows,        // without it no degrees of freedom are left
  undetermined_trend,  // without it the trend is rank deficient: it has leverage 1
  exact_fit,           // without it the trend fits exactly, at every node
  negative_evidence    // its signed weights do not sum to a positive number
};

// What the trend, of which `basis` is an orthonormal basis, says of each fold.
inline std::vector<FoldStatus> check_folds(const Eigen::MatrixXd& basis, const Folds& folds) {
  const int n = static_cast<int>(basis.rows()), p = static_cast<int>(basis.cols());
  std::vector<FoldStatus> status(folds.count(), FoldStatus::predicted);
  for (int fold = 0; fold < folds.count(); ++fold) {
    if (n - folds.size(fold) - p < 1) {
      status[fold] = FoldStatus::too_few_rows;
      continue;
    }
    // The sum of leverages bounds the largest: few folds need a closer look.
    if (select_rows(basis, folds.rows(fold)).squaredNorm() < 0.99) continue;
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(select_rows(basis, folds.kept(fold)));
    if (!(std::abs(qr.matrixR()(p - 1, p - 1)) > 1e-10)) {
      status[fold] = FoldStatus::undetermined_trend;
    }
  }
  return status;
}

}  // namespace btg
