// Questions put to the predictive distributions of many points.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/base/parallel.hpp"
#include "btg/predictive/law.hpp"
#include "btg/predictive/mixture.hpp"
#include "btg/predictive/questions.hpp"

namespace btg {

// A question and the values it is asked at: a row for each point, or one row for all.
struct Inquiry {
  const Question* question;
  Eigen::MatrixXd at;

  Eigen::RowVectorXd at_point(Eigen::Index i) const { return at.row(at.rows() == 1 ? 0 : i); }
};

struct Answer {
  Eigen::MatrixXd values;          // points x columns
  Eigen::MatrixXd standard_error;  // from the quadrature, if wanted; else without rows
};

struct Answers {
  std::vector<Answer> of;  // each inquiry
  Eigen::VectorXd lost_mass;
  int rearranged = 0;    // points whose signed mixture was not a cdf
  long evaluations = 0;  // of mixtures
};

// The standard errors of quantiles `values` at the probabilities `at`. At the floor and at the
// ceiling, where there are atoms, and with one node there is no such error.
inline Eigen::RowVectorXd quantile_errors(const Mixture& mixture, const Eigen::RowVectorXd& at,
                                          const Eigen::RowVectorXd& values,
                                          const AnswerOptions& options) {
  Eigen::RowVectorXd errors = Eigen::RowVectorXd::Zero(at.size());
  for (Eigen::Index j = 0; j < at.size(); ++j) {
    if (values[j] == options.floor || values[j] == options.ceiling || mixture.size() == 1) continue;
    const double p = values[j] < options.floor ? at[j] / options.open : at[j];
    errors[j] = mixture.cdf_error(values[j], p, options.weight_variances) /
                mixture.evaluate(values[j]).density;
  }
  return errors;
}

inline bool with_error(const Inquiry& inquiry, const AnswerOptions& options) {
  return inquiry.question->has_standard_error && options.weight_variances.size() > 0;
}

inline Answers empty_answers(long points, const std::vector<Inquiry>& inquiries,
                             const AnswerOptions& options) {
  Answers answers;
  answers.lost_mass.resize(points);
  for (const Inquiry& inquiry : inquiries) {
    if (inquiry.at.rows() != 1 && inquiry.at.rows() != points) {
      throw Error("argument", "`at` needs one row, or one for each point.");
    }
    const Eigen::Index columns = inquiry.question->columns(inquiry.at.cols());
    answers.of.push_back(
        {Eigen::MatrixXd(points, columns),
         Eigen::MatrixXd(with_error(inquiry, options) ? points : 0, inquiry.at.cols())});
  }
  return answers;
}

// mixture_of(i) is the mixture of point i, made once for all inquiries.
template <class MixtureOf>
Answers ask_mixtures(long points, MixtureOf mixture_of, const std::vector<Inquiry>& inquiries,
                     const AnswerOptions& options, const Execution& execution) {
  Answers answers = empty_answers(points, inquiries, options);
  std::vector<char> rearranged(points, 0);
  std::vector<long> evaluations(points, 0);
  parallel_for(points, execution, [&](long i) {
    try {
      const Mixture mixture = mixture_of(i);
      answers.lost_mass[i] = mixture.lost_mass();
      PredictiveLaw law(mixture, options);
      rearranged[i] = law.rearranged();
      for (std::size_t k = 0; k < inquiries.size(); ++k) {
        const Eigen::RowVectorXd at = inquiries[k].at_point(i);
        Eigen::RowVectorXd row(answers.of[k].values.cols());
        inquiries[k].question->answer(law, at, row);
        answers.of[k].values.row(i) = row;
        if (with_error(inquiries[k], options)) {
          answers.of[k].standard_error.row(i) = quantile_errors(mixture, at, row, options);
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
