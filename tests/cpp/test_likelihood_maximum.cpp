// The maximum of the likelihood against grids of its naive formula, at the ends of the box, from
// known maxima, and where there is none.
#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/posterior/likelihood_maximum.hpp"
#include "check.hpp"
#include "random_model.hpp"

using btg::LikelihoodMaximum;
using btg::LikelihoodSearch;
using btg::Model;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Random;
using problems::RandomModel;

namespace {

// Frees the hyperparameters named by their index: 0 and 1 are lengthscales, 2 the noise, then the
// transform's.
void set_free(Model& model, const std::vector<int>& which) {
  std::vector<btg::Hyperparameter> all;
  for (int j = 0; j < model.size(); ++j) all.push_back(model.hyperparameters[j]);
  for (const int j : which) {
    const btg::PriorSpec spec =
        j < 3 ? btg::PriorSpec{"lognormal", {-0.5, 1.0}} : btg::PriorSpec{"uniform", {0.0, 3.0}};
    all[j].prior.emplace(spec, all[j].scale);
  }
  model.hyperparameters = btg::Hyperparameters(all);
}

// A smooth function of the first inputs with noise, so that there is something to find.
RandomModel smooth_problem(unsigned seed, const std::vector<std::string>& transform,
                           btg::Likelihood likelihood) {
  Random random(seed);
  RandomModel made =
      problems::random_model(random, problems::kernels()[1], btg::Form::radial, transform, 1);
  const int n = 20;
  made.trend = MatrixXd::Ones(n, 1);
  made.model.trend = btg::Trend(made.trend);
  made.model.inputs = random.matrix(n, 3);
  made.model.response.resize(n);
  for (int i = 0; i < n; ++i) {
    const double smooth = std::sin(2 * made.model.inputs(i, 0)) + 0.5 * made.model.inputs(i, 1);
    made.model.response[i] = std::exp(smooth + random.uniform(-0.4, 0.4));
  }
  made.model.likelihood = likelihood;
  return made;
}

const LikelihoodSearch& best_of(const LikelihoodMaximum& found) {
  const LikelihoodSearch* best = &found.searches.front();
  for (const LikelihoodSearch& search : found.searches) {
    if (search.log_likelihood > best->log_likelihood) best = &search;
  }
  return *best;
}

LikelihoodMaximum maximise(const Model& model, int restarts = 3) {
  return btg::maximise_likelihood(model, restarts, MatrixXd(model.size(), 0));
}

VectorXd fixed_values(const Model& model) {
  VectorXd eta(model.size());
  for (int j = 0; j < model.size(); ++j) eta[j] = model.hyperparameters[j].value;
  return eta;
}

bool is_positive(const Model& model, int j) {
  return model.hyperparameters[j].scale == btg::Scale::positive;
}

// The best of all points of a grid over the box, by explicit inverses and determinants.
double best_on_grid(const RandomModel& made, const LikelihoodMaximum& found,
                    const std::vector<int>& free, int steps) {
  double best = -INFINITY;
  std::vector<int> at(free.size(), 0);
  VectorXd eta = fixed_values(made.model);
  while (true) {
    for (std::size_t k = 0; k < free.size(); ++k) {
      const int j = free[k];
      const double share = (at[k] + 0.5) / steps, lower = found.lower[j], upper = found.upper[j];
      eta[j] = is_positive(made.model, j) ? lower * std::pow(upper / lower, share)
                                          : lower + (upper - lower) * share;
    }
    best = std::fmax(best, made.naive_log_marginal(eta));
    std::size_t k = 0;
    while (k < free.size() && ++at[k] == steps) at[k++] = 0;
    if (k == free.size()) return best;
  }
}

// The derivative of the naive likelihood in a coordinate.
double naive_slope(const RandomModel& made, const VectorXd& eta, int j) {
  const bool positive = is_positive(made.model, j);
  return problems::difference(
      [&](double change) {
        VectorXd moved = eta;
        moved[j] = positive ? eta[j] * std::exp(change) : eta[j] + change;
        return made.naive_log_marginal(moved);
      },
      0, 1e-3);
}

}  // namespace

TEST("no point of a grid is higher, and the slopes of the naive formula vanish") {
  for (const btg::Likelihood likelihood :
       {btg::Likelihood::integrated, btg::Likelihood::profiled}) {
    for (const std::vector<int>& free : {std::vector<int>{2}, {0}, {0, 2}, {0, 1, 2}, {0, 2, 3}}) {
      RandomModel made = smooth_problem(5, {"boxcox"}, likelihood);
      set_free(made.model, free);
      const LikelihoodMaximum found = maximise(made.model);
      const LikelihoodSearch& best = best_of(found);
      CHECK(best.converged);
      CHECK_CLOSE(best.log_likelihood, made.naive_log_marginal(best.eta), 1e-8);
      const int steps = free.size() == 1 ? 400 : free.size() == 2 ? 40 : 14;
      CHECK(best.log_likelihood > best_on_grid(made, found, free, steps) - 1e-8);
      for (const int j : free) {
        const bool inside = best.eta[j] > found.lower[j] * 1.0001 + 1e-6 &&
                            best.eta[j] < found.upper[j] * 0.9999 - 1e-6;
        if (inside) CHECK(std::abs(naive_slope(made, best.eta, j)) < 0.02);
      }
    }
  }
}

TEST("what is fixed stays, and has no bounds") {
  RandomModel made = smooth_problem(6, {"boxcox"}, btg::Likelihood::integrated);
  set_free(made.model, {0, 2});
  const LikelihoodMaximum found = maximise(made.model);
  for (const int j : {1, 3}) {
    CHECK(std::isnan(found.lower[j]) && std::isnan(found.upper[j]));
    for (const LikelihoodSearch& search : found.searches) CHECK(search.eta[j] == 1.0);
  }
  for (const int j : {0, 2}) {
    for (const LikelihoodSearch& search : found.searches) {
      CHECK(search.eta[j] >= found.lower[j] * (1 - 1e-12));
      CHECK(search.eta[j] <= found.upper[j] * (1 + 1e-12));
    }
  }
}

TEST("bounds are those of the inputs, of the noise and of the priors") {
  RandomModel made = smooth_problem(7, {"boxcox"}, btg::Likelihood::integrated);
  // The first and the last share a lengthscale: gaps of 0.1 and 0.05, ranges of 1.9 and 0.95.
  for (int i = 0; i < 20; ++i) made.model.inputs.row(i) << 0.1 * i, i * i, 0.05 * i;
  set_free(made.model, {0, 1, 2, 3});
  const LikelihoodMaximum found = maximise(made.model, 1);
  CHECK_CLOSE(found.lower[0], 0.005, 1e-12);
  CHECK_CLOSE(found.upper[0], 1000 * std::hypot(1.9, 0.95), 1e-12);
  CHECK_CLOSE(found.lower[1], 1.9, 1e-12);  // gaps of 1, 3, ..., 37
  CHECK_CLOSE(found.upper[1], 361e3, 1e-12);
  CHECK(found.lower[2] == 1e-8 && found.upper[2] == 1e2);
  CHECK_CLOSE(found.lower[3], 0.0, 1e-12);
  CHECK_CLOSE(found.upper[3], 3.0, 1e-12);
}

TEST("an input that does not matter ends at the longest lengthscale") {
  RandomModel made = smooth_problem(8, {}, btg::Likelihood::integrated);
  // The second lengthscale is that of the second column alone.
  for (int i = 0; i < 20; ++i) {
    made.model.response[i] = std::sin(3 * made.model.inputs(i, 0)) + 0.01 * (i % 3);
  }
  set_free(made.model, {0, 1, 2});
  const LikelihoodMaximum found = maximise(made.model);
  const LikelihoodSearch& best = best_of(found);
  CHECK(best.converged);
  CHECK_CLOSE(best.eta[1] / found.upper[1], 1.0, 1e-9);
  CHECK(naive_slope(made, best.eta, 1) > -1e-6);
}

TEST("an input of one value has no effect, and does no harm") {
  RandomModel made = smooth_problem(9, {}, btg::Likelihood::integrated);
  made.model.inputs.col(1).setConstant(0.3);
  set_free(made.model, {0, 1, 2});
  const LikelihoodMaximum found = maximise(made.model);
  RandomModel without = made;
  set_free(without.model, {0, 2});
  std::vector<btg::Hyperparameter> all;
  for (int j = 0; j < without.model.size(); ++j) {
    all.push_back(without.model.hyperparameters[j]);
  }
  all[1].prior.reset();
  without.model.hyperparameters = btg::Hyperparameters(all);
  CHECK(found.lower[1] < found.upper[1]);
  CHECK_CLOSE(best_of(found).log_likelihood, best_of(maximise(without.model)).log_likelihood, 1e-6);
}

TEST("searches from known maxima stay there") {
  RandomModel made = smooth_problem(10, {"boxcox"}, btg::Likelihood::integrated);
  set_free(made.model, {0, 2, 3});
  const LikelihoodMaximum cold = maximise(made.model);
  const LikelihoodSearch best = best_of(cold);
  const LikelihoodMaximum warm = btg::maximise_likelihood(made.model, 3, best.eta);
  CHECK(warm.searches.size() == 1 && warm.searches[0].converged);
  CHECK(warm.searches[0].evaluations < best.evaluations);
  CHECK_CLOSE(warm.searches[0].log_likelihood, best.log_likelihood, 1e-6);
  // From outside of the box.
  VectorXd outside = best.eta;
  outside[0] = 1e12;
  const LikelihoodMaximum back = btg::maximise_likelihood(made.model, 3, outside);
  CHECK(back.searches[0].eta[0] <= back.upper[0] * (1 + 1e-12));
}

TEST("with nothing free there is one value") {
  const RandomModel made = smooth_problem(11, {"boxcox"}, btg::Likelihood::integrated);
  const LikelihoodMaximum found = maximise(made.model);
  CHECK(found.searches.size() == 1 && found.searches[0].converged);
  CHECK(found.searches[0].evaluations == 1 && found.searches[0].slope == 0.0);
  CHECK_CLOSE(found.searches[0].log_likelihood, made.naive_log_marginal(fixed_values(made.model)),
              1e-9);
}

TEST("a likelihood that cannot be evaluated anywhere is an error") {
  for (const double value :
       {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    RandomModel made = smooth_problem(12, {"boxcox"}, btg::Likelihood::integrated);
    made.model.response[3] = value;  // not in the domain of Box-Cox
    CHECK_THROWS(maximise(made.model), btg::Error);
    set_free(made.model, {0, 2});
    CHECK_THROWS(maximise(made.model), btg::Error);
    // The same from a start that is known.
    CHECK_THROWS(btg::maximise_likelihood(made.model, 3, fixed_values(made.model)), btg::Error);
  }
}
