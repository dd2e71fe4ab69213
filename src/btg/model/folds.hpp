// A partition of the rows into folds, each to be predicted from all others.
#pragma once

#include <Eigen/Core>
#include <vector>

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
  std::vector<int> kept(int fold) const;
};

Folds leave_one_out(int n);

// fold_of_row[i] is the number of row i's fold; all of 0, ..., count - 1 occur.
Folds make_folds(const std::vector<int>& fold_of_row, int count);

// Whether a fold can be predicted from the others, or else why not.
enum class FoldStatus {
  predicted,
  too_few_rows,        // without it no degrees of freedom are left
  undetermined_trend,  // without it the trend is rank deficient: it has leverage 1
  exact_fit,           // without it the trend fits exactly, at every node
  negative_evidence    // its signed weights do not sum to a positive number
};

// In the user's words.
const char* describe(FoldStatus status);

// What the trend, of which `basis` is an orthonormal basis, says of each fold.
std::vector<FoldStatus> check_folds(const Eigen::MatrixXd& basis, const Folds& folds);

}  // namespace btg
