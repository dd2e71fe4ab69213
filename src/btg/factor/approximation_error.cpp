#include "btg/factor/approximation_error.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "btg/base/error.hpp"
#include "btg/base/select_rows.hpp"
#include "btg/factor/block_making.hpp"
#include "btg/factor/block_state.hpp"
#include "btg/numerics/nearest_points.hpp"
#include "btg/numerics/normal_points.hpp"
#include "btg/numerics/spread_points.hpp"

namespace btg {

namespace {

// A sampled site and earlier sites, as positions. The site itself comes last.
struct Neighbourhood {
  std::vector<int> given, more;  // the structure's neighbours; a larger set that includes them
  std::vector<int> given_in_more;
};

// `inputs` are those of all sites.
inline std::vector<Neighbourhood> sample_neighbourhoods(const BlockStructure& structure,
                                                        const Eigen::MatrixXd& inputs,
                                                        const Covariance& covariance,
                                                        const ErrorOptions& options) {
  const int n = structure.size();
  std::vector<int> rank(n), block_of(n);
  for (int p = 0; p < n; ++p) rank[p] = p;
  const InputSpace space = space_of(covariance, structure.levels());
  const Eigen::MatrixXd points =
      space.coordinates(select_rows(inputs, structure.order())).transpose();
  const std::vector<BlockStructure::Block>& blocks = structure.blocks();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    std::fill(block_of.begin() + blocks[b].first, block_of.begin() + blocks[b].end,
              static_cast<int>(b));
  }
  const NearestPoints tree(points, rank);
  std::vector<Neighbourhood> all;
  for (const int p : scattered_subset(n, std::min(options.sites, n), options.seed)) {
    const BlockStructure::Block& block = blocks[block_of[p]];
    Neighbourhood one;
    one.given.assign(block.members.begin(),
                     block.members.begin() + block.neighbour_count() + (p - block.first));
    one.more =
        tree.nearest(points.col(p), std::max(options.neighbours, 2 * block.member_count()), p);
    one.more.insert(one.more.end(), one.given.begin(), one.given.end());
    std::sort(one.more.begin(), one.more.end());
    one.more.erase(std::unique(one.more.begin(), one.more.end()), one.more.end());
    for (const int position : one.given) {
      const auto at = std::lower_bound(one.more.begin(), one.more.end(), position);
      one.given_in_more.push_back(static_cast<int>(at - one.more.begin()));
    }
    one.given_in_more.push_back(static_cast<int>(one.more.size()));
    one.given.push_back(p);
    one.more.push_back(p);
    all.push_back(std::move(one));
  }
  return all;
}

// Fills the state with V at the positions in the sample only.
inline BlockState state_at(const std::vector<Neighbourhood>& sample,
                           const std::shared_ptr<const BlockStructure>& structure,
                           const Eigen::MatrixXd& inputs, const MovedCovariance& at,
                           const Execution& execution) {
  BlockState state = begin_state(structure, at.covariance, inputs, at.noise, execution);
  if (!make_inducing_root(state)) {
    throw Error("numerical", "The inducing sites could not be factored.");
  }
  std::vector<char> needed(state.size(), 0);
  for (const Neighbourhood& one : sample) {
    for (const int position : one.more) needed[position] = 1;
  }
  std::vector<int> positions;
  for (int p = 0; p < state.size(); ++p) {
    if (needed[p]) positions.push_back(p);
  }
  const long pieces = (static_cast<long>(positions.size()) + 255) / 256;
  parallel_for(pieces, state.execution, [&](long i) {
    const int* first = positions.data() + 256 * i;
    const int count = static_cast<int>(std::min<long>(256, positions.size() - 256 * i));
    Buffer points, v;
    gather_points(state, first, count, points);
    Eigen::Map<Eigen::MatrixXd> columns = v.take(state.inducing(), count);
    fill_v(state, state.covariance, points.take(count, state.columns()), columns.data());
    for (int k = 0; k < count; ++k) state.v.col(first[k]) = columns.col(k);
  });
  return state;
}

// The conditional distribution of the last of several sites.
struct Conditional {
  double log_deviation;
  Eigen::RowVectorXd squares;  // squared last element of each column of `values`, whitened

  // Log density, up to a constant, with C divided by exp(2 log_scale).
  Eigen::RowVectorXd log_density(double log_scale) const {
    return -0.5 * std::exp(2.0 * log_scale) * squares.array() - (log_deviation - log_scale);
  }
};

inline Conditional condition(const BlockState& state, const std::vector<int>& positions,
                             const Eigen::MatrixXd& values) {
  ResidualRoot root;
  const int count = static_cast<int>(positions.size());
  if (!root.make(state, positions.data(), count, count)) {
    return {NAN, Eigen::RowVectorXd::Constant(values.cols(), NAN)};
  }
  const Eigen::Map<const Eigen::MatrixXd> l(root.l(), count, count);
  const double log_deviation = std::log(l(count - 1, count - 1));
  if (values.cols() == 0) return {log_deviation, Eigen::RowVectorXd()};
  const Eigen::MatrixXd whitened = l.triangularView<Eigen::Lower>().solve(values);
  return {log_deviation, whitened.row(count - 1).array().square()};
}

// Mean change of the log deviations, over the sites where both are finite.
inline double mean_step(const std::vector<Conditional>& from, const std::vector<Conditional>& to) {
  double sum = 0.0;
  int known = 0;
  for (std::size_t k = 0; k < from.size(); ++k) {
    const double step = to[k].log_deviation - from[k].log_deviation;
    if (!std::isfinite(step)) continue;
    sum += step;
    ++known;
  }
  return sum / std::max(known, 1);
}

// Draws data at the sites of a neighbourhood from C. Returns nothing if C cannot be factored.
inline Eigen::MatrixXd draw_values(const BlockState& state, const Neighbourhood& one,
                                   const Eigen::MatrixXd& normals) {
  ResidualRoot root;
  const int count = static_cast<int>(one.more.size());
  if (!root.make(state, one.more.data(), count, count)) return {};
  if (normals.cols() == 0) return normals;
  return Eigen::Map<const Eigen::MatrixXd>(root.l(), count, count).triangularView<Eigen::Lower>() *
         normals.topRows(count);
}

// Standard normals from a linear congruential generator, independent of R's random state.
inline Eigen::MatrixXd hashed_normals(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Eigen::MatrixXd uniforms(rows, columns);
  std::uint64_t state = seed * 0x9e3779b97f4a7c15u + 7;
  for (Eigen::Index i = 0; i < uniforms.size(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    uniforms.data()[i] = (static_cast<double>(state >> 11) + 0.5) / 9007199254740992.0;
  }
  return normal_points(uniforms);
}

}  // namespace

ApproximationError approximation_error(const std::shared_ptr<const BlockStructure>& structure,
                                       const Eigen::MatrixXd& inputs, const MovedCovariance& here,
                                       const std::vector<MovedCovariance>& moved,
                                       const Execution& execution, const ErrorOptions& options) {
  if (inputs.rows() != structure->size()) {
    throw Error("damaged", "The blocks are those of other sites.");
  }
  const std::vector<Neighbourhood> sample =
      sample_neighbourhoods(*structure, inputs, here.covariance, options);
  const long count = static_cast<long>(sample.size());
  const Eigen::Index coordinates = static_cast<Eigen::Index>(moved.size());

  const BlockState state = state_at(sample, structure, inputs, here, execution);
  std::vector<Eigen::MatrixXd> values(count), values_given(count);
  std::vector<Conditional> more(count), given(count);
  parallel_for(count, state.execution, [&](long k) {
    const Neighbourhood& one = sample[k];
    const Eigen::Index size = static_cast<Eigen::Index>(one.more.size());
    const Eigen::Index draws = coordinates > 0 ? options.draws : 0;
    values[k] = draw_values(state, one, hashed_normals(size, draws, options.seed + k));
    if (values[k].rows() < size) values[k] = Eigen::MatrixXd::Constant(size, draws, NAN);
    values_given[k] = values_at(values[k], one.given_in_more);
    more[k] = condition(state, one.more, values[k]);
    given[k] = condition(state, one.given, values_given[k]);
  });

  // Score differences, with one row per coordinate.
  std::vector<Eigen::MatrixXd> differences(count);
  for (Eigen::Index j = 0; j < coordinates; ++j) {
    const BlockState other = state_at(sample, structure, inputs, moved[j], execution);
    std::vector<Conditional> more_there(count), given_there(count);
    parallel_for(count, other.execution, [&](long k) {
      more_there[k] = condition(other, sample[k].more, values[k]);
      given_there[k] = condition(other, sample[k].given, values_given[k]);
    });
    const double log_scale = mean_step(more, more_there);
    for (long k = 0; k < count; ++k) {
      if (j == 0) differences[k].resize(coordinates, values[k].cols());
      differences[k].row(j) = (more_there[k].log_density(log_scale) - more[k].log_density(0.0) -
                               given_there[k].log_density(log_scale) + given[k].log_density(0.0)) /
                              moved[j].step;
    }
  }

  // Omits sites whose neighbourhood could not be factored because the noise is too small.
  std::vector<double> log_ratios;
  Eigen::MatrixXd score = Eigen::MatrixXd::Zero(coordinates, coordinates);
  long scored = 0;
  for (long k = 0; k < count; ++k) {
    const double log_ratio = 2.0 * (given[k].log_deviation - more[k].log_deviation);
    if (std::isfinite(log_ratio)) log_ratios.push_back(log_ratio);
    if (coordinates > 0 && differences[k].allFinite()) {
      score += differences[k] * differences[k].transpose();
      scored += differences[k].cols();
    }
  }
  if (log_ratios.empty()) throw Error("numerical", "The error of the approximation is not known.");
  const Eigen::Map<const Eigen::ArrayXd> ratios(log_ratios.data(),
                                                static_cast<Eigen::Index>(log_ratios.size()));
  const double n = state.size(), known = static_cast<double>(ratios.size());
  const double variance = (ratios - ratios.mean()).square().sum() / std::max(known - 1.0, 1.0);
  return {0.5 * n * ratios.mean(), 0.5 * n * std::sqrt(variance / known),
          n / std::max<double>(scored, 1.0) * score};
}

}  // namespace btg
