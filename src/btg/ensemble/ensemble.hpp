// Several models with their nodes, one answer: the predictive distributions of a fit are mixtures
// over the nodes of all its members.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <utility>
#include <vector>

#include "btg/ensemble/costs.hpp"
#include "btg/model/folds.hpp"
#include "btg/model/model.hpp"
#include "btg/model/points.hpp"
#include "btg/predictive/answer_slopes.hpp"
#include "btg/predictive/answers.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/predictive/mixture.hpp"
#include "btg/validation/cross_validate.hpp"
#include "btg/validation/leave_out.hpp"
#include "btg/validation/leave_out_naive.hpp"

namespace btg {

// One model with its nodes. Its response is (y - shift) / unit, where y is in the units that the
// members share.
struct Member {
  Model model;
  Eigen::MatrixXd etas;  // one column a node
  double shift, unit;

  NodeBlock block() const {
    const Segment lambda = model.hyperparameters.segment(Role::transform);
    return NodeBlock(model.transform, etas.middleRows(lambda.first, lambda.count), shift, unit);
  }
};

// How rows are to be left out.
struct LeaveOutPlan {
  Folds folds;
  bool observation;  // else the noise-free process
  bool naive;        // by refitting
  bool joint;        // models are reweighted with their nodes, else only nodes within a model
};

struct LeftOutAnswers : Answers {
  FoldWeights folds;
};

class Ensemble {
 public:
  // `weights` are those of all members' nodes, one member after the other, and sum to 1.
  Ensemble(std::vector<Member> members, const Eigen::VectorXd& weights)
      : members_(std::move(members)), weights_(weights) {
    if (members_.empty()) throw Error("argument", "An ensemble needs a member.");
    Eigen::Index nodes = 0;
    for (const Member& member : members_) nodes += member.etas.cols();
    if (nodes != weights.size()) {
      throw Error("argument", "Every node of an ensemble needs a weight.");
    }
  }

  // Makes what mixtures at all points share now, and not again at each call.
  void keep_nodes() { nodes_ = mixture_nodes(); }

  // Factors all nodes and keeps the factors, so that predictions need none: the same bits, sooner.
  void prepare() {
    std::vector<double> costs;
    for (const Member& member : members_) {
      costs.push_back(cost_of_nodes(member.model, member.etas, cost_of_factor(member.model)));
    }
    execution().plan(costs);
    std::vector<PreparedGroups> kept;
    for (const Member& member : members_) {
      kept.push_back(prepare_groups(member.model, member.etas));
    }
    kept_ = std::move(kept);
  }

  // What it holds, but for the factors, and what these are if they are kept.
  double bytes() const {
    double sum = 8.0 * static_cast<double>(weights_.size());
    for (const Member& member : members_) {
      const Model& model = member.model;
      const double columns =
          static_cast<double>(model.inputs.cols() + model.trend.basis().cols() + 4);
      sum += 8.0 * columns * static_cast<double>(model.response.size()) +
             8.0 * static_cast<double>(member.etas.size()) + model.factor_method->shared_bytes();
    }
    return sum;
  }
  double prepared_bytes() const {
    double sum = 0.0;
    for (const Member& member : members_) sum += btg::prepared_bytes(member.model, member.etas);
    return sum;
  }

  // An ensemble that outlives a call is run by the next one.
  void run_by(const Execution& execution) {
    for (Member& member : members_) member.model.execution = execution;
  }

  // Locations and scales of all members' nodes, one member after the other.
  LatentPredictions latent(const Points& points) const {
    LatentPredictions all{Eigen::MatrixXd(weights_.size(), points.size()),
                          Eigen::MatrixXd(weights_.size(), points.size())};
    Eigen::Index first = 0;
    for (const Member& member : members_) {
      const LatentPredictions part =
          predict_latent(member.model, member.etas, points, kept_of(member));
      all.location.middleRows(first, member.etas.cols()) = part.location;
      all.scale.middleRows(first, member.etas.cols()) = part.scale;
      first += member.etas.cols();
    }
    return all;
  }

  Answers predict(const Points& points, const std::vector<Inquiry>& inquiries,
                  const AnswerOptions& options) const {
    plan_predictions(points.size(), inquiries);
    const LatentPredictions at_points = latent(points);
    const std::shared_ptr<const MixtureNodes> nodes = mixture_nodes();
    return ask_mixtures(
        static_cast<long>(points.size()),
        [&](long i) {
          return Mixture(*nodes, at_points.location.col(i), at_points.scale.col(i), weights_);
        },
        inquiries, options, execution());
  }

  // The answers with their derivatives along each direction.
  SlopeAnswers slopes(const Points& points, const std::vector<Direction>& directions,
                      const std::vector<Inquiry>& inquiries, const AnswerOptions& options) const {
    plan_predictions(points.size(), inquiries);
    LatentSlopes all = empty_slopes(weights_.size(), points.size(), directions.size());
    Eigen::Index first_node = 0;
    for (const Member& member : members_) {
      const LatentSlopes part =
          predict_latent_slopes(member.model, member.etas, points, directions, kept_of(member));
      const auto put = [&](const LatentPredictions& from, LatentPredictions& to) {
        to.location.middleRows(first_node, member.etas.cols()) = from.location;
        to.scale.middleRows(first_node, member.etas.cols()) = from.scale;
      };
      put(part.at, all.at);
      for (std::size_t j = 0; j < directions.size(); ++j) put(part.along[j], all.along[j]);
      first_node += member.etas.cols();
    }
    return ask_slopes(*mixture_nodes(), weights_, all, inquiries, options, execution());
  }

  // Every row predicted without its fold, by nodes that are reweighted for it.
  LeftOutAnswers leave_out(const LeaveOutPlan& plan, const std::vector<Inquiry>& inquiries,
                           const AnswerOptions& options) const {
    plan_leave_out(plan, inquiries);
    std::vector<LeftOutModel> models;
    Eigen::Index first_node = 0;
    for (const Member& member : members_) {
      const auto leave_out = plan.naive ? leave_out_naive : btg::leave_out;
      const Eigen::Index count = member.etas.cols();
      models.push_back({leave_out(member.model, member.etas, plan.folds, plan.observation),
                        weights_.segment(first_node, count), member.unit});
      first_node += count;
    }
    const CrossValidation left_out = cross_validate(models, plan.folds, plan.joint, execution());
    const LeftOutMixtures mixtures(left_out, plan.folds, blocks(), first().compute);
    return {mixtures.ask(inquiries, options, execution()), left_out.folds};
  }

 private:
  const Model& first() const { return members_.front().model; }
  const Execution& execution() const { return first().execution; }

  std::shared_ptr<const MixtureNodes> mixture_nodes() const {
    if (nodes_) return nodes_;
    return std::make_shared<const MixtureNodes>(StudentT(first().degrees_of_freedom()), blocks(),
                                                first().compute);
  }

  // Empty unless prepared.
  const PreparedGroups& kept_of(const Member& member) const {
    static const PreparedGroups none;
    return kept_.empty() ? none : kept_[&member - members_.data()];
  }

  std::vector<NodeBlock> blocks() const {
    std::vector<NodeBlock> all;
    for (const Member& member : members_) all.push_back(member.block());
    return all;
  }

  // What predict will do, for its progress.
  void plan_predictions(Eigen::Index points, const std::vector<Inquiry>& inquiries) const {
    std::vector<double> costs;
    for (const Member& member : members_) {
      costs.push_back(
          cost_of_latent(member.model, member.etas, static_cast<double>(points), !kept_.empty()));
    }
    costs.push_back(cost_of_answers(inquiries, static_cast<double>(points),
                                    static_cast<double>(weights_.size())));
    execution().plan(costs);
  }

  // The same for leave_out.
  void plan_leave_out(const LeaveOutPlan& plan, const std::vector<Inquiry>& inquiries) const {
    const double nodes = static_cast<double>(weights_.size());
    std::vector<double> costs;
    for (const Member& member : members_) {
      const double refit = cost_of_nodes(member.model, member.etas, cost_of_factor(member.model));
      if (plan.naive) costs.push_back(refit);
      costs.push_back(plan.naive ? plan.folds.count() * refit
                                 : cost_of_leave_out(member.model, member.etas));
    }
    const std::size_t weighings = plan.joint || members_.size() == 1 ? 1 : 1 + members_.size();
    costs.insert(costs.end(), weighings, 50.0 * plan.folds.count() * nodes);
    costs.push_back(
        cost_of_answers(inquiries, static_cast<double>(first().response.size()), nodes));
    execution().plan(costs);
  }

  std::vector<Member> members_;
  std::vector<PreparedGroups> kept_;           // of each member, once prepared
  std::shared_ptr<const MixtureNodes> nodes_;  // if they are kept
  Eigen::VectorXd weights_;
};

}  // namespace btg
