// An ensemble against its parts: predictions of one member by hand, two members in different
// units, weights that do not fit, and rows left out both ways.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/base/parallel.hpp"
#include "btg/ensemble/ensemble.hpp"
#include "btg/model/folds.hpp"
#include "btg/numerics/student_t.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/predictive/questions.hpp"
#include "check.hpp"
#include "random_model.hpp"

using btg::Ensemble;
using btg::Member;
using btg::Question;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Random;
using problems::RandomModel;

namespace {

// A member of `nodes` nodes, with a trend of one column.
Member random_member(Random& random, int nodes, const std::vector<std::string>& transform,
                     double shift = 0, double scale = 1) {
  const RandomModel made =
      problems::random_model(random, problems::kernels()[1], btg::Form::radial, transform, 1);
  MatrixXd etas(made.model.size(), nodes);
  for (int i = 0; i < nodes; ++i) etas.col(i) = made.random_eta(random);
  return {std::make_shared<btg::Model>(made.model), etas, shift, scale};
}

// The same data in other units: y = shift + scale * response.
Member in_units(const Member& member, double shift, double scale) {
  Member result = member;
  result.shift = shift;
  result.scale = scale;
  return result;
}

// With a model of its own: members that share one are run alike.
Member copy_of(const Member& member) {
  Member result = member;
  result.model = std::make_shared<btg::Model>(*member.model);
  return result;
}

// The data of another member.
void share_data(const Member& from, Member& to) {
  to.model->inputs = from.model->inputs;
  to.model->trend = from.model->trend;
  to.model->response = from.model->response;
}

btg::Answers predict(const Ensemble& ensemble, const btg::Points& points,
                     const std::vector<Question>& questions) {
  return ensemble.answer({points, {}, std::nullopt, questions, {}});
}

VectorXd random_weights(Random& random, int count) {
  const VectorXd weights = random.matrix(count, 1, 0.5, 1);
  return weights / weights.sum();
}

btg::Points random_points(Random& random) {
  const MatrixXd inputs = random.matrix(4, 3, -2, 2);
  return problems::points_at(inputs, MatrixXd::Ones(4, 1), true);
}

std::vector<Question> questions() {
  Eigen::RowVector3d at(0.2, 0.5, 0.9);
  std::vector<Question> all;
  for (const std::string name : {"quantile", "cdf", "density", "moments"}) {
    all.push_back({&btg::find_question(name), at});
  }
  return all;
}

void check_same(const btg::Answers& a, const btg::Answers& b, double tolerance) {
  CHECK(a.of.size() == b.of.size());
  for (std::size_t k = 0; k < a.of.size(); ++k) {
    CHECK(a.of[k].values.size() == b.of[k].values.size());
    for (Eigen::Index i = 0; i < a.of[k].values.size(); ++i) {
      const double x = a.of[k].values(i), y = b.of[k].values(i);
      if (std::isnan(x) && std::isnan(y)) continue;
      CHECK_CLOSE(x, y, tolerance);
    }
  }
}

}  // namespace

TEST("one member predicts as its nodes' mixtures") {
  Random random(1);
  const Member member = random_member(random, 5, {"sinharcsinh"}, 3.0, 0.5);
  const VectorXd weights = random_weights(random, 5);
  const btg::Points points = random_points(random);
  const Ensemble ensemble({member}, weights);

  const btg::LatentValues latent = problems::latent_values(*member.model, member.etas, points);
  const btg::LatentValues same = ensemble.latent(points).at;
  CHECK(same.location == latent.location && same.scale == latent.scale);

  const btg::ModelNodes own(member.model->transform, member.etas.bottomRows(2), 3.0, 0.5);
  const btg::MixtureNodes nodes(btg::StudentT(member.model->degrees_of_freedom()), {own},
                                member.model->compute);
  const btg::Answers by_hand = btg::ask(
      4,
      [&](long i) {
        return btg::Mixture(nodes, latent.location.col(i), latent.scale.col(i), weights);
      },
      questions(), {}, btg::Execution(1));
  check_same(predict(ensemble, points, questions()), by_hand, 1e-14);
}

TEST("two members in different units are one mixture of the shared response") {
  Random random(2);
  const Member first = random_member(random, 3, {"softplus"}, -1.0, 2.0);
  Member second = random_member(random, 2, {}, 4.0, 0.25);
  // Of as many rows: the mixtures have one number of degrees of freedom.
  share_data(first, second);
  const VectorXd weights = random_weights(random, 5);
  const btg::Points points = random_points(random);
  const Ensemble ensemble({first, second}, weights);

  const double w = weights.head(3).sum();
  const Ensemble one({first}, weights.head(3) / w), two({second}, weights.tail(2) / (1 - w));
  const MatrixXd location = ensemble.latent(points).at.location;
  CHECK(location.topRows(3) == one.latent(points).at.location);
  CHECK(location.bottomRows(2) == two.latent(points).at.location);

  Eigen::RowVector4d at(-2, 0.5, 3, 6);
  const std::vector<Question> ask{{&btg::find_question("cdf"), at},
                                  {&btg::find_question("density"), at}};
  const btg::Answers both = predict(ensemble, points, ask);
  const btg::Answers of_one = predict(one, points, ask), of_two = predict(two, points, ask);
  for (std::size_t k = 0; k < ask.size(); ++k) {
    const MatrixXd mixed = w * of_one.of[k].values + (1 - w) * of_two.of[k].values;
    CHECK((both.of[k].values - mixed).cwiseAbs().maxCoeff() < 1e-12);
  }
  // Quantiles invert that.
  const btg::Answers quantiles =
      predict(ensemble, points, {{&btg::find_question("quantile"), MatrixXd::Constant(1, 1, 0.3)}});
  const btg::Answers back =
      predict(ensemble, points, {{&btg::find_question("cdf"), quantiles.of[0].values}});
  for (int i = 0; i < 4; ++i) CHECK_CLOSE(back.of[0].values(i, 0), 0.3, 1e-9);
}

TEST("a member in other units predicts in those") {
  Random random(3);
  const Member member = random_member(random, 3, {"arcsinh"});
  const VectorXd weights = random_weights(random, 3);
  const btg::Points points = random_points(random);
  const std::vector<Question> ask{
      {&btg::find_question("quantile"), Eigen::RowVector3d(0.1, 0.5, 0.8)}};
  const MatrixXd plain = predict(Ensemble({member}, weights), points, ask).of[0].values;
  const MatrixXd scaled =
      predict(Ensemble({in_units(member, 5.0, 3.0)}, weights), points, ask).of[0].values;
  CHECK((scaled.array() - (5.0 + 3.0 * plain.array())).abs().maxCoeff() < 1e-8);
}

TEST("a prepared ensemble answers with the same bits, on any number of threads") {
  Random random(6);
  const Member first = random_member(random, 6, {"sinharcsinh"}, 3.0, 0.5);
  // Some nodes share lengthscales and noise.
  Member second = first;
  const int shared = second.model->hyperparameters.covariance_size();
  for (int i : {1, 2, 5}) second.etas.col(i).head(shared) = second.etas.col(i - 1).head(shared);
  const VectorXd weights = random_weights(random, 12);
  const MatrixXd many = random.matrix(20, 3, -2, 2);
  const Ensemble plain({first, second}, weights);
  Ensemble prepared({copy_of(first), copy_of(second)}, weights);
  prepared.prepare();
  const auto at = [&](int count) {
    return problems::points_at(many.topRows(count), MatrixXd::Ones(count, 1), true);
  };
  for (const int count : {1, 4, 20}) {
    const btg::Points points = at(count);
    for (const int threads : {1, 3}) {
      prepared.run_by(btg::Execution(threads));
      check_same(predict(prepared, points, questions()), predict(plain, points, questions()), 0);
      CHECK(prepared.latent(points).at.scale == plain.latent(points).at.scale);
    }
  }
  const int n = static_cast<int>(first.model->response.size());
  const btg::LeaveOutPlan plan{btg::leave_one_out(n), true, false, true};
  check_same(prepared.answer({{}, {}, plan, questions(), {}}),
             plain.answer({{}, {}, plan, questions(), {}}), 1e-12);
  // Few points and many go different ways.
  const MatrixXd few = prepared.latent(at(4)).at.scale, all = prepared.latent(at(20)).at.scale;
  CHECK((few - all.leftCols(4)).cwiseAbs().maxCoeff() < 1e-10 * all.maxCoeff());
}

TEST("a prepared ensemble holds a factor for each distinct kernel node") {
  Random random(7);
  Member member = random_member(random, 6, {"sinharcsinh"});
  const double n = static_cast<double>(member.model->response.size());
  const double apart = Ensemble({member}, VectorXd::Constant(6, 1.0 / 6)).prepared_bytes();
  const int shared = member.model->hyperparameters.covariance_size();
  for (int i = 1; i < 6; ++i) member.etas.col(i).head(shared) = member.etas.col(0).head(shared);
  const double together = Ensemble({member}, VectorXd::Constant(6, 1.0 / 6)).prepared_bytes();
  CHECK(apart > 6 * 4 * n * n);
  CHECK(apart - together > 5 * 4 * n * n);
}

TEST("every node needs a weight, and there must be a member") {
  Random random(4);
  const Member member = random_member(random, 3, {});
  CHECK_THROWS(Ensemble({}, VectorXd()), btg::Error);
  CHECK_THROWS(Ensemble({member}, VectorXd::Constant(2, 0.5)), btg::Error);
  CHECK_THROWS(Ensemble({member, member}, VectorXd::Constant(3, 1.0 / 3)), btg::Error);
}

TEST("rows are left out fast as by refitting") {
  Random random(5);
  const Member member = random_member(random, 4, {"boxcox"}, 1.0, 2.0);
  const int n = static_cast<int>(member.model->response.size());
  Member other = random_member(random, 3, {"sinharcsinh"}, 0.5, 0.7);
  share_data(member, other);
  std::vector<int> three(n);
  for (int i = 0; i < n; ++i) three[i] = i % 3;
  for (const std::vector<Member>& members : {std::vector<Member>{member}, {member, other}}) {
    const int nodes = members.size() == 1 ? 4 : 7;
    const Ensemble ensemble(members, random_weights(random, nodes));
    for (const btg::Folds& folds : {btg::leave_one_out(n), btg::make_folds(three, 3)}) {
      for (bool joint : {true, false}) {
        for (bool observation : {true, false}) {
          const auto left_out = [&](bool naive) {
            const btg::LeaveOutPlan plan{folds, observation, naive, joint};
            return ensemble.answer({{}, {}, plan, questions(), {}});
          };
          const btg::Response fast = left_out(false), naive = left_out(true);
          check_same(fast, naive, 1e-7);
          CHECK(fast.of[0].values.rows() == n && fast.of[0].values.allFinite());
          CHECK(fast.folds.weights.rows() == nodes && fast.folds.weights.cols() == folds.count());
          CHECK((fast.folds.weights - naive.folds.weights).cwiseAbs().maxCoeff() < 1e-8);
        }
      }
    }
  }
}
