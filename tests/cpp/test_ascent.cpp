// Maxima of functions that are known in closed form, in a box and without one, and searches that
// have to stop: at their limits, at walls and at values that are not numbers.
#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <vector>

#include "btg/numerics/ascent.hpp"
#include "check.hpp"
#include "problems.hpp"

using btg::Ascent;
using btg::AscentOptions;
using btg::Maximum;
using btg::ValueGradient;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Random;

namespace {

const double infinity = std::numeric_limits<double>::infinity();
const double missing = std::numeric_limits<double>::quiet_NaN();

AscentOptions options(double tolerance = 1e-14, int iterations = 500) {
  return {tolerance, iterations, 2.0, {}, {}};
}

AscentOptions boxed(const VectorXd& lower, const VectorXd& upper) {
  AscentOptions result = options();
  result.lower = lower;
  result.upper = upper;
  return result;
}

bool never(const VectorXd&, double) { return false; }

// -(x - a)' H (x - a) / 2
struct Quadratic {
  VectorXd a;
  MatrixXd h;

  ValueGradient operator()(const VectorXd& x) const {
    const VectorXd slope = h * (a - x);
    return {-0.5 * (x - a).dot(h * (x - a)), slope};
  }
};

Quadratic random_quadratic(Random& random, int d) {
  const MatrixXd half = random.matrix(d, d + 2);
  MatrixXd h = half * half.transpose();
  h.diagonal().array() += 0.1;
  return {random.matrix(d, 1, -3, 3), h};
}

// The maximum in a box by trying every set of coordinates at their ends: the best of the points
// that are stationary in the others and in the box.
VectorXd maximum_in_box(const Quadratic& f, const VectorXd& lower, const VectorXd& upper) {
  const int d = static_cast<int>(f.a.size());
  VectorXd best;
  double height = -infinity;
  for (int code = 0; code < std::pow(3, d); ++code) {
    VectorXd x(d);
    std::vector<int> free;
    for (int j = 0, rest = code; j < d; ++j, rest /= 3) {
      if (rest % 3 == 2) free.push_back(j);
      x[j] = rest % 3 == 0 ? lower[j] : rest % 3 == 1 ? upper[j] : f.a[j];
    }
    // H_ff (a - x)_f = -H_fb (a - x)_b for free and bound coordinates.
    const int m = static_cast<int>(free.size());
    MatrixXd among(m, m), right(m, 1);
    for (int k = 0; k < m; ++k) {
      right(k, 0) = 0.0;
      for (int j = 0; j < d; ++j) right(k, 0) -= f.h(free[k], j) * (f.a[j] - x[j]);
      for (int l = 0; l < m; ++l) among(k, l) = f.h(free[k], free[l]);
    }
    const MatrixXd away = problems::solve(among, right);
    for (int k = 0; k < m; ++k) x[free[k]] = f.a[free[k]] - away(k, 0);
    const bool inside = (x.array() >= lower.array()).all() && (x.array() <= upper.array()).all();
    if (inside && f(x).value > height) {
      height = f(x).value;
      best = x;
    }
  }
  return best;
}

double distance(const VectorXd& a, const VectorXd& b) { return (a - b).cwiseAbs().maxCoeff(); }

}  // namespace

TEST("a quadratic function has its maximum at its centre") {
  Random random(1);
  for (const int d : {1, 2, 5, 12}) {
    const Quadratic f = random_quadratic(random, d);
    const VectorXd start = random.matrix(d, 1, -5, 5);
    for (const MatrixXd& metric : {MatrixXd(), MatrixXd(MatrixXd::Identity(d, d))}) {
      const Maximum top = btg::maximise(f, start, metric, options(), never);
      CHECK(top.converged);
      CHECK(distance(top.point, f.a) < 1e-6);
      CHECK_CLOSE(top.at.value, 0.0, 1e-13);
      CHECK(top.at.value == f(top.point).value && top.at.gradient == f(top.point).gradient);
    }
  }
}

TEST("with its true inverse curvature, a quadratic function takes one step") {
  Random random(2);
  const Quadratic f = random_quadratic(random, 4);
  const VectorXd start = f.a + random.matrix(4, 1, -0.5, 0.5);
  int evaluations = 0;
  const Maximum top = btg::maximise(
      [&](const VectorXd& x) {
        ++evaluations;
        return f(x);
      },
      start, problems::inverse(f.h), options(1e-10), never);
  CHECK(top.converged && evaluations == 2);
  CHECK(distance(top.point, f.a) < 1e-9);
}

// -100 (y - x^2)^2 - (1 - x)^2
TEST("a curved ridge is followed to its end") {
  const auto rosenbrock = [](const VectorXd& x) {
    const double across = x[1] - x[0] * x[0], along = 1 - x[0];
    VectorXd gradient(2);
    gradient << 400 * x[0] * across + 2 * along, -200 * across;
    return ValueGradient{-100 * across * across - along * along, gradient};
  };
  const Maximum top = btg::maximise(rosenbrock, Eigen::Vector2d(-1.2, 1), MatrixXd::Identity(2, 2),
                                    options(), never);
  CHECK(top.converged);
  CHECK(distance(top.point, Eigen::Vector2d(1, 1)) < 1e-5);
}

TEST("the maximum in a box is the best of all sets of ends") {
  Random random(3);
  int at_ends = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int d = 1 + trial % 4;
    const Quadratic f = random_quadratic(random, d);
    const VectorXd lower = random.matrix(d, 1, -2, 0), upper = random.matrix(d, 1, 0.1, 2);
    const VectorXd start = random.matrix(d, 1, -4, 4);  // often outside
    const VectorXd expected = maximum_in_box(f, lower, upper);
    const auto inside = [&](const VectorXd& x) {
      CHECK((x.array() >= lower.array()).all() && (x.array() <= upper.array()).all());
      return f(x);
    };
    const MatrixXd metric = MatrixXd::Identity(d, d);
    const Maximum top = btg::maximise(inside, start, metric, boxed(lower, upper), never);
    CHECK(f(expected).value - top.at.value < 1e-8);
    CHECK(distance(top.point, expected) < 1e-4);
    at_ends += (top.point.array() == lower.array() || top.point.array() == upper.array()).any();
  }
  CHECK(at_ends > 100);
}

TEST("a box of one point is its own maximum") {
  Random random(4);
  const Quadratic f = random_quadratic(random, 3);
  const VectorXd only = random.matrix(3, 1);
  const Maximum top =
      btg::maximise(f, VectorXd::Zero(3), MatrixXd::Identity(3, 3), boxed(only, only), never);
  CHECK(top.converged && top.point == only);
}

TEST("values rise from turn to turn, and no step is longer than allowed") {
  Random random(5);
  const Quadratic f = random_quadratic(random, 3);
  Ascent ascent(f.a + VectorXd::Constant(3, 30.0), MatrixXd(), options());
  double before = -infinity;
  int steps = 0;
  while (!ascent.done()) {
    CHECK((ascent.trial() - ascent.point()).norm() <= 2.0 * (1 + 1e-12));
    ascent.take(f(ascent.trial()));
    if (ascent.turns()) {
      CHECK(ascent.at().value > before);
      before = ascent.at().value;
      CHECK(ascent.metric() == ascent.metric().transpose() ||
            (ascent.metric() - ascent.metric().transpose()).norm() <
                1e-10 * ascent.metric().norm());
    }
    ++steps;
  }
  CHECK(ascent.converged() && steps > 15);  // 30 sqrt(3) in steps of 2
}

TEST("an ascent that is fed by hand is that of maximise") {
  Random random(6);
  const Quadratic f = random_quadratic(random, 3);
  const VectorXd start = random.matrix(3, 1, -3, 3);
  Ascent ascent(start, MatrixXd(), options());
  while (!ascent.done()) ascent.take(f(ascent.trial()));
  const Maximum top = btg::maximise(f, start, MatrixXd(), options(), never);
  CHECK(ascent.point() == top.point && ascent.at().value == top.at.value);
}

TEST("a search ends at its limits, with the best so far") {
  Random random(7);
  const Quadratic f = random_quadratic(random, 5);
  const VectorXd start = f.a + VectorXd::Constant(5, 10.0);
  const Maximum none = btg::maximise(f, start, MatrixXd(), options(1e-14, 0), never);
  CHECK(!none.converged && none.point == start && none.at.value == f(start).value);
  double before = f(start).value;
  for (const int iterations : {1, 2, 4}) {
    const Maximum some = btg::maximise(f, start, MatrixXd(), options(1e-14, iterations), never);
    CHECK(!some.converged && some.at.value > before);
    before = some.at.value;
  }
  const auto high_enough = [&](const VectorXd&, double value) { return value > before; };
  const Maximum stopped = btg::maximise(f, start, MatrixXd(), options(), high_enough);
  CHECK(!stopped.converged && stopped.at.value > before && stopped.at.value < -1e-6);
}

TEST("where it is flat, a search is over at once") {
  const auto flat = [](const VectorXd& x) { return ValueGradient{3.0, VectorXd::Zero(x.size())}; };
  for (const MatrixXd& metric : {MatrixXd(), MatrixXd(MatrixXd::Identity(2, 2))}) {
    const Maximum top = btg::maximise(flat, Eigen::Vector2d(1, 2), metric, options(), never);
    CHECK(top.converged && top.point == Eigen::Vector2d(1, 2) && top.at.value == 3.0);
  }
}

TEST("a function of nothing is its own maximum") {
  const auto constant = [](const VectorXd&) { return ValueGradient{1.5, VectorXd()}; };
  const Maximum top = btg::maximise(constant, VectorXd(), MatrixXd(), options(), never);
  CHECK(top.converged && top.point.size() == 0 && top.at.value == 1.5);
}

TEST("a start without a value is returned") {
  for (const double value : {-infinity, missing, infinity}) {
    int evaluations = 0;
    const auto f = [&](const VectorXd& x) {
      ++evaluations;
      return ValueGradient{value, VectorXd::Zero(x.size())};
    };
    const VectorXd start = Eigen::Vector2d(1, 2);
    const Maximum top = btg::maximise(f, start, MatrixXd(), options(), never);
    CHECK(!top.converged && top.point == start && evaluations == 1);
    CHECK(!std::isfinite(top.at.value));
  }
}

// log(1 - x) + 2 x has its maximum at 1/2; beyond 1 there is nothing.
TEST("an ascent that pushes against a wall ends next to it, sooner with a looser tolerance") {
  for (const double beyond : {-infinity, missing}) {
    int evaluations = 0;
    const auto f = [&](const VectorXd& x) {
      ++evaluations;
      const bool inside = x[0] < 1;
      return ValueGradient{inside ? 2 * x[0] : beyond, VectorXd::Constant(1, inside ? 2 : missing)};
    };
    const auto evaluations_with = [&](double tolerance) {
      evaluations = 0;
      const Maximum top =
          btg::maximise(f, VectorXd::Constant(1, 0.12), MatrixXd::Constant(1, 1, 1.0),
                        options(tolerance, 100), never);
      CHECK(top.converged);
      CHECK(2 * (1 - top.point[0]) < 40 * tolerance);
      return evaluations;
    };
    CHECK(2 * evaluations_with(1e-2) < evaluations_with(1e-4));
  }
}

TEST("steps beyond a wall are taken back") {
  for (const double beyond : {-infinity, missing}) {
    int outside = 0;
    const auto f = [&](const VectorXd& x) {
      if (!(x[0] < 1)) {
        ++outside;
        return ValueGradient{beyond, VectorXd::Constant(1, missing)};
      }
      return ValueGradient{std::log1p(-x[0]) + 2 * x[0], VectorXd::Constant(1, 2 - 1 / (1 - x[0]))};
    };
    const VectorXd start = VectorXd::Constant(1, -6.0);
    const MatrixXd metric = MatrixXd::Constant(1, 1, 10.0);
    const Maximum top = btg::maximise(f, start, metric, options(), never);
    CHECK(top.converged);
    CHECK_CLOSE(top.point[0], 0.5, 1e-6);
    CHECK(outside > 0);
  }
}

TEST("a gradient that points downhill ends the search where it began") {
  const auto wrong = [](const VectorXd& x) { return ValueGradient{-x.squaredNorm(), 2 * x}; };
  const VectorXd start = Eigen::Vector2d(1, 2);
  const Maximum top = btg::maximise(wrong, start, MatrixXd::Identity(2, 2), options(), never);
  CHECK(!top.converged && top.point == start);
}
