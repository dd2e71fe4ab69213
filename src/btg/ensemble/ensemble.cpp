#include "btg/ensemble/ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "btg/base/error.hpp"
#include "btg/base/select_rows.hpp"
#include "btg/model/hyperparameters.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/numerics/student_t.hpp"
#include "btg/predictive/variance_reduction.hpp"
#include "btg/validation/cross_validate.hpp"
#include "btg/validation/influence.hpp"
#include "btg/validation/left_out.hpp"
#include "btg/validation/left_out_naive.hpp"
#include "btg/validation/survey.hpp"

namespace btg {

namespace {

// Rough durations of loops in nanoseconds, accurate enough for an even progress bar.

double cost_of_nodes(const Member& member, double flops_each) {
  const double flop = 0.1;
  return flop * flops_each * static_cast<double>(group_nodes(*member.model, member.etas).size());
}

double sites_of(const Member& member) { return static_cast<double>(member.model->site_count()); }

double factor_cost(const Member& member, bool cached) {
  return cached ? 0.0 : member.model->factor_method->factor_cost(sites_of(member));
}

double cost_of_answers(const std::vector<Question>& questions, double points, double nodes) {
  double each = 0.0;
  for (const Question& question : questions) {
    each += question.type->cost * static_cast<double>(question.at.cols());
  }
  return each * points * nodes;
}

// True if an answer is about the posterior of slopes.
bool needs_spread(const Request& request) {
  return !request.directions.empty() &&
         std::any_of(request.questions.begin(), request.questions.end(),
                     [](const Question& question) { return question.type->slope_posterior; });
}

}  // namespace

ModelNodes Member::nodes() const {
  const Segment lambda = model->hyperparameters.segment(Role::transform);
  return ModelNodes(model->transform, etas.middleRows(lambda.first, lambda.count), shift, scale);
}

Ensemble::Ensemble(std::vector<Member> members, const Eigen::VectorXd& weights)
    : members_(std::move(members)), weights_(weights) {
  if (members_.empty()) throw Error("argument", "An ensemble needs a member.");
  Eigen::Index nodes = 0;
  for (const Member& member : members_) nodes += member.etas.cols();
  if (nodes != weights.size()) {
    throw Error("argument", "Every node of an ensemble needs a weight.");
  }
}

Response Ensemble::answer(const Request& request) const {
  return request.leave_out ? leave_out(request) : predict(request);
}

Response Ensemble::predict(const Request& request) const {
  const double points = static_cast<double>(request.points.size());
  std::vector<double> costs;
  for (const Member& member : members_) {
    const double cross = member.model->factor_method->cross_cost(sites_of(member));
    costs.push_back(cost_of_nodes(member, factor_cost(member, !cached_.empty()) + points * cross));
  }
  costs.push_back(cost_of_answers(request.questions, points, static_cast<double>(weights_.size())));
  execution().plan(costs);

  const LatentPredictions at_points =
      latent(request.points, request.directions, needs_spread(request));
  if (request.group_weights.size() > 0) return predict_groups(request, at_points);
  const MixtureNodes& nodes = mixture_nodes();
  const auto mixture_of = [&](long i) {
    return Mixture(nodes, at_points.at.location.col(i), at_points.at.scale.col(i), weights_,
                   at_points.noise.col(i));
  };
  return {ask(static_cast<long>(request.points.size()), mixture_of, request.questions,
              request.options, execution(), at_points.along, at_points.spread),
          {}};
}

Response Ensemble::predict_groups(const Request& request, const LatentPredictions& points) const {
  const Eigen::Index size = request.group_weights.size(), count = weights_.size();
  std::vector<ModelNodes> repeated;
  Eigen::VectorXd weights(size * count);
  for (Eigen::Index k = 0; k < size; ++k) {
    for (const ModelNodes& one : model_nodes()) repeated.push_back(one);
    weights.segment(k * count, count) = request.group_weights[k] * weights_;
  }
  const MixtureNodes nodes(StudentT(degrees_of_freedom()), repeated, first().compute);
  const auto mixture_of = [&](long i) {
    // The columns of the points of a group are adjacent in memory.
    const auto of_group = [&](const Eigen::MatrixXd& values) {
      return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(&values(0, i * size), size * count));
    };
    return Mixture(nodes, of_group(points.at.location), of_group(points.at.scale), weights,
                   of_group(points.noise));
  };
  return {ask(static_cast<long>(request.points.size() / size), mixture_of, request.questions,
              request.options, execution()),
          {}};
}

Response Ensemble::influence(const Request& request, const std::vector<int>& rows,
                             bool joint) const {
  const Folds folds = single_rows(rows);
  const Eigen::Index count = static_cast<Eigen::Index>(rows.size());
  const Eigen::Index columns = count * request.points.size();
  LatentValues at(weights_.size(), columns);
  std::vector<LeftOutModel> left_out;
  Eigen::Index first_node = 0;
  for (const Member& member : members_) {
    const Eigen::Index nodes = member.etas.cols();
    const Influence found = btg::influence(*member.model, member.etas, request.points, folds);
    at.put(first_node, found.at);
    left_out.push_back({found.left_out, weights_.segment(first_node, nodes), member.scale});
    first_node += nodes;
  }
  const CrossValidation without = cross_validate(left_out, folds, joint, execution());
  const MixtureNodes nodes(StudentT(degrees_of_freedom() - 1.0), model_nodes(), first().compute);
  const auto mixture_of = [&](long k) {
    Eigen::VectorXd location = at.location.col(k), scale = at.scale.col(k);
    Eigen::VectorXd weights = without.folds.weights.col(k % count);
    const bool predicted = without.folds.status[k % count] == FoldStatus::predicted;
    for (Eigen::Index i = 0; i < location.size(); ++i) {
      if (predicted && std::isfinite(location[i])) continue;
      location[i] = weights[i] = 0.0;
      scale[i] = 1.0;
    }
    if (!predicted) weights[0] = 1.0;  // R marks the answer as missing
    return Mixture(nodes, location, scale, weights);
  };
  return {
      ask(static_cast<long>(columns), mixture_of, request.questions, request.options, execution()),
      without.folds};
}

Response Ensemble::leave_out(const Request& request) const {
  const LeaveOutPlan& plan = *request.leave_out;
  const double nodes = static_cast<double>(weights_.size());
  std::vector<double> costs;
  for (const Member& member : members_) {
    if (plan.naive) {
      const double refit = cost_of_nodes(member, factor_cost(member, false));
      costs.insert(costs.end(), {refit, plan.folds.count() * refit});
    } else {
      const double project = member.model->factor_method->project_cost(sites_of(member));
      costs.push_back(cost_of_nodes(member, factor_cost(member, !cached_.empty()) + project));
    }
  }
  const std::size_t weighings = plan.joint || members_.size() == 1 ? 1 : 1 + members_.size();
  costs.insert(costs.end(), weighings, 50.0 * plan.folds.count() * nodes);
  const double rows = static_cast<double>(first().response.size());
  costs.push_back(cost_of_answers(request.questions, rows, nodes));
  execution().plan(costs);

  std::vector<LeftOutModel> models;
  Eigen::Index first_node = 0;
  for (const Member& member : members_) {
    const Eigen::Index count = member.etas.cols();
    models.push_back(
        {plan.naive ? leave_out_naive(*member.model, member.etas, plan.folds, plan.observation)
                    : btg::leave_out(*member.model, member.etas, plan.folds, plan.observation,
                                     cached(member)),
         weights_.segment(first_node, count), member.scale});
    first_node += count;
  }
  const CrossValidation left_out = cross_validate(models, plan.folds, plan.joint, execution());
  const LeftOutMixtures mixtures(left_out, plan.folds, model_nodes(), first().compute);
  return {mixtures.ask(request.questions, request.options, execution()), left_out.folds};
}

LatentPredictions Ensemble::latent(const Points& points, const std::vector<Direction>& directions,
                                   bool with_spread) const {
  LatentPredictions all(weights_.size(), points.size(), directions.size(), with_spread);
  Eigen::Index first_node = 0;
  for (const Member& member : members_) {
    all.put(first_node, predict_latent(*member.model, member.etas, points, directions,
                                       cached(member), with_spread));
    first_node += member.etas.cols();
  }
  return all;
}

Representatives Ensemble::represent(const RepresentPlan& plan) const {
  const double points = static_cast<double>(plan.probes.size());
  std::vector<double> costs;
  for (const Member& member : members_) {
    const double cross = member.model->factor_method->cross_cost(sites_of(member));
    const double columns = points + static_cast<double>(plan.rows.size());
    costs.push_back(cost_of_nodes(member, factor_cost(member, false) + columns * cross));
  }
  execution().plan(costs);

  const Folds folds = single_rows(plan.rows);
  LatentValues at(weights_.size(), plan.probes.size());
  std::vector<LeftOutModel> left_out;
  std::vector<int> sizes;
  Eigen::Index first_node = 0;
  for (const Member& member : members_) {
    const Eigen::Index count = member.etas.cols();
    const Survey found = survey(*member.model, member.etas, plan.probes, folds);
    at.put(first_node, found.at_points);
    left_out.push_back({found.left_out, weights_.segment(first_node, count), member.scale});
    sizes.push_back(static_cast<int>(count));
    first_node += count;
  }
  NodePredictions all{mixture_nodes(), weights_, sizes, at.location, at.scale, nullptr, {}};
  if (plan.rows.empty()) return btg::represent(all, plan);
  const CrossValidation without = cross_validate(left_out, folds, plan.joint, Execution());
  const LeftOutMixtures mixtures(without, folds, model_nodes(), first().compute);
  all.left_out = &mixtures;
  const Eigen::VectorXd& response = first().response;
  all.response = (members_.front().shift +
                  members_.front().scale * select_rows(response, mixtures.rows()).array());
  return btg::represent(all, plan);
}

JointDraws Ensemble::draw(const Points& points, const DrawPlan& plan) const {
  JointDraws draws(plan.normals.rows(), plan.normals.cols());
  std::vector<double> costs;
  for (const Member& member : members_) costs.push_back(static_cast<double>(member.etas.cols()));
  execution().plan(costs);
  int first_node = 0;
  for (const Member& member : members_) {
    const int count = static_cast<int>(member.etas.cols());
    joint_draws(*member.model, member.nodes(), member.etas, first_node, points, plan,
                cached(member), draws);
    first_node += count;
  }
  return draws;
}

FieldDraws Ensemble::draw_field(const Points& points, const FieldPlan& plan) const {
  const FieldPoints sequence(plan, weights_, degrees_of_freedom());
  FieldDraws draws{Eigen::MatrixXd(points.size(), sequence.chi_square.size()), sequence.node, 0};
  std::vector<double> costs;
  for (const Member& member : members_) costs.push_back(static_cast<double>(member.etas.cols()));
  execution().plan(costs);
  int first_node = 0;
  for (const Member& member : members_) {
    field_draws(*member.model, member.nodes(), member.etas, first_node, points, plan, sequence,
                cached(member), draws);
    first_node += static_cast<int>(member.etas.cols());
  }
  return draws;
}

Eigen::VectorXd Ensemble::reduce_variance(const Points& points, int region) const {
  std::vector<double> costs;
  for (const Member& member : members_) costs.push_back(static_cast<double>(member.etas.cols()));
  execution().plan(costs);
  Eigen::VectorXd shares = Eigen::VectorXd::Zero(points.size() - region);
  Eigen::Index first_node = 0;
  for (const Member& member : members_) {
    const Eigen::Index count = member.etas.cols();
    shares +=
        variance_reduction(*member.model, member.nodes(), member.etas,
                           weights_.segment(first_node, count), points, region, cached(member));
    first_node += count;
  }
  return shares;
}

void Ensemble::prepare() {
  std::vector<double> costs;
  for (const Member& member : members_) {
    costs.push_back(cost_of_nodes(member, factor_cost(member, false)));
  }
  execution().plan(costs);
  std::vector<PreparedGroups> made;
  for (const Member& member : members_) {
    made.push_back(prepare_groups(*member.model, member.etas));
  }
  cached_ = std::move(made);
}

double Ensemble::bytes() const {
  double sum = 8.0 * static_cast<double>(weights_.size());
  for (const Member& member : members_) {
    const Model& model = *member.model;
    const double columns =
        static_cast<double>(model.inputs.cols() + model.trend.basis().cols() + 4);
    sum += 8.0 * columns * static_cast<double>(model.response.size()) +
           8.0 * static_cast<double>(member.etas.size()) + model.factor_method->shared_bytes();
  }
  return sum;
}

double Ensemble::prepared_bytes() const {
  double sum = 0.0;
  for (const Member& member : members_) sum += btg::prepared_bytes(*member.model, member.etas);
  return sum;
}

void Ensemble::run_by(const Execution& execution) {
  for (Member& member : members_) member.model->execution = execution;
  for (const PreparedGroups& groups : cached_) {
    for (const auto& one : groups) one->node.factor->run_by(execution);
  }
}

const PreparedGroups& Ensemble::cached(const Member& member) const {
  static const PreparedGroups none;
  return cached_.empty() ? none : cached_[&member - members_.data()];
}

std::vector<ModelNodes> Ensemble::model_nodes() const {
  std::vector<ModelNodes> all;
  for (const Member& member : members_) all.push_back(member.nodes());
  return all;
}

const MixtureNodes& Ensemble::mixture_nodes() const {
  if (!mixture_nodes_) {
    mixture_nodes_ = std::make_shared<const MixtureNodes>(StudentT(degrees_of_freedom()),
                                                          model_nodes(), first().compute);
  }
  return *mixture_nodes_;
}

}  // namespace btg
