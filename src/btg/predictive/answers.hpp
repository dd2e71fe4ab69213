// Questions put to the predictive distributions of many points.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "btg/base/parallel.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/predictive/law.hpp"
#include "btg/predictive/mixture.hpp"
#include "btg/predictive/questions.hpp"

namespace btg {

struct Answer {
  Eigen::MatrixXd values;               // points x columns
  Eigen::MatrixXd standard_error;       // from the quadrature, if wanted; else without rows
  std::vector<Eigen::MatrixXd> slopes;  // of the values along each direction
};

struct Answers {
  std::vector<Answer> of;  // each question
  Eigen::VectorXd lost_mass;
  int rearranged = 0;    // points whose signed mixture was not a cdf
  long evaluations = 0;  // of mixtures
};

// mixture_of(i) is the mixture of point i, made once for all questions. With `along`, the slopes of
// the locations and scales of its nodes in some directions, answers have slopes too.
Answers ask(long points, const std::function<Mixture(long)>& mixture_of,
            const std::vector<Question>& questions, const AnswerOptions& options,
            const Execution& execution, const std::vector<LatentValues>& along = {});

}  // namespace btg
