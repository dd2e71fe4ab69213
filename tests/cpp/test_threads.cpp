// The results of any number of threads are those of one, to the last bit. Also built with the
// thread sanitizer: g++ -fsanitize=thread.
#include <Eigen/Core>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/base/parallel.hpp"
#include "btg/model/folds.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/numerics/student_t.hpp"
#include "btg/predictive/answers.hpp"
#include "btg/predictive/joint_draws.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/predictive/questions.hpp"
#include "btg/validation/cross_validate.hpp"
#include "btg/validation/left_out.hpp"
#include "btg/validation/left_out_naive.hpp"
#include "check.hpp"
#include "random_model.hpp"

using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Random;
using problems::RandomModel;

namespace {

struct Problem {
  RandomModel made;
  MatrixXd etas, normals;
  btg::Points points;
  btg::Folds folds;
};

Problem random_problem() {
  Random random(1);
  Problem problem{
      problems::random_model(random, problems::kernels()[1], btg::Form::radial, {"softplus"}, 1),
      {},
      {},
      problems::points_at(random.matrix(40, 3), random.polynomial_trend(40, 1), true),
      {}};
  problem.normals = random.matrix(40, 30);
  const int n = static_cast<int>(problem.made.model.response.size());
  problem.folds = btg::leave_one_out(n);
  problem.etas.resize(problem.made.model.size(), 30);
  for (int i = 0; i < 30; ++i) problem.etas.col(i) = problem.made.random_eta(random);
  // Some share a factor.
  problem.etas.col(4).head(3) = problem.etas.col(5).head(3) = problem.etas.col(3).head(3);
  return problem;
}

// Everything that threads work on, one result after the other.
std::vector<MatrixXd> results(const Problem& problem, int threads) {
  btg::Model model = problem.made.model;
  btg::Callbacks callbacks;
  callbacks.interval = 0.0;
  int calls = 0;  // written by one thread alone, or the sanitizer says so
  callbacks.check_interrupt = [&] { ++calls; };
  callbacks.progress = [&](double, double) { ++calls; };
  model.execution = btg::Execution(threads, callbacks);
  const MatrixXd& etas = problem.etas;
  const VectorXd weights = VectorXd::Constant(etas.cols(), 1.0 / etas.cols());
  const btg::ModelNodes own(model.transform, etas.bottomRows(model.transform.size()));
  const btg::MixtureNodes nodes(btg::StudentT(model.degrees_of_freedom()), {own});

  std::vector<MatrixXd> all;
  all.push_back(btg::evaluate(model, etas));
  const btg::LatentValues latent = problems::latent_values(model, etas, problem.points);
  all.push_back(latent.location);
  all.push_back(latent.scale);
  const auto mixture = [&](long i) {
    return btg::Mixture(nodes, latent.location.col(i), latent.scale.col(i), weights);
  };
  std::vector<btg::Question> questions;
  for (const std::string question : {"quantile", "crps", "moments"}) {
    questions.push_back({&btg::find_question(question), MatrixXd::Constant(1, 1, 0.3)});
  }
  const btg::Answers answers = btg::ask(40, mixture, questions, {}, model.execution);
  for (const btg::Answer& answer : answers.of) all.push_back(answer.values);
  const btg::Direction along{MatrixXd::Ones(40, 3), MatrixXd::Zero(40, 1), MatrixXd(40, 0)};
  const btg::LatentPredictions slopes =
      btg::predict_latent(model, etas, problem.points, {along, along}, {});
  all.push_back(slopes.along[1].location);
  const btg::Answers with_slopes =
      btg::ask(40, mixture, {questions[0]}, {}, model.execution, slopes.along);
  all.push_back(with_slopes.of[0].slopes[1]);
  for (const bool naive : {false, true}) {
    const btg::LeftOut left_out = naive ? btg::leave_out_naive(model, etas, problem.folds, true)
                                        : btg::leave_out(model, etas, problem.folds, true);
    const btg::CrossValidation cv =
        btg::cross_validate({{left_out, weights, 1.0}}, problem.folds, true, model.execution);
    const btg::LeftOutMixtures mixtures(cv, problem.folds, {own});
    all.push_back(cv.folds.weights);
    const std::vector<btg::Question> median{
        {&btg::find_question("quantile"), MatrixXd::Constant(1, 1, 0.5)}};
    all.push_back(mixtures.ask(median, {}, model.execution).of[0].values);
  }
  std::vector<int> node_of_draw;
  for (int i = 0; i < 30; ++i) node_of_draw.push_back(i % 7);
  all.push_back(problems::joint_draws(model, etas, problem.points,
                                      {node_of_draw, problem.normals, VectorXd::Ones(30)}));
  CHECK(calls > 0);
  return all;
}

}  // namespace

TEST("any number of threads gives the same") {
  const Problem problem = random_problem();
  const std::vector<MatrixXd> one = results(problem, 1);
  for (const MatrixXd& result : one) CHECK(result.size() > 0 && result.allFinite());
  for (const int threads : {2, 3, 4, 2, 4}) {
    const std::vector<MatrixXd> several = results(problem, threads);
    for (std::size_t k = 0; k < one.size(); ++k) CHECK(several[k] == one[k]);
  }
}

TEST("what one thread throws arrives, whatever the others do") {
  Problem problem = random_problem();
  problem.made.model.execution.threads = 4;
  problem.etas(problem.made.noise_index(), 17) = -2.0;  // cannot be factored
  CHECK_THROWS(problems::latent_values(problem.made.model, problem.etas, problem.points),
               btg::Error);
  CHECK(std::isinf(btg::evaluate(problem.made.model, problem.etas)[17]));
}
