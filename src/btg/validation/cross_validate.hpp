// Left-out predictions of a fit: its models' predictions, with weights that exclude each fold.
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

// The nodes of one model without each fold. `weights` sum to the model's share of the average. Its
// response is in units of `scale` times those of the fit.
struct LeftOutModel {
  LeftOut left_out;
  Eigen::VectorXd weights;
  double scale;
};

// The nodes of all models, in order, with their weights without each fold.
struct CrossValidation {
  Eigen::MatrixXd location, scale;  // nodes x rows
  FoldWeights folds;
  Eigen::VectorXd degrees_of_freedom;  // folds
};

// With `joint`, models are reweighted along with their nodes, as by Bayes' theorem. Otherwise only
// nodes within a model are reweighted, and its share is fixed.
CrossValidation cross_validate(const std::vector<LeftOutModel>& models, const Folds& folds,
                               bool joint, const Execution& execution);

// The predictive mixture of each row without its fold. The arguments must outlive it.
class LeftOutMixtures {
 public:
  LeftOutMixtures(const CrossValidation& left_out, const Folds& folds,
                  const std::vector<ModelNodes>& nodes, const Compute* compute = nullptr);

  // Answers for all rows; NaN for rows that cannot be predicted.
  Answers ask(const std::vector<Question>& questions, const AnswerOptions& options,
              const Execution& execution) const;

  // The rows that can be predicted, and the mixture at the k-th of them. A node that fails without
  // the fold gets weight 0 and a placeholder location.
  const std::vector<int>& rows() const { return rows_; }
  Mixture mixture(long k) const;

 private:
  // Expands values of predicted rows to all n rows.
  Eigen::MatrixXd at_rows(const Eigen::MatrixXd& values, Eigen::Index n) const;

  const CrossValidation& left_out_;
  std::map<double, MixtureNodes> nodes_;  // by degrees of freedom
  std::vector<int> rows_, fold_of_row_;   // rows that can be predicted
};

}  // namespace btg
