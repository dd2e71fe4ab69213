#include "btg/factor/prediction_error.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/factor/block_factor.hpp"
#include "btg/numerics/spread_points.hpp"

namespace btg {

namespace {

// Whether each column holds many numbers. Between levels of a factor, or few numbers, there are no
// new points.
std::vector<bool> has_many_values(const Eigen::MatrixXd& inputs,
                                  const std::vector<Levels>& levels) {
  constexpr std::size_t few = 10;
  std::vector<bool> many;
  for (Eigen::Index k = 0; k < inputs.cols(); ++k) {
    std::set<double> values;
    for (Eigen::Index i = 0; i < inputs.rows() && values.size() <= few; ++i) {
      values.insert(inputs(i, k));
    }
    many.push_back(!levels_of(levels, k) && values.size() > few);
  }
  return many;
}

// Sites to leave out, as positions, and the new points in their place.
struct Sample {
  std::vector<int> left_out;
  Eigen::MatrixXd points;
};

Sample sample_points(const BlockStructure& structure, const Eigen::MatrixXd& inputs,
                     const PredictionErrorOptions& options) {
  constexpr int near = 20;
  const int n = structure.size();
  Sample sample{scattered_subset(n, std::min(options.points, n), options.seed), {}};
  sample.points.resize(sample.left_out.size(), inputs.cols());
  const std::vector<bool> many = has_many_values(inputs, structure.levels());
  for (std::size_t k = 0; k < sample.left_out.size(); ++k) {
    const int site = structure.order()[sample.left_out[k]];
    const std::vector<int> others = structure.nearest_sites(inputs.row(site), near);
    const int other = structure.order()[others[k % others.size()]];
    for (Eigen::Index j = 0; j < inputs.cols(); ++j) {
      sample.points(k, j) =
          many[j] ? 0.5 * inputs(site, j) + 0.5 * inputs(other, j) : inputs(site, j);
    }
  }
  return sample;
}

void erase_position(std::vector<int>& sites, int position) {
  sites.erase(std::remove(sites.begin(), sites.end(), position), sites.end());
}

// Groups of one point each, predicted as by default but without the sites left out.
SiteGroups default_groups(const BlockStructure& structure, const Sample& sample) {
  SiteGroups single;
  for (const SiteGroup& group : structure.groups_of(sample.points)) {
    for (const int point : group.points) {
      single.push_back({group.block, {point}, group.sites});
      erase_position(single.back().sites, sample.left_out[point]);
    }
  }
  return single;
}

// Adds the sites nearest to the point of each group, and some of the inducing sites.
SiteGroups wider_groups(const BlockStructure& structure, const Sample& sample, SiteGroups groups,
                        const PredictionErrorOptions& options) {
  for (SiteGroup& group : groups) {
    const int point = group.points[0];
    std::vector<int>& sites = group.sites;
    const int count = std::max(options.sites, 2 * static_cast<int>(sites.size()));
    const std::vector<int> more = structure.nearest_sites(sample.points.row(point), count);
    sites.insert(sites.end(), more.begin(), more.end());
    sites.insert(sites.end(), structure.inducing().begin(), structure.inducing().end());
    std::sort(sites.begin(), sites.end());
    sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
    erase_position(sites, sample.left_out[point]);
  }
  return groups;
}

// Predictions that take the place of the exact ones.
struct Target {
  Eigen::VectorXd location, variance;
};

Target predict_target(const Factor& factor, const Eigen::MatrixXd& points, const SiteGroups& groups,
                      const Eigen::VectorXd& residual) {
  const std::unique_ptr<const CrossTerms> global = block_cross(factor, points, groups);
  const std::unique_ptr<const CrossTerms> local = local_cross(factor, points, groups);
  const Eigen::VectorXd prior = global->prior();
  Target target{global->times(residual), prior - global->explained()};
  const Eigen::VectorXd location = local->times(prepare_local(factor, residual));
  const Eigen::VectorXd variance = prior - local->explained();
  for (Eigen::Index k = 0; k < variance.size(); ++k) {
    if (!(variance[k] <= target.variance[k])) continue;
    target.variance[k] = variance[k];
    target.location[k] = location[k];
  }
  return target;
}

MeanAndWorst summarise(const std::vector<double>& errors) {
  MeanAndWorst result;
  for (const double error : errors) {
    result.mean += error / static_cast<double>(errors.size());
    result.worst = std::max(result.worst, error);
  }
  return result;
}

}  // namespace

PredictionError prediction_error(const BlockStructure& structure, const Factor& factor,
                                 const Eigen::MatrixXd& inputs, const Eigen::VectorXd& residual,
                                 double sd, const Eigen::VectorXd& noise,
                                 const PredictionErrorOptions& options) {
  const Sample sample = sample_points(structure, inputs, options);
  const SiteGroups groups = default_groups(structure, sample);
  const std::unique_ptr<const CrossTerms> used = block_cross(factor, sample.points, groups);
  const Target target = predict_target(factor, sample.points,
                                       wider_groups(structure, sample, groups, options), residual);
  const Eigen::ArrayXd variance = used->prior() - used->explained();
  const Eigen::ArrayXd moved = (used->times(residual) - target.location).array().abs() / sd;

  // Omits points where rounding leaves no variance.
  std::vector<double> process, observation, location;
  for (Eigen::Index k = 0; k < variance.size(); ++k) {
    const double exact = target.variance[k];
    if (!(variance[k] > 0.0 && exact > 0.0 && std::isfinite(moved[k]))) continue;
    const double v = noise[structure.order()[sample.left_out[k]]];
    process.push_back(std::abs(std::sqrt(variance[k] / exact) - 1.0));
    observation.push_back(std::abs(std::sqrt((variance[k] + v) / (exact + v)) - 1.0));
    location.push_back(moved[k] / std::sqrt(exact));
  }
  if (process.empty()) throw Error("numerical", "The error of the approximation is not known.");
  return {summarise(process), summarise(observation), summarise(location)};
}

}  // namespace btg
