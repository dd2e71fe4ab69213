// A dimension-adaptive sparse grid in the frame of a mode: the sum over a set of indices l of
//
//     D_l = (U_l1 - U_(l1 - 1)) x ... x (U_ld - U_(ld - 1)),     U_(-1) = 0.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "btg/numerics/one_dimensional.hpp"
#include "btg/quadrature/grids/grid.hpp"
#include "btg/quadrature/grids/index_set.hpp"
#include "btg/quadrature/grids/laplace_frame.hpp"
#include "btg/quadrature/grids/sparse_grid.hpp"
#include "btg/quadrature/rule.hpp"

namespace btg {

class DimensionAdaptiveGrid {
 public:
  // `levels` holds rules U_0, U_1, ... for the standard normal, where U_0 has one node. `most` is
  // the maximum number of likelihoods.
  DimensionAdaptiveGrid(const Target& target, LaplaceFrame frame, const Levels& levels, int most);

  bool can_refine() const { return indices_.can_grow(); }
  void refine() { insert(indices_.grow()); }

  // Estimated error, relative to Laplace's approximation of the evidence.
  double remaining() const { return indices_.remaining(); }

  // The grid's points in lexicographic order of x.
  WeightedPoints result() const;

 private:
  using Point = std::vector<double>;  // x
  struct Node {
    double log_likelihood, log_ratio;
    CancellingSum weight;
  };

  static Eigen::Map<const Eigen::VectorXd> as_vector(const Point& point) {
    return {point.data(), static_cast<Eigen::Index>(point.size())};
  }

  template <class Visit>
  void for_each_point(const LevelIndex& index, Visit visit) const {
    std::vector<const OneDimensionalRule*> factors;
    for (const int level : index) factors.push_back(&differences_[level]);
    for_each_product(factors, visit);
  }

  // Adds those differences for which the budget suffices.
  void insert(const std::vector<LevelIndex>& indices);

  void evaluate(const std::set<Point>& wanted);

  // Adds the weights of a difference and returns its contribution beyond Laplace's approximation.
  // With f the ratio of the posterior to Laplace's normal, that is the largest of |D_l[(f - 1) g]|
  // over g = 1, x_k, x_k^2.
  double accumulate(const LevelIndex& index);

  const Target& target_;
  LaplaceFrame frame_;
  std::size_t most_;
  IndexSet indices_;
  Levels differences_;
  std::map<Point, Node> nodes_;
};

}  // namespace btg
