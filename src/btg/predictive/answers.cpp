#include "btg/predictive/answers.hpp"

#include <algorithm>
#include <cstddef>

#include "btg/base/error.hpp"

namespace btg {

namespace {

// Standard errors of the quantiles `values` at the probabilities `at`. They are 0 at atoms, that is
// at the floor and the ceiling, and if there is only one node.
Eigen::RowVectorXd quantile_errors(const Mixture& mixture, const Eigen::RowVectorXd& at,
                                   const Eigen::RowVectorXd& values, const AnswerOptions& options) {
  Eigen::RowVectorXd errors = Eigen::RowVectorXd::Zero(at.size());
  for (Eigen::Index j = 0; j < at.size(); ++j) {
    if (values[j] == options.floor || values[j] == options.ceiling || mixture.size() == 1) continue;
    const double p = values[j] < options.floor ? at[j] / options.open : at[j];
    errors[j] = mixture.cdf_error(values[j], p, options.weight_variances) /
                mixture.evaluate(values[j]).density;
  }
  return errors;
}

bool with_error(const Question& question, const AnswerOptions& options) {
  return question.type->has_standard_error && options.weight_variances.size() > 0;
}

Answers empty_answers(long points, const std::vector<Question>& questions,
                      const AnswerOptions& options, std::size_t directions) {
  Answers answers;
  answers.lost_mass.resize(points);
  for (const Question& question : questions) {
    if (question.at.rows() != 1 && question.at.rows() != points) {
      throw Error("argument", "`at` needs one row, or one for each point.");
    }
    if (directions > 0 && !question.type->slopes && !question.type->slope_posterior) {
      throw Error("slope", "There are no slopes of \"" + question.type->name + "\".");
    }
    const Eigen::MatrixXd values(points, question.columns());
    answers.of.push_back(
        {values, Eigen::MatrixXd(with_error(question, options) ? points : 0, question.at.cols()),
         std::vector<Eigen::MatrixXd>(directions, values)});
  }
  return answers;
}

// Adds the slopes of the answer to one question at point i.
void add_slopes(PredictiveLaw& law, const Question& question, const Eigen::RowVectorXd& at,
                const Eigen::RowVectorXd& row, long i, const std::vector<LatentValues>& along,
                Answer& answer) {
  std::vector<NodeSlopes> slopes(row.size(), NodeSlopes(law.mixture().size()));
  question.type->slopes(law, at, row, slopes);
  for (std::size_t j = 0; j < along.size(); ++j) {
    for (Eigen::Index c = 0; c < row.size(); ++c) {
      answer.slopes[j](i, c) = slopes[c].location.dot(along[j].location.col(i)) +
                               slopes[c].scale.dot(along[j].scale.col(i));
    }
  }
}

// Adds quantiles of the posterior of slopes at point i.
void add_slope_posterior(PredictiveLaw& law, const Question& question, const Eigen::RowVectorXd& at,
                         long i, const std::vector<LatentValues>& along,
                         const std::vector<DerivativeSpread>& spread, Answer& answer) {
  for (std::size_t j = 0; j < spread.size(); ++j) {
    Eigen::RowVectorXd row(answer.values.cols());
    question.type->slope_posterior(law, at,
                                   {along[j].location.col(i), along[j].scale.col(i),
                                    spread[j].covariance.col(i), spread[j].variance.col(i)},
                                   row);
    answer.slopes[j].row(i) = row;
  }
}

}  // namespace

Answers ask(long points, const std::function<Mixture(long)>& mixture_of,
            const std::vector<Question>& questions, const AnswerOptions& options,
            const Execution& execution, const std::vector<LatentValues>& along,
            const std::vector<DerivativeSpread>& spread) {
  Answers answers = empty_answers(points, questions, options, along.size());
  std::vector<char> rearranged(points, 0);
  std::vector<long> evaluations(points, 0);
  parallel_for(points, execution, [&](long i) {
    try {
      const Mixture mixture = mixture_of(i);
      answers.lost_mass[i] = mixture.lost_mass();
      PredictiveLaw law(mixture, options);
      rearranged[i] = law.rearranged();
      for (std::size_t k = 0; k < questions.size(); ++k) {
        const Eigen::RowVectorXd at = questions[k].at_point(i);
        Eigen::RowVectorXd row(answers.of[k].values.cols());
        questions[k].type->answer(law, at, row);
        answers.of[k].values.row(i) = row;
        if (with_error(questions[k], options)) {
          answers.of[k].standard_error.row(i) = quantile_errors(mixture, at, row, options);
        }
        if (!along.empty() && questions[k].type->slopes) {
          add_slopes(law, questions[k], at, row, i, along, answers.of[k]);
        } else if (!along.empty()) {
          add_slope_posterior(law, questions[k], at, i, along, spread, answers.of[k]);
        }
      }
      evaluations[i] = mixture.evaluations();
    } catch (const Error& error) {
      throw Error(error.kind, error.what(), i);
    }
  });
  answers.rearranged = static_cast<int>(std::count(rearranged.begin(), rearranged.end(), 1));
  for (const long count : evaluations) answers.evaluations += count;
  return answers;
}

}  // namespace btg
