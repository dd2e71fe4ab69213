// A partition of the rows, or of some of them, into folds, each predicted from all other rows.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace btg {

// `order` lists the rows of the first fold, then those of the second, and so on.
struct Folds {
  std::vector<int> order;
  std::vector<int> first;  // start of each fold in `order`, then its size

  int count() const { return static_cast<int>(first.size()) - 1; }
  int size(int fold) const { return first[fold + 1] - first[fold]; }
  std::vector<int> rows(int fold) const {
    return {order.begin() + first[fold], order.begin() + first[fold + 1]};
  }

  // All other rows of a partition of all rows, in increasing order.
  std::vector<int> kept(int fold) const;
};

Folds leave_one_out(int n);

// Makes each of these rows a fold.
Folds single_rows(const std::vector<int>& rows);

// fold_of_row[i] is the fold of row i. Each of 0, ..., count - 1 must occur.
Folds make_folds(const std::vector<int>& fold_of_row, int count);

// Whether a fold can be predicted from the others, and if not, why.
enum class FoldStatus {
  predicted,
  too_few_rows,        // the other rows leave no degrees of freedom
  undetermined_trend,  // the other rows do not identify the trend: the fold has leverage 1
  exact_fit,           // the trend fits the other rows exactly, at every node
  negative_evidence    // its signed weights do not sum to a positive number
};

// Describes the status to the user.
const char* describe(FoldStatus status);

// Checks each fold against the trend, given an orthonormal `basis` of the trend.
std::vector<FoldStatus> check_folds(const Eigen::MatrixXd& basis, const Folds& folds);

}  // namespace btg
