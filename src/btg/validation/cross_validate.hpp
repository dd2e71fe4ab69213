// Left-out predictions of a fit: those of its models, with weights that forget each fold.
#pragma once

#include <Eigen/Core>
#include <map>
#include <vector>

#include "btg/base/parallel.hpp"
#include "btg/compute/compute.hpp"
#include "btg/model/folds.hpp"
#include "btg/predictive/answers.hpp"
#include "btg/predictive/law.hpp"
#include "btg/predictive/mixture.hpp"
#include "btg/validation/fold_weights.hpp"
#include "btg/validation/left_out.hpp"

namespace btg {

// The nodes of one model without each fold. `weights` sum to the model's share of the average;
// its response is measured in units of `scale` of that of the fit.
struct LeftOutModel {
  LeftOut left_out;
  Eigen::VectorXd weights;
  double scale;
};

// All models' nodes, one model after the other, with their weights without each fold.
struct CrossValidation {
  Eigen::MatrixXd location, scale;  // nodes x rows
  FoldWeights folds;
  Eigen::VectorXd degrees_of_freedom;  // folds
};

// With `joint`, models are reweighted with their nodes, as by Bayes' theorem; otherwise only the
// nodes within each, whose share stays as it is.
CrossValidation cross_validate(const std::vector<LeftOutModel>& models, const Folds& folds,
                               bool joint, const Execution& execution);

// The predictive mixture of each row without its fold. What it is made of must outlive it.
class LeftOutMixtures {
 public:
  LeftOutMixtures(const CrossValidation& left_out, const Folds& folds,
                  const std::vector<ModelNodes>& nodes, const Compute* compute = nullptr);

  // What they answer at all rows; NaN for those that cannot be predicted.
  Answers ask(const std::vector<Question>& questions, const AnswerOptions& options,
              const Execution& execution) const;

 private:
  // Rows of the mixtures, each at its place among the n of the fit.
  Eigen::MatrixXd at_rows(const Eigen::MatrixXd& values, Eigen::Index n) const;

  // A node that fails without the fold has no weight there; its location is of no account.
  Mixture mixture(long k) const;

  const CrossValidation& left_out_;
  std::map<double, MixtureNodes> nodes_;  // by degrees of freedom
  std::vector<int> rows_, fold_of_row_;   // those that can be predicted
};

}  // namespace btg
