#include "btg/numerics/nested_gauss.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <string>

#include "btg/base/error.hpp"

namespace btg {

const std::vector<NestedStage>& patterson_stages() {
  static const std::vector<NestedStage> stages{
      {1, {}},
      {5, {0.77459666924148337704}},
      {11, {0.43424374934680255800, 0.96049126870802028342}},
      {23,
       {0.22338668642896688163, 0.62110294673722640294, 0.88845923287225699889,
        0.99383196321275502221}},
      {47,
       {0.11248894313318662575, 0.33113539325797683309, 0.53131974364437562397,
        0.70249620649152707861, 0.83672593816886873550, 0.92965485742974005667,
        0.98153114955374010687, 0.99909812496766759766}}};
  return stages;
}

const std::vector<NestedStage>& genz_keister_stages() {
  static const std::vector<NestedStage> stages{
      {1, {}},
      {5, {1.7320508075688772935}},
      {15, {0.74109534999454084186, 2.8612795760570581173, 4.1849560176727318607}},
      {29,
       {1.2304236340273060078, 2.5960831150492021594, 3.2053337944991945187, 5.1870160399136560660,
        6.3633944943363699876}},
      {51,
       {0.24899229757996061181, 2.2336260616769416520, 3.6353185190372782452, 4.7364330859522970841,
        5.6981777684881095893, 7.1221067008046166582, 7.9807717985905608802,
        9.0169397898903025175}}};
  return stages;
}

namespace {

// Builds the rule of the first `count` stages. Its weights integrate the Lagrange polynomials by
// gauss(k), the k-node Gauss rule of the same weight function.
template <class Gauss>
OneDimensionalRule nested_rule(const std::vector<NestedStage>& stages, std::size_t count,
                               Gauss gauss) {
  std::vector<double> nodes{0.0};
  for (std::size_t s = 0; s < count; ++s) {
    for (const double node : stages[s].new_nodes) nodes.insert(nodes.end(), {-node, node});
  }
  std::sort(nodes.begin(), nodes.end());
  const Eigen::Index n = static_cast<Eigen::Index>(nodes.size());
  const OneDimensionalRule exact = gauss(static_cast<int>(n + 1) / 2);
  OneDimensionalRule rule{Eigen::Map<Eigen::VectorXd>(nodes.data(), n), Eigen::VectorXd(n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    Eigen::ArrayXd lagrange = exact.weights.array();
    for (Eigen::Index j = 0; j < n; ++j) {
      if (j == i) continue;
      lagrange *= (exact.nodes.array() - rule.nodes[j]) / (rule.nodes[i] - rule.nodes[j]);
    }
    rule.weights[i] = lagrange.sum();
  }
  rule.weights = 0.5 * (rule.weights + rule.weights.reverse()).eval();
  return rule;
}

// Returns how many stages make the rule exact for `degree`.
std::size_t stages_for(const std::vector<NestedStage>& stages, int degree) {
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (stages[s].degree >= degree) return s + 1;
  }
  throw Error("quadrature", "Nested rules are known up to degree " +
                                std::to_string(stages.back().degree) + ", not " +
                                std::to_string(degree) + ". Use a lower `order`.");
}

}  // namespace

OneDimensionalRule patterson(int degree) {
  const std::vector<NestedStage>& stages = patterson_stages();
  const auto gauss = [](int k) {
    OneDimensionalRule rule = gauss_legendre(k);
    rule.nodes = 2.0 * rule.nodes.array() - 1.0;
    return rule;
  };
  return on_unit_interval(nested_rule(stages, stages_for(stages, degree), gauss));
}

OneDimensionalRule genz_keister(int degree) {
  const std::vector<NestedStage>& stages = genz_keister_stages();
  return nested_rule(stages, stages_for(stages, degree), gauss_hermite);
}

}  // namespace btg
