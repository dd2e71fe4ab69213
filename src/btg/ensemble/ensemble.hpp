// Several models with their nodes, and one way to ask them: the predictive distributions of a fit
// are mixtures over the nodes of all its members.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <vector>

#include "btg/base/parallel.hpp"
#include "btg/model/folds.hpp"
#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "btg/predictive/answers.hpp"
#include "btg/predictive/joint_draws.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/predictive/mixture.hpp"
#include "btg/validation/fold_weights.hpp"

namespace btg {

// One model with its nodes. Its response is (y - shift) / scale, where y is in the units that the
// members share.
struct Member {
  std::shared_ptr<Model> model;
  Eigen::MatrixXd etas;  // one node per column
  double shift, scale;

  ModelNodes nodes() const;
};

// Rows of the data to predict from the others, fold by fold.
struct LeaveOutPlan {
  Folds folds;
  bool observation;  // else the noise-free process
  bool naive;        // by refitting
  bool joint;        // models are reweighted with their nodes, else only nodes within a model
};

// Where to predict, new points or left-out rows, and what to ask there.
struct Request {
  Points points;
  std::vector<Direction> directions;  // in which answers have slopes
  std::optional<LeaveOutPlan> leave_out;
  std::vector<Question> questions;
  AnswerOptions options;
};

struct Response : Answers {
  FoldWeights folds;  // of left-out rows
};

class Ensemble {
 public:
  // `weights` are those of all members' nodes, one member after the other, and sum to 1.
  Ensemble(std::vector<Member> members, const Eigen::VectorXd& weights);

  Response answer(const Request& request) const;

  // Locations and scales of all members' nodes, one member after the other.
  LatentPredictions latent(const Points& points,
                           const std::vector<Direction>& directions = {}) const;

  // Joint draws at the points, one per column: nodes of the plan are numbered over all members.
  Eigen::MatrixXd draw(const Points& points, const DrawPlan& plan) const;

  double degrees_of_freedom() const { return first().degrees_of_freedom(); }

  // Factors all nodes and caches the factors, so that answers need none: the same bits, sooner.
  void prepare();

  // The memory that the ensemble takes without factors, and that the factors would take.
  double bytes() const;
  double prepared_bytes() const;

  // An ensemble that outlives a call is run by the next one.
  void run_by(const Execution& execution);

 private:
  Response predict(const Request& request) const;
  Response leave_out(const Request& request) const;

  const Model& first() const { return *members_.front().model; }
  const Execution& execution() const { return first().execution; }
  const PreparedGroups& cached(const Member& member) const;  // empty unless prepared
  std::vector<ModelNodes> model_nodes() const;
  const MixtureNodes& mixture_nodes() const;

  std::vector<Member> members_;
  std::vector<PreparedGroups> cached_;                         // of each member, once prepared
  mutable std::shared_ptr<const MixtureNodes> mixture_nodes_;  // made when first needed
  Eigen::VectorXd weights_;
};

}  // namespace btg
