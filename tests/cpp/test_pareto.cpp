// Pareto smoothing of weights against the R package loo, known tails, and what it must leave alone.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "btg/numerics/pareto.hpp"
#include "check.hpp"

using btg::smooth_weights;
using Eigen::Index;
using Eigen::VectorXd;

namespace {

const double infinity = std::numeric_limits<double>::infinity();
const double missing = std::numeric_limits<double>::quiet_NaN();

// -shape log u at evenly scattered u: weights with a Pareto tail of this shape.
VectorXd scattered(int n, double shape) {
  VectorXd result(n);
  for (int i = 0; i < n; ++i) {
    const double x = (i + 1) * 0.61803398874989485;
    result[i] = -shape * std::log(x - std::floor(x));
  }
  return result;
}

// The logarithms of the quantiles of a generalised Pareto distribution of scale 1.
VectorXd pareto_quantiles(int n, double shape) {
  VectorXd result(n);
  for (int i = 0; i < n; ++i) {
    const double log_tail = std::log1p(-(i + 0.5) / n);
    result[i] = std::log(shape == 0.0 ? -log_tail : std::expm1(-shape * log_tail) / shape);
  }
  return result;
}

int tail_size(int n) { return static_cast<int>(std::ceil(std::fmin(0.2 * n, 3 * std::sqrt(n)))); }

std::vector<Index> increasing(const VectorXd& x) {
  std::vector<Index> order(x.size());
  std::iota(order.begin(), order.end(), Index(0));
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return x[a] < x[b]; });
  return order;
}

bool same(const VectorXd& a, const VectorXd& b) {
  if (a.size() != b.size()) return false;
  for (Index i = 0; i < a.size(); ++i) {
    if (!(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))) return false;
  }
  return true;
}

// Infinite, and nothing changed.
bool left_alone(const VectorXd& weights) {
  VectorXd copy = weights;
  return smooth_weights(copy) == infinity && same(copy, weights);
}

}  // namespace

// loo::psis(scattered(n, shape), r_eff = 1) of loo 2.5.1: the shape, the second and fifth largest.
TEST("shapes and smoothed weights are those of loo::psis") {
  struct Reference {
    int n;
    double shape, k_hat, second, fifth;
  };
  for (const Reference& reference :
       std::vector<Reference>{{30, 0.2, 0.317168005584768, 0.578931658856782, 0.345343671062316},
                              {30, 0.9, 0.477191520636394, 2.39811960480753, 1.57230525165455},
                              {200, 0.2, 0.205750781657481, 0.990015001915739, 0.76420986433093},
                              {200, 0.9, 0.695578981097984, 4.02282264824509, 3.22236897556772},
                              {2000, 0.2, 0.221963188425301, 1.4656260450089, 1.23353299892366},
                              {2000, 0.9, 0.848536277297178, 6.30647412863221, 5.37196895330402}}) {
    VectorXd weights = scattered(reference.n, reference.shape);
    const std::vector<Index> order = increasing(weights);
    const double k_hat = smooth_weights(weights);
    CHECK_CLOSE(k_hat, reference.k_hat, 1e-12);
    CHECK_CLOSE(weights[order[reference.n - 2]], reference.second, 1e-12);
    CHECK_CLOSE(weights[order[reference.n - 5]], reference.fifth, 1e-12);
  }
}

TEST("the shape of a generalised Pareto distribution is found, drawn a little to 1/2") {
  const int n = 20000;
  for (const double shape : {-0.5, -0.2, 0.0, 0.3, 0.7, 1.2}) {
    VectorXd weights = pareto_quantiles(n, shape);
    const double m = tail_size(n), drawn = (shape * m + 0.5 * 10) / (m + 10);
    const double k_hat = smooth_weights(weights);
    CHECK_CLOSE(k_hat, drawn, 0.03);
  }
}

// The tail of quantiles is the quantiles of a tail, apart from the last few, which are smoothed
// most.
TEST("smoothing hardly changes weights that have the tail of the fit") {
  const int n = 20000;
  const VectorXd before = pareto_quantiles(n, 0.5);
  VectorXd after = before;
  smooth_weights(after);
  CHECK((after - before).head(n - 20).cwiseAbs().maxCoeff() < 0.02);
}

TEST("only the tail changes, keeps its order, and stays below the largest weight") {
  for (const int n : {21, 60, 500}) {
    for (const double shape : {0.1, 0.6, 2.0}) {
      const VectorXd before = scattered(n, shape);
      VectorXd after = before;
      CHECK(std::isfinite(smooth_weights(after)));
      const std::vector<Index> order = increasing(before);
      const int body = n - tail_size(n);
      for (int i = 0; i < n; ++i) {
        if (i < body) CHECK(after[order[i]] == before[order[i]]);
        if (i > 0) CHECK(after[order[i]] >= after[order[i - 1]]);
      }
      CHECK(after.maxCoeff() <= before.maxCoeff());
    }
  }
}

TEST("a common factor and the order of the weights make no difference") {
  const int n = 150;
  const VectorXd weights = scattered(n, 0.8);
  VectorXd plain = weights, scaled = weights.array() + 700.0, reversed = weights.reverse();
  const double k_hat = smooth_weights(plain), k_hat_scaled = smooth_weights(scaled);
  CHECK_CLOSE(k_hat_scaled, k_hat, 1e-9);
  CHECK((scaled.array() - 700.0 - plain.array()).abs().maxCoeff() < 1e-9);
  CHECK(smooth_weights(reversed) == k_hat);
  CHECK(same(reversed.reverse(), plain));
  // Weights of which all are far below the smallest double.
  VectorXd tiny = weights.array() - 1e5;
  const double k_hat_tiny = smooth_weights(tiny);
  CHECK_CLOSE(k_hat_tiny, k_hat, 1e-6);
}

TEST("too few weights have no shape") {
  CHECK(left_alone(VectorXd()));
  for (int n = 1; n <= 20; ++n) CHECK(left_alone(scattered(n, 0.7)));
  VectorXd enough = scattered(21, 0.7);
  CHECK(std::isfinite(smooth_weights(enough)));
}

TEST("weights without a tail have no shape") {
  CHECK(left_alone(VectorXd::Constant(100, -3.0)));
  // Ties from the cutoff on.
  VectorXd ties = scattered(100, 0.7);
  const std::vector<Index> order = increasing(ties);
  for (int i = 60; i < 90; ++i) ties[order[i]] = ties[order[60]];
  CHECK(left_alone(ties));
  // One weight that is all.
  VectorXd one = VectorXd::Constant(100, -1000.0);
  one[17] = 0.0;
  CHECK(left_alone(one));
}

TEST("weights of 0 below the tail change nothing") {
  VectorXd with = scattered(200, 0.7), without = with;
  const std::vector<Index> order = increasing(with);
  for (int i = 0; i < 100; ++i) with[order[i]] = -infinity;
  CHECK(smooth_weights(with) == smooth_weights(without));
  for (int i = 100; i < 200; ++i) CHECK(with[order[i]] == without[order[i]]);
  CHECK(with[order[0]] == -infinity);
}

TEST("weights that are not finite in the tail have no shape") {
  CHECK(left_alone(VectorXd::Constant(100, -infinity)));
  CHECK(left_alone(VectorXd::Constant(100, infinity)));
  CHECK(left_alone(VectorXd::Constant(100, missing)));
  VectorXd infinite = scattered(100, 0.7);
  infinite[42] = infinity;
  CHECK(left_alone(infinite));
}
