// Left-out predictions of a fit: those of its models, with weights that forget each fold.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "btg/base/select_rows.hpp"
#include "btg/model/folds.hpp"
#include "btg/predictive/answers.hpp"
#include "btg/predictive/mixture.hpp"
#include "btg/validation/fold_weights.hpp"
#include "btg/validation/leave_out.hpp"

namespace btg {

// The nodes of one model without each fold. `weights` sum to the model's share of the average;
// its response is measured in `unit`s of that of the fit.
struct LeftOutModel {
  LeftOut left_out;
  Eigen::VectorXd weights;
  double unit;
};

// All models' nodes, one model after the other, with their weights without each fold.
struct CrossValidation {
  Eigen::MatrixXd location, scale;  // nodes x rows
  FoldWeights folds;
  Eigen::VectorXd degrees_of_freedom;  // folds
};

// The models' left-out results as those of one. A density of the response in other units has
// another likelihood: p(y without a fold) / p(y) changes by unit^(size of the fold).
inline LeftOut stack_left_out(const std::vector<LeftOutModel>& models, const Folds& folds) {
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
          folds.size(fold) * std::log(model.unit);
      // Predicted by any model, it is predicted.
      if (part.status[fold] == FoldStatus::predicted) all.status[fold] = FoldStatus::predicted;
    }
    first += count;
  }
  return all;
}

// With `joint`, models are reweighted with their nodes, as by Bayes' theorem; otherwise only the
// nodes within each, whose share stays as it is.
inline CrossValidation cross_validate(const std::vector<LeftOutModel>& models, const Folds& folds,
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

// The predictive mixture of each row without its fold. What it is made of must outlive it.
class LeftOutMixtures {
 public:
  LeftOutMixtures(const CrossValidation& left_out, const Folds& folds,
                  const std::vector<NodeBlock>& blocks, const Compute* compute = nullptr)
      : left_out_(left_out) {
    for (int fold = 0; fold < folds.count(); ++fold) {
      if (left_out.folds.status[fold] != FoldStatus::predicted) continue;
      const double df = left_out.degrees_of_freedom[fold];
      if (nodes_.count(df) == 0) nodes_.try_emplace(df, StudentT(df), blocks, compute);
      for (const int row : folds.rows(fold)) {
        rows_.push_back(row);
        fold_of_row_.push_back(fold);
      }
    }
  }

  // What they answer at all rows; NaN for those that cannot be predicted.
  Answers ask(const std::vector<Inquiry>& inquiries, const AnswerOptions& options,
              const Execution& execution) const {
    const Eigen::Index n = left_out_.location.cols();
    std::vector<Inquiry> of_rows = inquiries;
    for (Inquiry& inquiry : of_rows) {
      if (inquiry.at.rows() != 1) inquiry.at = select_rows(inquiry.at, rows_);
    }
    Answers answers = ask_mixtures(
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

 private:
  // Rows of the mixtures, each at its place among the n of the fit.
  Eigen::MatrixXd at_rows(const Eigen::MatrixXd& values, Eigen::Index n) const {
    Eigen::MatrixXd all = Eigen::MatrixXd::Constant(n, values.cols(), NAN);
    for (std::size_t k = 0; k < rows_.size(); ++k) all.row(rows_[k]) = values.row(k);
    return all;
  }

  // A node that fails without the fold has no weight there; its location is of no account.
  Mixture mixture(long k) const {
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

  const CrossValidation& left_out_;
  std::map<double, MixtureNodes> nodes_;  // by degrees of freedom
  std::vector<int> rows_, fold_of_row_;   // those that can be predicted
};

}  // namespace btg
