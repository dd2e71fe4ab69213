#include "btg/model/folds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "btg/base/error.hpp"
#include "btg/base/select_rows.hpp"
#include "btg/numerics/decompositions.hpp"

namespace btg {

std::vector<int> Folds::kept(int fold) const {
  std::vector<int> result(order.begin(), order.begin() + first[fold]);
  result.insert(result.end(), order.begin() + first[fold + 1], order.end());
  std::sort(result.begin(), result.end());
  return result;
}

Folds leave_one_out(int n) {
  std::vector<int> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  return single_rows(rows);
}

Folds single_rows(const std::vector<int>& rows) {
  Folds folds{rows, std::vector<int>(rows.size() + 1)};
  std::iota(folds.first.begin(), folds.first.end(), 0);
  return folds;
}

Folds make_folds(const std::vector<int>& fold_of_row, int count) {
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

const char* describe(FoldStatus status) {
  switch (status) {
    case FoldStatus::predicted:
      return "predicted";
    case FoldStatus::too_few_rows:
      return "too few rows without it";
    case FoldStatus::undetermined_trend:
      return "trend undetermined without it";
    case FoldStatus::exact_fit:
      return "trend fits exactly without it";
    default:
      return "negative evidence without it";
  }
}

std::vector<FoldStatus> check_folds(const Eigen::MatrixXd& basis, const Folds& folds) {
  const int n = static_cast<int>(basis.rows()), p = static_cast<int>(basis.cols());
  std::vector<FoldStatus> status(folds.count(), FoldStatus::predicted);
  for (int fold = 0; fold < folds.count(); ++fold) {
    if (n - folds.size(fold) - p < 1) {
      status[fold] = FoldStatus::too_few_rows;
      continue;
    }
    // The leverages of the fold sum to at least the largest: few folds need a closer look.
    if (select_rows(basis, folds.rows(fold)).squaredNorm() < 0.99) continue;
    // The other rows determine the trend if their least singular value is not rounding. 1 / |R^-1|
    // is a close lower bound; 1 - leverage is the square, which rounding hides much earlier.
    const ThinQr qr = thin_qr(select_rows(basis, folds.kept(fold)));
    if (!(1.0 / invert(qr.triangle).matrix.norm() > 1e-10)) {
      status[fold] = FoldStatus::undetermined_trend;
    }
  }
  return status;
}

}  // namespace btg
