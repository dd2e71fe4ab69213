// Locations and scales of the predictive t distributions at all nodes and points, and their slopes
// along directions of the points.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/node/node.hpp"
#include "btg/node/predict.hpp"

namespace btg {

struct LatentValues {
  Eigen::MatrixXd location, scale;  // nodes x points

  LatentValues(Eigen::Index nodes, Eigen::Index points)
      : location(nodes, points), scale(nodes, points) {}
  // Writes the rows of some nodes, from `first` on.
  void put(Eigen::Index first, const LatentValues& some);
};

// The process's derivative along a direction, for the posterior of slopes: its covariance with the
// process and its variance, nodes x points. Its mean is the slope of the location.
struct DerivativeSpread {
  Eigen::MatrixXd covariance, variance;

  DerivativeSpread(Eigen::Index nodes, Eigen::Index points)
      : covariance(nodes, points), variance(nodes, points) {}
  void put(Eigen::Index first, const DerivativeSpread& some);
};

struct LatentPredictions {
  LatentPredictions(Eigen::Index nodes, Eigen::Index points, std::size_t directions,
                    bool with_spread = false)
      : at(nodes, points),
        noise(nodes, points),
        along(directions, at),
        spread(with_spread ? directions : 0, DerivativeSpread(nodes, points)) {}
  void put(Eigen::Index first, const LatentPredictions& some);

  LatentValues at;
  Eigen::MatrixXd noise;                 // the part of the scale that is noise; squares add
  std::vector<LatentValues> along;       // slopes in each direction
  std::vector<DerivativeSpread> spread;  // in each direction, if requested
};

// The data for predictions from one kernel node and its transforms at any number of points. It is
// immutable, so several threads may read it.
struct PreparedGroup {
  PreparedGroup(const Model& model, const Eigen::MatrixXd& etas, const NodeGroup& group_,
                const KernelNode& node_, bool packed);
  // The node with a factor for left-out rows, and for slopes.
  KernelNode unpacked() const;
  KernelNode for_slopes() const;

  NodeGroup group;
  KernelNode node;
  Eigen::MatrixXd trend_directions;  // prepared
  std::vector<PredictingFit> fits;   // for the group's nodes
};

using PreparedGroups = std::vector<std::unique_ptr<const PreparedGroup>>;

// Calls visit(prepared) for all groups, in one loop.
template <class Visit>
void for_each_cached(const Model& model, const PreparedGroups& cached, Visit visit) {
  const auto body = [&](long g) { visit(*cached[g]); };
  const long count = static_cast<long>(cached.size());
  if (model.factor_method->threads_within()) {
    serial_for(count, model.execution, body);
  } else {
    parallel_for(count, model.execution, body);
  }
}

// Makes all groups, for caching.
PreparedGroups prepare_groups(const Model& model, const Eigen::MatrixXd& etas);

// Memory used by prepare_groups, in bytes.
double prepared_bytes(const Model& model, const Eigen::MatrixXd& etas);

// Points that are worked on at once, to bound memory and the delay of interrupts, with all that is
// the same for every node.
struct PointBatch {
  std::vector<int> rows;  // among all points
  Points points;
  SiteGroups groups;  // as in Factor::cross
  std::vector<Direction> directions;
};

// Points of a batch are near each other and share work: see FactorMethod::visiting_order.
std::vector<PointBatch> batches_of(const Model& model, const Points& points,
                                   const std::vector<Direction>& directions);

// Fills the rows of the group's nodes.
void predict_group(const Model& model, const Eigen::MatrixXd& etas, const PreparedGroup& prepared,
                   const std::vector<PointBatch>& batches, LatentPredictions& result);

// The columns of `etas` are nodes. `cached` holds their groups; if empty, they are made here.
// Points and directions have the columns of the data's inputs, here and in joint_draws.hpp.
LatentPredictions predict_latent(const Model& model, const Eigen::MatrixXd& etas,
                                 const Points& data_points,
                                 const std::vector<Direction>& data_directions,
                                 const PreparedGroups& cached, bool with_spread = false);

}  // namespace btg
