// What a user may ask of the predictive mixtures, answered for all points.
#pragma once

#include <Eigen/Core>
#include <string>

#include "error.hpp"
#include "mixture.hpp"
#include "parallel.hpp"
#include "predict.hpp"
#include "quantile.hpp"

namespace btg {

enum class Question { quantile, cdf, density };

struct Answers {
  Eigen::MatrixXd values;  // points x what was asked
  Eigen::VectorXd lost_mass;
};

inline double answer(const Mixture& mixture, Question question, double at, double tolerance) {
  if (question == Question::quantile) return quantile(mixture, at, tolerance);
  const CdfDensity f = mixture.evaluate(at);
  return question == Question::cdf ? f.cdf : f.density;
}

// `at` has a row for each point, or one row for all: probabilities for quantiles,
// responses for the others.
inline Answers ask_mixtures(const MixtureNodes& nodes, const LatentPredictions& latent,
                            Question question, const Eigen::MatrixXd& at, double tolerance,
                            const Execution& execution) {
  const Eigen::Index points = latent.location.cols();
  if (at.rows() != 1 && at.rows() != points) {
    throw Error("argument", "`at` needs one row, or one for each point.");
  }
  Answers answers{Eigen::MatrixXd(points, at.cols()), Eigen::VectorXd(points)};
  parallel_for(points, execution, [&](long i) {
    const Mixture mixture(nodes, latent.location.col(i), latent.scale.col(i));
    answers.lost_mass[i] = mixture.lost_mass();
    for (Eigen::Index j = 0; j < at.cols(); ++j) {
      answers.values(i, j) = answer(mixture, question, at(at.rows() == 1 ? 0 : i, j), tolerance);
    }
  });
  return answers;
}

}  // namespace btg
