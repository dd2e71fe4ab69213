// Questions put to the predictive distributions of many points, with the derivatives of the answers
// along directions of the points.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/base/parallel.hpp"
#include "btg/predictive/answers.hpp"
#include "btg/predictive/latent_slopes.hpp"
#include "btg/predictive/law_slopes.hpp"

namespace btg {

struct SlopeAnswers : Answers {
  std::vector<std::vector<Eigen::MatrixXd>> slopes;  // of each inquiry, along each direction
};

// The nodes of the mixtures have the locations and scales of `latent`.
inline SlopeAnswers ask_slopes(const MixtureNodes& nodes, const Eigen::VectorXd& weights,
                               const LatentSlopes& latent, const std::vector<Inquiry>& inquiries,
                               const AnswerOptions& options, const Execution& execution) {
  std::vector<SlopesOfAnswer> slopes_of_answer;
  for (const Inquiry& inquiry : inquiries) {
    slopes_of_answer.push_back(find_slopes(inquiry.question->name));
  }
  const long points = static_cast<long>(latent.at.location.cols());
  SlopeAnswers all{empty_answers(points, inquiries, options), {}};
  for (const Answer& answer : all.of) {
    all.slopes.emplace_back(latent.along.size(), Eigen::MatrixXd(points, answer.values.cols()));
  }
  std::vector<char> rearranged(points, 0);
  parallel_for(points, execution, [&](long i) {
    const Mixture mixture(nodes, latent.at.location.col(i), latent.at.scale.col(i), weights);
    all.lost_mass[i] = mixture.lost_mass();
    PredictiveLaw law(mixture, options);
    rearranged[i] = law.rearranged();
    for (std::size_t k = 0; k < inquiries.size(); ++k) {
      const Eigen::RowVectorXd at = inquiries[k].at_point(i);
      Eigen::RowVectorXd row(all.of[k].values.cols());
      std::vector<NodeSlopes> slopes(row.size(), NodeSlopes(mixture.size()));
      inquiries[k].question->answer(law, at, row);
      slopes_of_answer[k](law, at, row, slopes);
      all.of[k].values.row(i) = row;
      for (std::size_t j = 0; j < latent.along.size(); ++j) {
        for (Eigen::Index c = 0; c < row.size(); ++c) {
          all.slopes[k][j](i, c) = slopes[c].location.dot(latent.along[j].location.col(i)) +
                                   slopes[c].scale.dot(latent.along[j].scale.col(i));
        }
      }
    }
  });
  all.rearranged = static_cast<int>(std::count(rearranged.begin(), rearranged.end(), 1));
  return all;
}

}  // namespace btg
