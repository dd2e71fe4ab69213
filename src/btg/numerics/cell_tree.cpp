#include "btg/numerics/cell_tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace btg {

namespace {

// Squares of coordinates must not overflow.
double clamp(double x) { return std::min(std::max(x, -1e100), 1e100); }

// Rounds the same way for the points of the tree and for others.
double project(const double* direction, const double* point, Eigen::Index size) {
  double sum = 0.0;
  for (Eigen::Index k = 0; k < size; ++k) sum += direction[k] * clamp(point[k]);
  return sum;
}

// Approximates the leading principal direction of the columns by power iteration. Returns their
// variance along it.
double leading_direction(const Eigen::MatrixXd& deviations, Eigen::VectorXd& direction) {
  constexpr int steps = 4;  // more would hardly make cells more compact
  Eigen::Index farthest;
  if (!(deviations.colwise().squaredNorm().maxCoeff(&farthest) > 0.0)) return 0.0;
  direction = deviations.col(farthest).normalized();
  double variance = 0.0;
  for (int step = 0; step < steps; ++step) {
    const Eigen::VectorXd along = deviations.transpose() * direction;
    variance = along.squaredNorm() / static_cast<double>(deviations.cols());
    const Eigen::VectorXd next = deviations * along;
    const double norm = next.norm();
    if (!(norm > 0.0)) break;
    direction = next / norm;
  }
  return variance;
}

// Number of points to the left of a cut in the middle that leaves both sides full cells.
int filling_count(int size, int most) {
  const int parts = (size + most - 1) / most;
  return static_cast<int>(static_cast<long>(size) * (parts / 2) / parts);
}

}  // namespace

CellTree::CellTree(const Eigen::MatrixXd& points, int most) : order_(points.cols()) {
  std::iota(order_.begin(), order_.end(), 0);
  divide(points, 0, static_cast<int>(order_.size()), most);
}

int CellTree::cell_of(const Eigen::VectorXd& point) const {
  int id = 0;
  while (nodes_[id].cell < 0) {
    const Node& node = nodes_[id];
    const bool below = project(node.direction.data(), point.data(), point.size()) < node.split;
    id = below ? node.left : node.right;
  }
  return nodes_[id].cell;
}

int CellTree::divide(const Eigen::MatrixXd& points, int first, int end, int most) {
  const int id = static_cast<int>(nodes_.size());
  nodes_.push_back({first, end, -1, {}, 0.0, -1, -1});
  if (end - first <= most) {
    nodes_[id].cell = static_cast<int>(ranges_.size());
    ranges_.emplace_back(first, end);
    return id;
  }
  int middle;
  {
    const Cut cut = find_cut(points, first, end, most);
    for (std::size_t k = 0; k < cut.projected.size(); ++k) {
      order_[first + k] = cut.projected[k].second;
    }
    middle = first + cut.count;
    nodes_[id].direction = cut.direction;
    nodes_[id].split = cut.split;
  }
  const int left = divide(points, first, middle, most);
  const int right = divide(points, middle, end, most);
  nodes_[id].left = left;
  nodes_[id].right = right;
  return id;
}

CellTree::Cut CellTree::find_cut(const Eigen::MatrixXd& points, int first, int end,
                                 int most) const {
  constexpr int sample = 128, directions = 3;
  const int size = end - first, step = (size + sample - 1) / sample;
  Eigen::MatrixXd deviations(points.rows(), (size + step - 1) / step);
  for (Eigen::Index k = 0; k < deviations.cols(); ++k) {
    deviations.col(k) = points.col(order_[first + k * step]).unaryExpr(&clamp);
  }
  deviations.colwise() -= Eigen::VectorXd(deviations.rowwise().mean());
  Cut best;
  for (int tried = 0; tried < directions; ++tried) {
    Cut cut;
    cut.direction = Eigen::VectorXd::Zero(points.rows());
    const double variance = leading_direction(deviations, cut.direction);
    // No cut reduces the variance by more than there is along its direction.
    if (tried > 0 && variance <= best.reduction) break;
    for (int k = first; k < end; ++k) {
      const int p = order_[k];
      cut.projected.emplace_back(project(cut.direction.data(), points.col(p).data(), points.rows()),
                                 p);
    }
    std::sort(cut.projected.begin(), cut.projected.end());
    place_cut(cut, most);
    deviations -= cut.direction * (cut.direction.transpose() * deviations);
    if (tried == 0 || cut.reduction > best.reduction) best = std::move(cut);
  }
  return best;
}

void CellTree::place_cut(Cut& cut, int most) {
  const int size = static_cast<int>(cut.projected.size());
  const int filling = filling_count(size, most), least = std::max(1, std::min(most, size) / 2);
  const double range = cut.projected.back().first - cut.projected.front().first;
  // About three times the widest gap between as many values that are spread evenly.
  const double wide = 3.0 * range * (std::log(size) + 1.0) / size;
  cut.count = filling;
  cut.split = cut.projected[filling].first;
  double total = 0.0, sum = 0.0;
  const double origin = cut.projected.front().first;
  for (const auto& [value, point] : cut.projected) total += value - origin;
  for (int count = 1; count < size; ++count) {
    const double before = cut.projected[count - 1].first, after = cut.projected[count].first;
    sum += before - origin;
    const bool allowed = count >= least && count <= size - least && after - before > wide;
    if (count != filling && !allowed) continue;
    const double share = static_cast<double>(count) / size;
    const double difference = (total - sum) / (size - count) - sum / count;
    const double reduction = share * (1.0 - share) * difference * difference;
    if (reduction > cut.reduction) {
      cut.reduction = reduction;
      cut.count = count;
      cut.split = before + 0.5 * (after - before);
      // The midpoint of adjacent numbers may round to the smaller one.
      if (!(cut.split > before)) cut.split = after;
    }
  }
}

}  // namespace btg
