// What a user may ask of the predictive mixtures, answered for all points.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <optional>
#include <vector>

#include "error.hpp"
#include "mixture.hpp"
#include "parallel.hpp"
#include "predict.hpp"
#include "quantile.hpp"
#include "rearrangement.hpp"

namespace btg {

enum class Question { quantile, cdf, density };

struct Answers {
  Eigen::MatrixXd values;          // points x what was asked
  Eigen::MatrixXd standard_error;  // of quantiles, from the quadrature; else empty
  Eigen::VectorXd lost_mass;
  int rearranged = 0;  // points whose signed mixture was not a cdf
};

inline double answer(const Mixture& mixture, const Rearrangement* rearranged, Question question,
                     double at, double tolerance) {
  if (question == Question::quantile) {
    return rearranged ? rearranged->quantile(at) : quantile(mixture, at, tolerance);
  }
  const CdfDensity f = rearranged ? rearranged->evaluate(at) : mixture.evaluate(at);
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
  const bool is_quantile = question == Question::quantile;
  Answers answers{Eigen::MatrixXd(points, at.cols()),
                  Eigen::MatrixXd(is_quantile ? points : 0, at.cols()), Eigen::VectorXd(points)};
  std::vector<char> needed(points, 0);
  parallel_for(points, execution, [&](long i) {
    const Mixture mixture(nodes, latent.location.col(i), latent.scale.col(i));
    answers.lost_mass[i] = mixture.lost_mass();
    std::optional<Rearrangement> rearranged;
    if (mixture.negative_mass() > 0.0) {
      rearranged.emplace(mixture);
      needed[i] = rearranged->needed();
    }
    for (Eigen::Index j = 0; j < at.cols(); ++j) {
      const double value = at(at.rows() == 1 ? 0 : i, j);
      const double y =
          answer(mixture, needed[i] ? &*rearranged : nullptr, question, value, tolerance);
      answers.values(i, j) = y;
      if (is_quantile) {
        answers.standard_error(i, j) = mixture.cdf_error(y, value) / mixture.evaluate(y).density;
      }
    }
  });
  answers.rearranged = static_cast<int>(std::count(needed.begin(), needed.end(), 1));
  return answers;
}

}  // namespace btg
