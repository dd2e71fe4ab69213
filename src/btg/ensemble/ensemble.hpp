// Several models with their nodes. The predictive distributions of a fit are mixtures over the
// nodes of all its members.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <vector>

#include "btg/base/parallel.hpp"
#include "btg/ensemble/representatives.hpp"
#include "btg/model/folds.hpp"
#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "btg/predictive/answers.hpp"
#include "btg/predictive/field_draws.hpp"
#include "btg/predictive/joint_draws.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/predictive/mixture.hpp"
#include "btg/validation/fold_weights.hpp"

namespace btg {

// One model with its nodes. Its response is (y - shift) / scale, with y in the units shared by all
// members.
struct Member {
  std::shared_ptr<Model> model;
  Eigen::MatrixXd etas;  // one node per column
  double shift, scale;

  ModelNodes nodes() const;
};

// Predicts rows of the data from the others, fold by fold.
struct LeaveOutPlan {
  Folds folds;
  bool observation;  // else the noise-free process
  bool naive;        // by refitting
  bool joint;        // reweights models along with their nodes, else only nodes within a model
};

// Where to predict, at new points or left-out rows, and what to compute there.
struct Request {
  Points points;
  std::vector<Direction> directions;  // for slopes of the answers
  std::optional<LeaveOutPlan> leave_out;
  std::vector<Question> questions;
  AnswerOptions options;
  // If not empty, the points stand in groups of as many, and each group has one answer: that of the
  // mixture over its points with these weights, as for an uncertain point.
  Eigen::VectorXd group_weights = {};
};

struct Response : Answers {
  FoldWeights folds;  // for left-out rows
};

class Ensemble {
 public:
  // `weights` covers the nodes of all members in order, and sums to 1.
  Ensemble(std::vector<Member> members, const Eigen::VectorXd& weights);

  Response answer(const Request& request) const;

  // Locations and scales at the nodes of all members, in order.
  LatentPredictions latent(const Points& points, const std::vector<Direction>& directions = {},
                           bool with_spread = false) const;

  // Selects few nodes that predict like all. Weights must be positive.
  Representatives represent(const RepresentPlan& plan) const;

  // Joint draws at the points, one per column. The plan numbers nodes over all members.
  JointDraws draw(const Points& points, const DrawPlan& plan) const;

  // Answers at the points of the request without each of some rows of the data, from the nodes
  // reweighted as in leave_out. The answer for row i and point j is in row i + rows * j.
  Response influence(const Request& request, const std::vector<int>& rows, bool joint) const;

  // Draws at many points, for functionals of the field.
  FieldDraws draw_field(const Points& points, const FieldPlan& plan) const;

  // The share of the variance over a region that an observation would remove, at each point after
  // the first `region` ones: see variance_reduction.hpp.
  Eigen::VectorXd reduce_variance(const Points& points, int region) const;

  double degrees_of_freedom() const { return first().degrees_of_freedom(); }

  // Factors all nodes and caches the factors. Answers are the same to the bit, but faster.
  void prepare();

  // Memory in bytes, without factors and of the factors.
  double bytes() const;
  double prepared_bytes() const;

  // Sets how the next call runs, since an ensemble may outlive the call that made it.
  void run_by(const Execution& execution);

 private:
  Response predict(const Request& request) const;
  Response predict_groups(const Request& request, const LatentPredictions& points) const;
  Response leave_out(const Request& request) const;

  const Model& first() const { return *members_.front().model; }
  const Execution& execution() const { return first().execution; }
  const PreparedGroups& cached(const Member& member) const;  // empty unless prepared
  std::vector<ModelNodes> model_nodes() const;
  const MixtureNodes& mixture_nodes() const;

  std::vector<Member> members_;
  std::vector<PreparedGroups> cached_;                         // per member, once prepared
  mutable std::shared_ptr<const MixtureNodes> mixture_nodes_;  // created on first use
  Eigen::VectorXd weights_;
};

}  // namespace btg
