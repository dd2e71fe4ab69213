// How far the model of the block factor is from the one it stands for. Given the coefficients w of
// the inducing functions, the sites of either model come one after the other with conditional
// variances d_i in C: given all earlier sites, or those of the structure. The divergence of the two
// is 1/2 sum_i log(d_i of the structure / d_i given all), and at least that of the models without
// w. It is estimated from some sites, with "all" the nearest few hundred of the earlier ones.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/factor/block_making.hpp"
#include "btg/factor/block_state.hpp"
#include "btg/factor/block_structure.hpp"
#include "btg/numerics/kd_tree.hpp"
#include "btg/numerics/spread_points.hpp"

namespace btg {

struct ApproximationError {
  double divergence = 0.0;      // nats
  double standard_error = 0.0;  // of it, as not all sites are looked at
  double inflation = 0.0;       // of the conditional sd, as a share of it
};

struct ErrorOptions {
  int sites = 300;
  int neighbours = 200;  // at least, and twice as many as a block has members
  std::uint64_t seed = 0;
};

// `noise` is that of each site.
inline ApproximationError approximation_error(
    const std::shared_ptr<const BlockStructure>& structure, const Covariance& covariance,
    const Eigen::MatrixXd& inputs, const Eigen::VectorXd& noise, const Execution& execution,
    const ErrorOptions& options = {}) {
  BlockState state = begin_state(structure, covariance, inputs, noise, execution);
  const int n = state.size();
  if (!make_inducing(state)) throw Error("numerical", "The inducing sites could not be factored.");
  std::vector<int> rank(n), block_of(n);
  for (int p = 0; p < n; ++p) rank[p] = p;
  const std::vector<BlockStructure::Block>& blocks = structure->blocks();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    std::fill(block_of.begin() + blocks[b].first, block_of.begin() + blocks[b].end,
              static_cast<int>(b));
  }
  const KdTree tree(state.points, rank);
  const std::vector<int> chosen = scattered_subset(n, std::min(options.sites, n), options.seed);
  std::vector<double> log_ratio(chosen.size());
  parallel_for(static_cast<long>(chosen.size()), state.execution, [&](long k) {
    const int p = chosen[k];
    const BlockStructure::Block& block = blocks[block_of[p]];
    // The site itself is the last, so that its pivot is its conditional variance.
    const auto conditional_deviation = [&](const std::vector<int>& positions) {
      ResidualRoot root;
      const int count = static_cast<int>(positions.size());
      const bool positive = root.make(state, positions.data(), count, count);
      return positive
                 ? Eigen::Map<const Eigen::MatrixXd>(root.l(), count, count)(count - 1, count - 1)
                 : NAN;
    };
    std::vector<int> given(block.members.begin(),
                           block.members.begin() + block.neighbour_count() + (p - block.first));
    std::vector<int> more = tree.nearest(state.points.col(p),
                                         std::max(options.neighbours, 2 * block.member_count()), p);
    more.insert(more.end(), given.begin(), given.end());
    std::sort(more.begin(), more.end());
    more.erase(std::unique(more.begin(), more.end()), more.end());
    given.push_back(p);
    more.push_back(p);
    log_ratio[k] = 2.0 * std::log(conditional_deviation(given) / conditional_deviation(more));
  });

  // Where the noise does not suffice for so many sites at once, nothing is known.
  std::vector<double> known;
  for (const double one : log_ratio) {
    if (std::isfinite(one)) known.push_back(one);
  }
  if (known.empty()) throw Error("numerical", "The error of the approximation is not known.");
  const Eigen::Map<const Eigen::ArrayXd> ratios(known.data(),
                                                static_cast<Eigen::Index>(known.size()));
  const double count = static_cast<double>(known.size());
  const double variance = (ratios - ratios.mean()).square().sum() / std::max(count - 1.0, 1.0);
  return {0.5 * n * ratios.mean(), 0.5 * n * std::sqrt(variance / count),
          (0.5 * ratios).exp().mean() - 1.0};
}

}  // namespace btg
