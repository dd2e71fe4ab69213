// Divides points into compact cells by a binary tree of cuts. A cut is a plane across a principal
// direction of the points of a cell. It is the cut that reduces their variance most among one that
// fills cells and those at wide gaps, so points of one place, and of one level of a factor, are
// divided only if no other cut reduces the variance as much.
#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

namespace btg {

class CellTree {
 public:
  using Range = std::pair<int, int>;

  // A cell with the points order()[first], ..., order()[end - 1], or two parts of such a range.
  struct Node {
    int first, end;
    int cell;  // -1 for an inner node, which has:
    Eigen::VectorXd direction;
    double split;  // points with smaller projections belong to `left`
    int left, right;
  };

  CellTree() = default;
  // Points are columns. Cells contain at most `most` points.
  CellTree(const Eigen::MatrixXd& points, int most);

  // Cell k contains the points order()[ranges()[k].first], ..., order()[ranges()[k].second - 1].
  // Consecutive cells are near each other.
  const std::vector<int>& order() const { return order_; }
  const std::vector<Range>& ranges() const { return ranges_; }

  const std::vector<Node>& nodes() const { return nodes_; }  // the root first, parents before parts

  // Returns the cell that contains a point.
  int cell_of(const Eigen::VectorXd& point) const;

 private:
  struct Cut {
    double reduction = -1.0;  // of the mean squared distance to the centre
    double split = 0.0;
    int count = 0;  // points on the left
    Eigen::VectorXd direction;
    std::vector<std::pair<double, int>> projected;  // sorted
  };

  int divide(const Eigen::MatrixXd& points, int first, int end, int most);

  // Finds the best cut of order_[first], ..., order_[end - 1].
  Cut find_cut(const Eigen::MatrixXd& points, int first, int end, int most) const;

  // Places a cut across its direction.
  static void place_cut(Cut& cut, int most);

  std::vector<int> order_;
  std::vector<Range> ranges_;
  std::vector<Node> nodes_;
};

}  // namespace btg
