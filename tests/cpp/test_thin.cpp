// Models of some of the data, and the search for modes that begins with them.
#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "btg/base/select_rows.hpp"
#include "btg/model/subset.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/numerics/spread_points.hpp"
#include "btg/posterior/target.hpp"
#include "btg/quadrature/modes.hpp"
#include "check.hpp"
#include "random_model.hpp"
#include "rule_targets.hpp"

using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Random;

TEST("a subset has so many different numbers, in order, and no stride") {
  for (int n : {5, 100, 999}) {
    for (int count : {1, 4, n / 2, n}) {
      const std::vector<int> subset = btg::scattered_subset(n, count);
      CHECK(subset == btg::scattered_subset(n, count));
      CHECK(int(std::set<int>(subset.begin(), subset.end()).size()) == count);
      CHECK(std::is_sorted(subset.begin(), subset.end()));
      CHECK(subset.front() >= 0 && subset.back() < n);
    }
  }
  std::set<int> remainders;
  for (int i : btg::scattered_subset(1000, 100)) remainders.insert(i % 10);
  CHECK(remainders.size() == 10);
}

TEST("a thin model is that of its rows") {
  Random random(1);
  for (int trial = 0; trial < 20; ++trial) {
    const btg::Form form = trial % 2 == 0 ? btg::Form::product : btg::Form::radial;
    const problems::RandomModel whole = problems::random_model(
        random, problems::kernels()[trial % 4], form, {"sinharcsinh"}, 1 + trial % 2);
    const int n = int(whole.model.inputs.rows()), count = n - 1;
    const std::optional<btg::Model> thin = btg::thin_model(whole.model, count);
    CHECK(thin.has_value());
    problems::RandomModel part = whole;
    const std::vector<int> rows = btg::scattered_subset(n, count);
    part.model.inputs = btg::select_rows(whole.model.inputs, rows);
    part.model.response = btg::select_rows(whole.model.response, rows);
    part.trend = btg::select_rows(whole.trend, rows);
    const VectorXd eta = whole.random_eta(random), other = whole.random_eta(random);
    MatrixXd etas(eta.size(), 2);
    etas << eta, other;
    // The trend is in the basis of the whole model: likelihoods differ by a constant.
    const VectorXd got = btg::evaluate(*thin, etas);
    CHECK_CLOSE(got[0] - got[1], part.naive_log_marginal(eta) - part.naive_log_marginal(other),
                1e-8);
  }
}

TEST("rows at a site stay together, with their weights") {
  Random random(2);
  problems::RandomModel made =
      problems::random_model(random, problems::kernels()[0], btg::Form::radial, {"identity"}, 1);
  btg::Model& model = made.model;
  const int sites = int(model.inputs.rows());
  std::vector<int> site_of_row;
  for (int i = 0; i < sites; ++i) site_of_row.push_back(i);
  for (int i = 0; i < sites; ++i) site_of_row.push_back(i);
  model.response = random.matrix(2 * sites, 1, 0.4, 4);
  const VectorXd weights = random.matrix(2 * sites, 1, 0.5, 2);
  model.sites = btg::Sites(site_of_row, weights);
  const int count = sites / 2;
  const std::vector<int> kept = btg::scattered_subset(sites, count);
  const btg::Model thin = *btg::thin_model(model, count);
  CHECK(thin.inputs == btg::select_rows(model.inputs, kept));
  CHECK(thin.response.size() == 2 * count);
  for (int i = 0; i < 2 * count; ++i) {
    const int row = kept[i % count] + (i < count ? 0 : sites);
    CHECK(thin.sites.of_row(i) == i % count);
    CHECK(thin.sites.weight(i) == weights[row]);
    CHECK(thin.response[i] == model.response[row]);
  }
}

TEST("a subset that does not tell the trend makes no model") {
  Random random(3);
  problems::RandomModel made =
      problems::random_model(random, problems::kernels()[0], btg::Form::radial, {"identity"}, 1);
  const int n = int(made.model.inputs.rows());
  const int left_out = n * (n - 1) / 2 - [&] {
    int sum = 0;
    for (int i : btg::scattered_subset(n, n - 1)) sum += i;
    return sum;
  }();
  MatrixXd trend = MatrixXd::Ones(n, 2);
  trend(left_out, 1) = 0.0;
  made.model.trend = btg::Trend(trend);
  CHECK(!btg::thin_model(made.model, n - 1).has_value());
}

TEST("modes are found from those of a coarse target, in few gradients") {
  const int d = 6;
  Random random(4);
  const MatrixXd half = random.matrix(d, d, -1, 1);
  const MatrixXd precision = 3.0 * half * half.transpose();
  const VectorXd where = 2.0 * random.matrix(d, 1, -1, 1);
  // Ten times the data, and a mode that has moved by about its width.
  const rule_targets::NormalPosterior coarse(where, precision);
  const rule_targets::NormalPosterior fine(where + 0.1 * random.matrix(d, 1, -1, 1),
                                           10.0 * precision);
  btg::Target target = fine.target(VectorXd::Zero(d));
  int gradients = 0;
  const auto plain = target.log_posterior_gradient;
  target.log_posterior_gradient = [&](const VectorXd& u) {
    ++gradients;
    return plain(u);
  };
  const std::vector<btg::Mode> direct = btg::find_modes(target, {});
  const int all = gradients;
  gradients = 0;
  target.coarse = std::make_shared<const btg::Target>(coarse.target(VectorXd::Zero(d)));
  target.coarse_share = 0.1;
  const std::vector<btg::Mode> modes = btg::find_modes(target, {});
  CHECK(modes.size() == 1 && direct.size() == 1);
  CHECK((modes[0].point - fine.mean).norm() < 0.05);
  CHECK(gradients < 2 * d + 2 && gradients < all / 2);
}
