// What is asked of many points is what each mixture answers.
#include <algorithm>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/base/parallel.hpp"
#include "btg/predictive/answers.hpp"
#include "btg/predictive/law.hpp"
#include "btg/predictive/quantile.hpp"
#include "btg/predictive/questions.hpp"
#include "check.hpp"
#include "random_mixture.hpp"

using btg::find_question;
using btg::Mixture;
using btg::Question;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Random;
using problems::random_mixture;
using problems::RandomMixture;

namespace {

// Five points with the nodes of `problem`.
struct Points {
  Points(Random& random, const RandomMixture& problem_)
      : problem(problem_),
        location(problem.location.replicate(1, 5) +
                 random.matrix(static_cast<int>(problem.location.size()), 5)) {}

  Mixture mixture(long i) const {
    return Mixture(problem.nodes, location.col(i), problem.scale, problem.weights);
  }
  btg::Answers ask_all(const std::vector<Question>& questions, int threads = 1,
                       const btg::AnswerOptions& options = {}) const {
    return btg::ask(
        5, [&](long i) { return mixture(i); }, questions, options, btg::Execution(threads));
  }
  MatrixXd ask(const std::string& question, const MatrixXd& at, int threads = 1,
               const btg::AnswerOptions& options = {}) const {
    return ask_all({{&find_question(question), at}}, threads, options).of[0].values;
  }

  RandomMixture problem;
  MatrixXd location;
};

Points random_points(Random& random, const std::vector<std::string>& names, double df = 10) {
  return Points(random, random_mixture(random, names, df, 30));
}

}  // namespace

TEST("answers for many points are those for one") {
  Random random(3);
  const Points points = random_points(random, {"boxcox"});
  for (const MatrixXd& at : {random.matrix(1, 3, 0.1, 0.9), random.matrix(5, 2, 0.1, 0.9)}) {
    const auto ask = [&](const std::string& what) { return points.ask(what, at, 2); };
    const MatrixXd quantiles = ask("quantile");
    const btg::Answers cdfs = points.ask_all({{&find_question("cdf"), at}}, 2);
    const MatrixXd exceedance = ask("exceedance");
    const MatrixXd density = ask("density");
    const MatrixXd log_density = ask("log_density");
    for (int i = 0; i < 5; ++i) {
      const Mixture mixture = points.mixture(i);
      CHECK(cdfs.lost_mass[i] == mixture.lost_mass());
      for (int j = 0; j < at.cols(); ++j) {
        const double x = at(at.rows() == 1 ? 0 : i, j);
        CHECK(quantiles(i, j) == btg::quantile(mixture, x, 1e-10));
        CHECK(cdfs.of[0].values(i, j) == mixture.evaluate(x).cdf);
        CHECK(exceedance(i, j) == mixture.evaluate(x).survival);
        CHECK(density(i, j) == mixture.evaluate(x).density);
        CHECK(log_density(i, j) == mixture.log_density(x));
      }
    }
  }
}

TEST("threads do not change answers") {
  Random random(4);
  const Points points = random_points(random, {"sinharcsinh"});
  const MatrixXd at = random.matrix(5, 4, 0.05, 0.95);
  for (const std::string question : {"quantile", "draw", "crps", "shortest", "moments", "mode"}) {
    const MatrixXd one = points.ask(question, at, 1);
    const MatrixXd two = points.ask(question, at, 2);
    for (Eigen::Index k = 0; k < one.size(); ++k) {
      CHECK(one(k) == two(k) || (std::isnan(one(k)) && std::isnan(two(k))));
    }
  }
}

TEST("at 0 and 1 quantiles are the ends of the support") {
  Random random(5);
  const MatrixXd ends = Eigen::RowVector2d(0, 1);
  const MatrixXd positive = random_points(random, {"softplus"}).ask("quantile", ends);
  CHECK(positive(0, 0) == 0.0 && positive(0, 1) == INFINITY);
  const MatrixXd real = random_points(random, {"identity"}).ask("quantile", ends);
  CHECK(real(0, 0) == -INFINITY && real(0, 1) == INFINITY);
}

TEST("a floor gathers what is below it") {
  Random random(6);
  const Points points = random_points(random, {"sinharcsinh"});
  const double floor = btg::quantile(points.mixture(0), 0.3, 1e-10);
  btg::AnswerOptions options;
  options.floor = floor;
  const auto ask = [&](const std::string& question, double at) {
    return points.ask(question, MatrixXd::Constant(1, 1, at), 1, options)(0, 0);
  };
  CHECK(ask("quantile", 0.1) == floor && ask("quantile", 0.0) == floor);
  CHECK(ask("quantile", 0.9) == btg::quantile(points.mixture(0), 0.9, 1e-10));
  CHECK(ask("cdf", floor - 1e-9) == 0.0 && ask("exceedance", floor - 1e-9) == 1.0);
  CHECK_CLOSE(ask("cdf", floor), 0.3, 1e-9);
  CHECK(ask("density", floor - 1e-9) == 0.0);
  CHECK(ask("log_density", floor - 1e-9) == -INFINITY);
  CHECK(ask("draw", 1e-300) >= floor);
}

TEST("evenly spaced draws are the distribution") {
  Random random(7);
  const Points points = random_points(random, {"affine", "sinharcsinh"});
  const int count = 20000;
  const VectorXd uniform = (VectorXd::LinSpaced(count, 0, count - 1).array() + 0.5) / count;
  const MatrixXd draws = points.ask("draw", uniform.transpose());
  for (int i = 0; i < 5; ++i) {
    for (double p : {0.03, 0.4, 0.9}) {
      const double q = btg::quantile(points.mixture(i), p, 1e-10);
      const auto below = (draws.row(i).array() <= q).count();
      CHECK_CLOSE(static_cast<double>(below) / count, p, 30.0 / count);
    }
  }
}

TEST("a failure names its point") {
  Random random(8);
  const Points points = random_points(random, {"identity"});
  const auto broken = [&](long i) -> Mixture {
    if (i == 3) throw btg::Error("quantile", "broken");
    return points.mixture(i);
  };
  try {
    btg::ask(5, broken, {{&find_question("quantile"), MatrixXd::Constant(1, 1, 0.5)}}, {},
             btg::Execution(1));
    CHECK(false);
  } catch (const btg::Error& error) {
    CHECK(error.point == 3 && error.kind == "quantile");
  }
  CHECK_THROWS(points.ask("cdf", MatrixXd::Zero(2, 1)), btg::Error);
  CHECK_THROWS(find_question("average"), btg::Error);
  CHECK(find_question("mode").name == "mode");
}

TEST("signed weights that make no distribution are rearranged") {
  // 1.5 N(0, 2^2) - 0.5 N(0, 0.5^2) falls around 0.
  const btg::MixtureNodes nodes(problems::student_t(INFINITY),
                                {btg::ModelNodes(btg::Composition(), MatrixXd(0, 2))});
  const Mixture mixture(nodes, Eigen::Vector2d(0, 0), Eigen::Vector2d(2, 0.5),
                        Eigen::Vector2d(1.5, -0.5));
  btg::PredictiveLaw law(mixture, {});
  CHECK(law.rearranged());
  std::vector<double> sorted;
  const int half = 200000;  // steps of asinh(y) up to 5
  for (int i = -half; i <= half; ++i) {
    sorted.push_back(mixture.evaluate(std::sinh(5.0 * i / half)).cdf);
  }
  std::sort(sorted.begin(), sorted.end());
  double previous = -INFINITY;
  for (double p = 0.01; p < 1; p += 0.02) {
    const double q = law.quantile(p);
    CHECK(previous < q);
    previous = q;
    const auto rank = std::lower_bound(sorted.begin(), sorted.end(), p) - sorted.begin();
    CHECK_CLOSE(q, std::sinh(5.0 * (static_cast<double>(rank) - half) / half), 1e-3);
    CHECK_CLOSE(law.evaluate(q).cdf, p, 1e-9);
  }
  // Where it is a distribution, nothing is done to it.
  const Mixture good(nodes, Eigen::Vector2d(0, 0), Eigen::Vector2d(2, 1.9),
                     Eigen::Vector2d(1.5, -0.5));
  CHECK(!btg::PredictiveLaw(good, {}).rearranged());
  // Unless most of it cancels, when between the points of a grid it may be anything.
  const Mixture cancelled(nodes, Eigen::Vector2d(0, 0), Eigen::Vector2d(2, 1.9),
                          Eigen::Vector2d(3, -2));
  CHECK(btg::PredictiveLaw(cancelled, {}).rearranged());
}
