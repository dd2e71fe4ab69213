#include "btg/predictive/latent.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "btg/base/error.hpp"
#include "btg/model/latent_response.hpp"
#include "btg/node/predict_slopes.hpp"

namespace btg {

namespace {

// Replaces the node's factor by another form of it, if there is one.
KernelNode with_factor(KernelNode node, const std::shared_ptr<const Factor>& factor) {
  if (factor) node.factor = factor;
  return node;
}

// Calls visit(prepared) for every group of columns, each made just before.
template <class Visit>
void for_each_prepared(const Model& model, const Eigen::MatrixXd& etas, Visit visit) {
  for_each_group(model, etas, [&](const KernelNode* node, const NodeGroup& group) {
    if (!node) throw Error("numerical", "The kernel matrix of a kept node could not be factored.");
    visit(std::make_unique<const PreparedGroup>(model, etas, group, *node, true));
  });
}

}  // namespace

void LatentValues::put(Eigen::Index first, const LatentValues& some) {
  location.middleRows(first, some.location.rows()) = some.location;
  scale.middleRows(first, some.scale.rows()) = some.scale;
}

void DerivativeSpread::put(Eigen::Index first, const DerivativeSpread& some) {
  covariance.middleRows(first, some.covariance.rows()) = some.covariance;
  variance.middleRows(first, some.variance.rows()) = some.variance;
}

void LatentPredictions::put(Eigen::Index first, const LatentPredictions& some) {
  at.put(first, some.at);
  noise.middleRows(first, some.noise.rows()) = some.noise;
  for (std::size_t j = 0; j < along.size(); ++j) along[j].put(first, some.along[j]);
  for (std::size_t j = 0; j < spread.size(); ++j) spread[j].put(first, some.spread[j]);
}

PreparedGroup::PreparedGroup(const Model& model, const Eigen::MatrixXd& etas,
                             const NodeGroup& group_, const KernelNode& node_, bool packed)
    : group(group_),
      node(packed ? with_factor(node_, node_.factor->packed()) : node_),
      trend_directions(node_.factor->prepare(node_.trend_directions)) {
  for (Eigen::Index i = group.first; i < group.first + group.count; ++i) {
    model.execution.check();
    const Eigen::VectorXd z = complete_response(model, etas.col(i).data()).z;
    fits.emplace_back(node_, fit_latent(model, node_, z));
  }
}

KernelNode PreparedGroup::unpacked() const { return with_factor(node, node.factor->unpacked()); }

KernelNode PreparedGroup::for_slopes() const {
  return with_factor(node, node.factor->for_slopes());
}

PreparedGroups prepare_groups(const Model& model, const Eigen::MatrixXd& etas) {
  PreparedGroups made(etas.cols());  // at the index of its first node
  for_each_prepared(model, etas, [&](std::unique_ptr<const PreparedGroup> one) {
    const Eigen::Index place = one->group.first;
    made[place] = std::move(one);
  });
  made.erase(std::remove(made.begin(), made.end(), nullptr), made.end());
  return made;
}

double prepared_bytes(const Model& model, const Eigen::MatrixXd& etas) {
  const double n = static_cast<double>(model.site_count());
  const double p = static_cast<double>(model.trend.basis().cols());
  const double groups = static_cast<double>(group_nodes(model, etas).size());
  const double of_factor =
      model.factor_method->factor_bytes(n, static_cast<double>(model.inputs.cols()));
  const double of_node = sizeof(PreparedGroup) + 8.0 * (n * (3.0 * p + 1.0) + p * p);
  const double of_fit = sizeof(PredictingFit) + 8.0 * (n + p);
  return groups * (of_factor + of_node) + of_fit * static_cast<double>(etas.cols());
}

std::vector<PointBatch> batches_of(const Model& model, const Points& points,
                                   const std::vector<Direction>& directions) {
  const FactorMethod& method = *model.factor_method;
  const Eigen::Index per_point =
      directions.empty() ? 1 : std::max<Eigen::Index>(1, points.inputs.cols());
  const long most = std::max<long>(1, method.points_at_a_time(model.site_count()) / per_point);
  const std::vector<int> order = method.visiting_order(points.inputs);
  const long count = static_cast<long>(order.size());
  std::vector<PointBatch> batches((count + most - 1) / most);
  parallel_for(static_cast<long>(batches.size()), model.execution.without_progress(), [&](long b) {
    PointBatch& batch = batches[b];
    batch.rows.assign(order.begin() + b * most, order.begin() + std::min(count, (b + 1) * most));
    batch.points = points.at(batch.rows);
    batch.groups = method.groups_of(batch.points.inputs);
    for (const Direction& one : directions) batch.directions.push_back(one.at(batch.rows));
  });
  return batches;
}

void predict_group(const Model& model, const Eigen::MatrixXd& etas, const PreparedGroup& prepared,
                   const std::vector<PointBatch>& batches, LatentPredictions& result) {
  const bool sloped = !result.along.empty();
  const NodeGroup& group = prepared.group;
  const KernelNode node = sloped ? prepared.for_slopes() : prepared.node;
  const PredictingNode ready(node, prepared.trend_directions);
  const std::vector<PredictingFit>& fits = prepared.fits;
  const double* eta = etas.col(group.first).data();
  for (const PointBatch& batch : batches) {
    model.execution.check();
    const std::vector<int>& some = batch.rows;
    const Points& here = batch.points;
    const std::vector<Direction>& directions = batch.directions;
    const CrossPoints cross = cross_points(model, ready, eta, here, batch.groups);
    std::vector<PointSlopes> slopes;
    std::vector<Eigen::VectorXd> derivative_variances;
    if (sloped) {
      const CrossSlopes by_input =
          slopes_of_inputs(ready, fits, here.inputs, model.kept_terms(here));
      for (const Direction& direction : directions) {
        slopes.push_back(point_slopes(model, ready, eta, here, cross, by_input, direction));
      }
      if (!result.spread.empty()) {
        const WhitenedSlopes whitened =
            node.factor->whitened_slopes(here.inputs, model.kept_terms(here));
        for (std::size_t j = 0; j < directions.size(); ++j) {
          derivative_variances.push_back(derivative_variance(whitened, slopes[j], directions[j]));
        }
      }
    }
    for (Eigen::Index i = 0; i < group.count; ++i) {
      const auto put = [&](const Eigen::VectorXd& location, const Eigen::VectorXd& scale,
                           LatentValues& to) {
        for (std::size_t k = 0; k < some.size(); ++k) {
          to.location(group.first + i, some[k]) = location[k];
          to.scale(group.first + i, some[k]) = scale[k];
        }
      };
      const Eigen::VectorXd scale = predictive_scale(cross, fits[i], model.likelihood);
      put(predictive_location(cross, fits[i]), scale, result.at);
      const Eigen::VectorXd noise = noise_scale(cross.noise, fits[i], model.likelihood);
      for (std::size_t k = 0; k < some.size(); ++k) {
        result.noise(group.first + i, some[k]) = noise[k];
      }
      for (std::size_t j = 0; j < slopes.size(); ++j) {
        put(location_slope(slopes[j], fits[i], i), scale_slope(cross, slopes[j], scale),
            result.along[j]);
      }
      const double relative_to = scale_of_process(fits[i], model.likelihood);
      for (std::size_t j = 0; j < derivative_variances.size(); ++j) {
        for (std::size_t k = 0; k < some.size(); ++k) {
          DerivativeSpread& to = result.spread[j];
          to.covariance(group.first + i, some[k]) = relative_to * 0.5 * slopes[j].process[k];
          to.variance(group.first + i, some[k]) = relative_to * derivative_variances[j][k];
        }
      }
    }
  }
}

LatentPredictions predict_latent(const Model& model, const Eigen::MatrixXd& etas,
                                 const Points& data_points,
                                 const std::vector<Direction>& data_directions,
                                 const PreparedGroups& cached, bool with_spread) {
  const Points points = model.expand(data_points);
  const std::vector<Direction> directions = model.expand(data_directions);
  const std::vector<PointBatch> batches = batches_of(model, points, directions);
  LatentPredictions result(etas.cols(), points.size(), directions.size(), with_spread);
  const auto predict = [&](const PreparedGroup& one) {
    predict_group(model, etas, one, batches, result);
  };
  if (cached.empty()) {
    for_each_prepared(model, etas,
                      [&](const std::unique_ptr<const PreparedGroup>& one) { predict(*one); });
  } else {
    for_each_cached(model, cached, predict);
  }
  return result;
}

}  // namespace btg
