// Evaluates questions about the predictive distributions of many points.
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
  Eigen::MatrixXd standard_error;       // from the quadrature, if requested; else without rows
  std::vector<Eigen::MatrixXd> slopes;  // of the values along each direction
};

struct Answers {
  std::vector<Answer> of;  // one per question
  Eigen::VectorXd lost_mass;
  int rearranged = 0;    // points whose signed mixture was not a cdf
  long evaluations = 0;  // of mixtures
};

// mixture_of(i) is the mixture at point i, made once for all questions. If `along` gives the slopes
// of its nodes' locations and scales in some directions, the answers have slopes too. Questions
// about the posterior of slopes need the `spread` in each direction.
Answers ask(long points, const std::function<Mixture(long)>& mixture_of,
            const std::vector<Question>& questions, const AnswerOptions& options,
            const Execution& execution, const std::vector<LatentValues>& along = {},
            const std::vector<DerivativeSpread>& spread = {});

}  // namespace btg
