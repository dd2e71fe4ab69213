#include "btg/posterior/completed_nodes.hpp"

#include <algorithm>
#include <cmath>

#include "btg/base/error.hpp"
#include "btg/node/completion.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/numerics/sobol_points.hpp"

namespace btg {

namespace {

// Numbers in proportion to |weights|, each at least 1, that sum to about `count`.
std::vector<int> divide_count(const Eigen::VectorXd& weights, int count) {
  const Eigen::VectorXd shares = weights.cwiseAbs() / weights.cwiseAbs().sum();
  std::vector<int> numbers;
  for (Eigen::Index i = 0; i < shares.size(); ++i) {
    numbers.push_back(std::max(1, static_cast<int>(std::lround(shares[i] * count))));
  }
  return numbers;
}

int power_of_two_from(int x) {
  int power = 32;
  while (power < x) power *= 2;
  return power;
}

// Chooses `count` indices systematically by weight, from a start in (0, 1) that depends on `node`.
std::vector<int> choose(const Eigen::VectorXd& weights, int count, Eigen::Index node) {
  const double golden = 0.61803398874989485;
  const double start = std::fmod((static_cast<double>(node) + 0.5) * golden, 1.0);
  std::vector<int> chosen;
  double below = 0.0;
  for (Eigen::Index k = 0; k < weights.size(); ++k) {
    below += weights[k];
    while (static_cast<int>(chosen.size()) < count &&
           (static_cast<double>(chosen.size()) + start) / count < below) {
      chosen.push_back(static_cast<int>(k));
    }
  }
  while (static_cast<int>(chosen.size()) < count) {
    chosen.push_back(static_cast<int>(weights.size()) - 1);
  }
  return chosen;
}

// Writes the latent responses of one node into the columns of `latent`. Nodes have their own
// scrambles, so that their draws differ.
void draw_latent(const Model& model, const KernelNode& node, const CensoredRows& rows,
                 const double* eta, Eigen::Index index, Eigen::Ref<Eigen::MatrixXd> latent) {
  const int count = static_cast<int>(latent.cols());
  const int dimension = model.censored.count() + 1;
  const auto seed = static_cast<std::uint64_t>(index) + 1;
  const Eigen::MatrixXd points = sobol_points(dimension, power_of_two_from(2 * count), 0, seed);
  Completion completion = complete(model, node, rows, eta, points);
  if (!std::isfinite(completion.log_marginal)) {
    completion = complete(model, node, rows, eta, model.censored.points());
  }
  if (!std::isfinite(completion.log_marginal)) {
    throw Error("numerical", "Censored responses of a kept node could not be drawn.");
  }
  const std::vector<int> chosen = choose(completion.weights, count, index);
  for (int k = 0; k < count; ++k) latent.col(k) = completion.latent.col(chosen[k]);
}

}  // namespace

Eigen::VectorXd CompletedNodes::divide(const Eigen::VectorXd& weights) const {
  return repeat(weights).cwiseProduct(share);
}

Eigen::VectorXd CompletedNodes::repeat(const Eigen::VectorXd& values) const {
  Eigen::VectorXd result(share.size());
  for (Eigen::Index k = 0; k < share.size(); ++k) result[k] = values[origin[k]];
  return result;
}

CompletedNodes complete_nodes(const Model& model, const Eigen::MatrixXd& etas,
                              const Eigen::VectorXd& weights, int count) {
  const std::vector<int> numbers = divide_count(weights, model.censored.empty() ? 1 : count);
  CompletedNodes result;
  std::vector<Eigen::Index> first;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    first.push_back(static_cast<Eigen::Index>(result.origin.size()));
    result.origin.insert(result.origin.end(), numbers[i], static_cast<int>(i));
  }
  const Eigen::Index total = static_cast<Eigen::Index>(result.origin.size());
  result.share.resize(total);
  result.etas.resize(model.node_size(), total);
  for (Eigen::Index k = 0; k < total; ++k) {
    const int i = result.origin[k];
    result.share[k] = 1.0 / numbers[i];
    result.etas.col(k).head(model.size()) = etas.col(i);
  }
  if (model.censored.empty()) return result;
  for_each_group(model, etas, [&](const KernelNode* node, const NodeGroup& group) {
    if (!node) throw Error("numerical", "The kernel matrix of a kept node could not be factored.");
    const CensoredRows rows(model, *node);
    for (Eigen::Index i = group.first; i < group.first + group.count; ++i) {
      model.execution.check();
      draw_latent(model, *node, rows, etas.col(i).data(), i,
                  result.etas.block(model.size(), first[i], model.censored.count(), numbers[i]));
    }
  });
  return result;
}

}  // namespace btg
