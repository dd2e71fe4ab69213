// The predictive mixture against its definition, with Boost's t in long double.
#include <boost/math/distributions/students_t.hpp>
#include <limits>
#include <string>
#include <vector>

#include "btg/numerics/student_t.hpp"
#include "btg/predictive/mixture.hpp"
#include "btg/transforms/registry.hpp"
#include "check.hpp"
#include "problems.hpp"

using btg::Interval;
using btg::Mixture;
using btg::MixtureNodes;
using btg::MixtureValue;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Long;
using problems::Random;

namespace {

const double infinity = std::numeric_limits<double>::infinity();

struct Problem {
  MixtureNodes nodes;
  VectorXd location, scale, weights;

  Mixture mixture() const { return Mixture(nodes, location, scale, weights); }
  const btg::Composition& g() const { return nodes.models[0].g; }
  const double* lambda(int i) const { return nodes.models[0].parameters(i); }
  double standardised(int i, double z) const { return (z - location[i]) / scale[i]; }

  // The t mass between two points, by tails that do not cancel.
  Long t_mass(double a, double b) const {
    const boost::math::students_t_distribution<Long> t(nodes.t.degrees_of_freedom());
    return a > 0 ? cdf(t, -Long(a)) - cdf(t, -Long(b)) : cdf(t, Long(b)) - cdf(t, Long(a));
  }
  Long image_mass(int i) const {
    const Interval image = g().image(lambda(i));
    return t_mass(standardised(i, image.lower), standardised(i, image.upper));
  }
  double cdf_by_definition(double y) const {
    Long total = 0;
    for (int i = 0; i < location.size(); ++i) {
      const double lower = standardised(i, g().image(lambda(i)).lower);
      const double x = standardised(i, g().forward(y, lambda(i)));
      total += weights[i] * t_mass(lower, x) / image_mass(i);
    }
    return static_cast<double>(total);
  }
  double density_by_definition(double y) const {
    const boost::math::students_t_distribution<Long> t(nodes.t.degrees_of_freedom());
    Long total = 0;
    for (int i = 0; i < location.size(); ++i) {
      const Long x = standardised(i, g().forward(y, lambda(i)));
      total += weights[i] * pdf(t, x) / (scale[i] * image_mass(i)) *
               std::exp(g().log_derivative(y, lambda(i)));
    }
    return static_cast<double>(total);
  }
};

// Three nodes around responses of order 1, with parameters in the middle of their range.
Problem make_problem(Random& random, const std::vector<std::string>& names, double df,
                     double shift = 0.0) {
  const btg::Composition g = btg::compose(names);
  MatrixXd lambda = random.matrix(g.size(), 3, 0.5, 1.5);
  lambda.array() += shift;
  VectorXd location(3);
  for (int i = 0; i < 3; ++i) location[i] = g.forward(random.uniform(0.5, 4), lambda.col(i).data());
  return {MixtureNodes(btg::StudentT(df), {btg::ModelNodes(g, lambda)}), location,
          random.matrix(3, 1, 0.2, 2), Eigen::Vector3d(0.6, 0.399, 0.001)};
}

// Every transform, some compositions, and Yeo-Johnson with its image bounded above
// (lambda < 0) and below (lambda > 2).
template <class Body>
void for_each(Body body) {
  Random random(1);
  std::vector<std::vector<std::string>> transforms{
      {}, {"affine", "sinharcsinh"}, {"boxcox", "arcsinh"}, {"affine", "boxcox"}};
  for (const std::string& name : problems::unbounded_transforms()) transforms.push_back({name});
  for (double df : {1.0, 4.0, 37.5, 900.0}) {
    for (const auto& names : transforms) body(make_problem(random, names, df));
    body(make_problem(random, {"yeojohnson"}, df, -2.0));
    body(make_problem(random, {"yeojohnson"}, df, 2.0));
  }
}

// One Box-Cox node, lambda = 1/2: the image is z > -2.
MixtureNodes boxcox_nodes(double df) {
  return MixtureNodes(btg::StudentT(df),
                      {btg::ModelNodes(btg::compose({"boxcox"}), MatrixXd::Constant(1, 1, 0.5))});
}

const std::vector<double> responses{0.01, 0.2, 0.6, 1.0, 1.7, 2.5, 4.0, 9.0, 60.0};

}  // namespace

TEST("cdf and density are those of the definition") {
  for_each([](const Problem& problem) {
    const Mixture mixture = problem.mixture();
    CHECK(mixture.size() == 3);
    for (double y : responses) {
      const MixtureValue f = mixture.evaluate(y);
      CHECK_CLOSE(f.cdf, problem.cdf_by_definition(y), 1e-12);
      CHECK_CLOSE(f.density, problem.density_by_definition(y), 1e-11);
    }
  });
}

TEST("the density is the slope of the cdf") {
  for_each([](const Problem& problem) {
    const Mixture mixture = problem.mixture();
    for (double y : responses) {
      const auto cdf = [&](double at) { return mixture.evaluate(at).cdf; };
      CHECK_CLOSE(mixture.evaluate(y).density, problems::difference(cdf, y, 0.001 * y), 1e-6);
    }
  });
}

TEST("the cdf rises from 0 to 1 over the domain") {
  for_each([](const Problem& problem) {
    const Mixture mixture = problem.mixture();
    CHECK(mixture.evaluate(-infinity).cdf == 0 && mixture.evaluate(-infinity).density == 0);
    CHECK_CLOSE(mixture.evaluate(infinity).cdf, 1, 1e-15);
    CHECK(mixture.evaluate(infinity).density == 0);
    double previous = 0;
    for (double v = -700; v <= 700; v += 0.7) {
      const MixtureValue f = mixture.evaluate(std::sinh(v));
      CHECK(previous <= f.cdf + 1e-14 && f.cdf <= 1 + 1e-15);
      CHECK(f.density >= 0 && f.density < infinity);
      previous = f.cdf;
    }
  });
}

TEST("the lost mass is what the t distributions put outside the images") {
  int bounded = 0;
  for_each([&](const Problem& problem) {
    Long lost = 1;
    for (int i = 0; i < 3; ++i) lost -= problem.weights[i] * problem.image_mass(i);
    CHECK_CLOSE(problem.mixture().lost_mass(), double(lost), 1e-13);
    if (lost > 1e-3L) ++bounded;
  });
  CHECK(bounded > 10);
}

TEST("a single node has closed forms") {
  const btg::StudentT t(7);
  const VectorXd location = VectorXd::Constant(1, 0.3), scale = VectorXd::Constant(1, 0.8);
  const VectorXd one = VectorXd::Ones(1);
  const MixtureNodes plain(t, {btg::ModelNodes(btg::Composition(), MatrixXd(0, 1))});
  const MixtureNodes log_t(t, {btg::ModelNodes(btg::compose({"boxcox"}), MatrixXd::Zero(1, 1))});
  for (double y : responses) {
    const double x = (y - 0.3) / 0.8, v = (std::log(y) - 0.3) / 0.8;
    CHECK_CLOSE(Mixture(plain, location, scale, one).evaluate(y).cdf, t.cdf(x), 1e-15);
    CHECK_CLOSE(Mixture(plain, location, scale, one).evaluate(y).density, t.density(x) / 0.8,
                1e-15);
    CHECK_CLOSE(Mixture(log_t, location, scale, one).evaluate(y).cdf, t.cdf(v), 1e-15);
    CHECK_CLOSE(Mixture(log_t, location, scale, one).evaluate(y).density, t.density(v) / (0.8 * y),
                1e-13);
  }
  CHECK(Mixture(plain, location, scale, one).lost_mass() == 0);
  CHECK(Mixture(log_t, location, scale, one).lost_mass() == 0);
}

TEST("beyond the domain there is nothing") {
  const MixtureNodes nodes = boxcox_nodes(5);
  const Mixture mixture(nodes, VectorXd::Zero(1), VectorXd::Ones(1), VectorXd::Ones(1));
  for (double y : {0.0, -1e-300, -1.0, -1e300}) {
    CHECK(mixture.evaluate(y).cdf == 0 && mixture.evaluate(y).density == 0);
  }
}

TEST("a node with almost all of its mass outside the image is still a distribution") {
  for (double df : {1.0, 5.0, 1000.0}) {
    for (double location : {-4.0, -20.0, -1e3, -1e6, -1e12}) {
      for (double scale : {1.0, 1e-3}) {
        const Problem problem{boxcox_nodes(df), VectorXd::Constant(1, location),
                              VectorXd::Constant(1, scale), VectorXd::Ones(1)};
        const Mixture mixture = problem.mixture();
        CHECK(mixture.lost_mass() > 0.6 && mixture.lost_mass() <= 1);
        double previous = 0;
        for (double y = 1e-12; y < 1e13; y *= 3) {
          const MixtureValue f = mixture.evaluate(y);
          CHECK(previous <= f.cdf + 1e-12 && f.cdf <= 1);
          CHECK(f.density >= 0 && f.density < infinity);
          if (problem.image_mass(0) > 1e-290L)
            CHECK_CLOSE(f.cdf, problem.cdf_by_definition(y), 1e-8);
          previous = f.cdf;
        }
      }
    }
  }
}
