#include "btg/validation/cross_validate.hpp"

#include <cmath>
#include <cstddef>

#include "btg/base/select_rows.hpp"
#include "btg/numerics/student_t.hpp"

namespace btg {

namespace {

// Stacks the left-out results of all models. In the units of the fit, p(y without a fold) / p(y)
// changes by scale^(number of exact rows of the fold).
LeftOut stack_left_out(const std::vector<LeftOutModel>& models, const Folds& folds) {
  LeftOut all = models.front().left_out;
  Eigen::Index nodes = 0, first = 0;
  for (const LeftOutModel& model : models) nodes += model.weights.size();
  all.location.resize(nodes, all.location.cols());
  all.scale.resize(nodes, all.scale.cols());
  all.log_marginal.resize(nodes, all.log_marginal.cols());
  all.full_log_marginal.resize(nodes);
  for (const LeftOutModel& model : models) {
    const LeftOut& part = model.left_out;
    const Eigen::Index count = model.weights.size();
    all.location.middleRows(first, count) = part.location;
    all.scale.middleRows(first, count) = part.scale;
    all.log_marginal.middleRows(first, count) = part.log_marginal;
    all.full_log_marginal.segment(first, count) = part.full_log_marginal;
    for (int fold = 0; fold < folds.count(); ++fold) {
      all.log_marginal.col(fold).segment(first, count).array() +=
          part.exact_rows[fold] * std::log(model.scale);
      // A fold is predicted if any model predicts it.
      if (part.status[fold] == FoldStatus::predicted) all.status[fold] = FoldStatus::predicted;
    }
    first += count;
  }
  return all;
}

}  // namespace

CrossValidation cross_validate(const std::vector<LeftOutModel>& models, const Folds& folds,
                               bool joint, const Execution& execution) {
  const LeftOut all = stack_left_out(models, folds);
  Eigen::VectorXd weights(all.full_log_marginal.size());
  Eigen::Index first = 0;
  for (const LeftOutModel& model : models) {
    weights.segment(first, model.weights.size()) = model.weights;
    first += model.weights.size();
  }
  CrossValidation result{all.location, all.scale, fold_weights(all, weights, execution),
                         all.degrees_of_freedom};
  if (joint || models.size() == 1) return result;

  FoldWeights& combined = result.folds;
  combined.pareto_shape.setConstant(NAN);
  first = 0;
  for (const LeftOutModel& model : models) {
    const double share = model.weights.sum();
    const Eigen::Index count = model.weights.size();
    const FoldWeights own = fold_weights(model.left_out, model.weights / share, execution);
    combined.weights.middleRows(first, count) = share * own.weights;
    for (int fold = 0; fold < folds.count(); ++fold) {
      if (own.status[fold] != FoldStatus::predicted) combined.status[fold] = own.status[fold];
      if (share > 0.01) {
        combined.pareto_shape[fold] =
            std::fmax(combined.pareto_shape[fold], own.pareto_shape[fold]);
      }
    }
    first += count;
  }
  for (int fold = 0; fold < folds.count(); ++fold) {
    combined.effective_nodes[fold] = 1.0 / combined.weights.col(fold).squaredNorm();
    combined.distance[fold] = 0.5 * (combined.weights.col(fold) - weights).cwiseAbs().sum();
  }
  return result;
}

LeftOutMixtures::LeftOutMixtures(const CrossValidation& left_out, const Folds& folds,
                                 const std::vector<ModelNodes>& nodes, const Compute* compute)
    : left_out_(left_out) {
  for (int fold = 0; fold < folds.count(); ++fold) {
    if (left_out.folds.status[fold] != FoldStatus::predicted) continue;
    const double df = left_out.degrees_of_freedom[fold];
    if (nodes_.count(df) == 0) nodes_.try_emplace(df, StudentT(df), nodes, compute);
    for (const int row : folds.rows(fold)) {
      rows_.push_back(row);
      fold_of_row_.push_back(fold);
    }
  }
}

Answers LeftOutMixtures::ask(const std::vector<Question>& questions, const AnswerOptions& options,
                             const Execution& execution) const {
  const Eigen::Index n = left_out_.location.cols();
  std::vector<Question> of_rows = questions;
  for (Question& question : of_rows) {
    if (question.at.rows() != 1) question.at = select_rows(question.at, rows_);
  }
  Answers answers = btg::ask(
      static_cast<long>(rows_.size()), [&](long k) { return mixture(k); }, of_rows, options,
      execution);
  for (Answer& answer : answers.of) {
    answer.values = at_rows(answer.values, n);
    if (answer.standard_error.rows() > 0) {
      answer.standard_error = at_rows(answer.standard_error, n);
    }
  }
  answers.lost_mass = at_rows(answers.lost_mass, n);
  return answers;
}

Eigen::MatrixXd LeftOutMixtures::at_rows(const Eigen::MatrixXd& values, Eigen::Index n) const {
  Eigen::MatrixXd all = Eigen::MatrixXd::Constant(n, values.cols(), NAN);
  for (std::size_t k = 0; k < rows_.size(); ++k) all.row(rows_[k]) = values.row(k);
  return all;
}

Mixture LeftOutMixtures::mixture(long k) const {
  const int row = rows_[k], fold = fold_of_row_[k];
  Eigen::VectorXd location = left_out_.location.col(row), scale = left_out_.scale.col(row);
  Eigen::VectorXd weights = left_out_.folds.weights.col(fold);
  for (Eigen::Index i = 0; i < location.size(); ++i) {
    if (!std::isnan(location[i])) continue;
    location[i] = weights[i] = 0.0;
    scale[i] = 1.0;
  }
  return Mixture(nodes_.at(left_out_.degrees_of_freedom[fold]), location, scale, weights);
}

}  // namespace btg
