// Compositions: order, chain rule, domains, names and redundant parameters.
#include <Eigen/Core>
#include <limits>
#include <string>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/transforms/compose.hpp"
#include "btg/transforms/registry.hpp"
#include "btg/transforms/transformed_response.hpp"
#include "check.hpp"
#include "tail_power.hpp"

using btg::compose;
using btg::Composition;
using btg::Interval;
using btg::Jet;
using btg::LayerParameter;
using Names = std::vector<std::string>;
using Lambda = std::vector<double>;

namespace {

const double infinity = std::numeric_limits<double>::infinity();

struct Example {
  Names names;
  Lambda lambda;
};

const std::vector<Example> examples{
    {{"identity"}, {}},
    {{"boxcox", "arcsinh"}, {0.4, 0.3, 0.8}},
    {{"boxcox", "arcsinh"}, {0.0, -0.3, 0.8}},
    {{"affine", "sinharcsinh"}, {-0.6, 1.7, 0.5, 1.4}},
    {{"softplus", "sinharcsinh"}, {0.7, -0.4, 0.6}},
    {{"affine", "boxcox"}, {0.1, 0.3, 1.3}},
    {{"affine", "boxcox"}, {0.1, 0.3, 0.0}},
    {{"arcsinh", "boxcox"}, {0.37, 0.6, 0.5}},
    {{"affine", "sinharcsinh", "boxcox"}, {0.7, 0.9, 1.1, 1.9, 0.3}},
    {{"softplus", "boxcox", "yeojohnson"}, {1.3, 0.8, 1.6}},
    {{"boxcox", "affine", "boxcox"}, {0.5, 0.9, 1.2, 0.7}},
    {{"sinharcsinh", "identity", "sinharcsinh"}, {0.3, 0.8, -0.5, 1.2}},
};

// Points from just inside the domain's lower end, or from -6, to 9.
std::vector<double> inside(const Interval& domain) {
  const double start = std::isfinite(domain.lower) ? domain.lower : -6;
  std::vector<double> ys;
  for (double step = 0.15; step < 9; step += 0.65) ys.push_back(start + step);
  return ys;
}

// Calls body(g, lambda, y) for every example and point.
template <class Body>
void for_each(Body body) {
  for (const Example& example : examples) {
    const Composition g = compose(example.names);
    const double* lambda = example.lambda.data();
    for (double y : inside(g.domain(lambda))) body(g, example.lambda, y);
  }
}

// Central difference of order h^6.
template <class F>
double difference(F f, double x, double h) {
  return (45 * (f(x + h) - f(x - h)) - 9 * (f(x + 2 * h) - f(x - 2 * h)) +
          (f(x + 3 * h) - f(x - 3 * h))) /
         (60 * h);
}

// The difference in lambda[j] of f(lambda).
template <class F>
double parameter_difference(F f, Lambda lambda, std::size_t j) {
  const auto along = [&](double value) {
    lambda[j] = value;
    return f(lambda.data());
  };
  return difference(along, lambda[j], 1e-3);
}

// The public names of the redundant parameters, separated by spaces.
std::string redundant(const Names& names, bool trend_has_constant = true) {
  std::string list;
  for (const LayerParameter& parameter : compose(names).parameters(trend_has_constant)) {
    if (parameter.redundant) list += (list.empty() ? "" : " ") + parameter.name();
  }
  return list;
}

}  // namespace

TEST("the first layer acts on y") {
  const double lambda[] = {0.5, 0.4, 1.5};
  CHECK_CLOSE(compose({"boxcox", "arcsinh"}).forward(4, lambda), std::asinh((2 - 0.4) / 1.5),
              1e-15);
  const double swapped[] = {0.4, 1.5, 0.5};
  CHECK_CLOSE(compose({"arcsinh", "boxcox"}).forward(4, swapped),
              2 * (std::sqrt(std::asinh(3.6 / 1.5)) - 1), 1e-14);
}

TEST("a composition of nothing is the identity, and one of one layer is that layer") {
  const Composition none;
  CHECK(none.size() == 0);
  CHECK(none.forward(1.25, nullptr) == 1.25 && none.inverse(1.25, nullptr) == 1.25);
  CHECK(none.domain(nullptr).lower == -infinity && none.image(nullptr).upper == infinity);
  const double lambda = 0.3;
  const btg::Transform& boxcox = btg::find_transform("boxcox");
  CHECK(check::rounded(compose({"boxcox"}).forward(2.5, &lambda)) ==
        check::rounded(boxcox.forward(2.5, &lambda)));
  CHECK(compose({"boxcox"}).image(&lambda).lower == boxcox.image(&lambda).lower);
}

TEST("an unknown layer is an error") { CHECK_THROWS(compose({"affine", "log"}), btg::Error); }

TEST("the inverse undoes g") {
  for_each([](const Composition& g, const Lambda& lambda, double y) {
    CHECK_CLOSE(g.inverse(g.forward(y, lambda.data()), lambda.data()), y, 1e-12);
  });
}

TEST("log_derivative is the log of the slope of g, and jet is both") {
  for_each([](const Composition& g, const Lambda& lambda, double y) {
    const auto forward = [&](double at) { return g.forward(at, lambda.data()); };
    const double log_derivative = g.log_derivative(y, lambda.data());
    CHECK_CLOSE(log_derivative, std::log(difference(forward, y, 1e-3)), 1e-8);
    const Jet jet = g.jet(y, lambda.data());
    CHECK_CLOSE(jet.value, forward(y), 1e-14);
    CHECK_CLOSE(jet.log_derivative, log_derivative, 1e-14);
  });
}

TEST("advance is jet for many nodes at once") {
  for (const Example& example : examples) {
    const Composition g = compose(example.names);
    Eigen::MatrixXd lambda(g.size(), 3);
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < g.size(); ++k) lambda(k, j) = example.lambda[k] * (1 + 0.05 * j);
    }
    const Eigen::VectorXd start = Eigen::Vector3d(1, 2, 0.5);
    const double y = g.domain(lambda.col(0).data()).lower > 0 ? 4.2 : 1.7;
    Eigen::VectorXd value = Eigen::VectorXd::Constant(3, y), slope = start;
    g.advance(3, lambda.data(), value.data(), slope.data());
    for (int j = 0; j < 3; ++j) {
      const Jet jet = g.jet(y, lambda.col(j).data());
      CHECK_CLOSE(value[j], jet.value, 1e-13);
      CHECK_CLOSE(slope[j] / (start[j] * std::exp(jet.log_derivative)), 1, 1e-12);
    }
  }
}

TEST("tail_power is how fast the inverse grows") {
  for (const Example& example : examples) {
    for (bool upper : {false, true}) {
      check::check_tail_power(compose(example.names), example.lambda.data(), upper);
    }
  }
  const double lambda[] = {0.5, 0.9, 1.2, 0.7};
  CHECK_CLOSE(compose({"boxcox", "affine", "boxcox"}).tail_power(lambda, true), 1 / 0.35, 1e-12);
}

TEST("the gradients are the differences in each parameter") {
  for_each([](const Composition& g, const Lambda& lambda, double y) {
    Lambda forward(lambda.size()), log_derivative(lambda.size());
    g.forward_gradient(y, lambda.data(), forward.data());
    g.log_derivative_gradient(y, lambda.data(), log_derivative.data());
    const auto value = [&](const double* at) { return g.forward(y, at); };
    const auto log_slope = [&](const double* at) { return g.log_derivative(y, at); };
    for (std::size_t j = 0; j < lambda.size(); ++j) {
      CHECK_CLOSE(forward[j], parameter_difference(value, lambda, j), 1e-8);
      CHECK_CLOSE(log_derivative[j], parameter_difference(log_slope, lambda, j), 1e-8);
    }
  });
}

TEST("the domain is pulled back through every layer") {
  const double affine_boxcox[] = {0.6, 2, 0.5};
  CHECK_CLOSE(compose({"affine", "boxcox"}).domain(affine_boxcox).lower, -0.3, 1e-15);
  const double arcsinh_boxcox[] = {0.37, 0.6, 0.5};
  CHECK_CLOSE(compose({"arcsinh", "boxcox"}).domain(arcsinh_boxcox).lower, 0.37, 1e-15);
  // -3 + 2 u > 0 needs u = 2 (sqrt(y) - 1) > 1.5, so sqrt(y) > 1.75,
  const double three[] = {0.5, -3, 2, 0.7};
  CHECK_CLOSE(compose({"boxcox", "affine", "boxcox"}).domain(three).lower, 1.75 * 1.75, 1e-14);
  // while 5 + 2 u > 1 for every positive y.
  const double positive[] = {0.5, 5, 2, 0.7};
  CHECK(compose({"boxcox", "affine", "boxcox"}).domain(positive).lower == 0);
}

TEST("the image is pushed through every layer") {
  const double boxcox_arcsinh[] = {0.5, 0, 1};
  const Composition outer_arcsinh = compose({"boxcox", "arcsinh"});
  CHECK_CLOSE(outer_arcsinh.image(boxcox_arcsinh).lower, std::asinh(-2), 1e-15);
  CHECK(outer_arcsinh.image(boxcox_arcsinh).upper == infinity);
  const double three[] = {0.5, -3, 2, 0.7};
  CHECK(compose({"boxcox", "affine", "boxcox"}).image(three).lower == -1 / 0.7);
  // 5 - 2 * 2 = 1 is where y = 0 arrives at the last layer.
  const double positive[] = {0.5, 5, 2, 0.7};
  CHECK(compose({"boxcox", "affine", "boxcox"}).image(positive).lower == 0);
}

TEST("inside its domain g is in its image, outside it is NaN") {
  for (const Example& example : examples) {
    const Composition g = compose(example.names);
    const double* lambda = example.lambda.data();
    const Interval domain = g.domain(lambda), image = g.image(lambda);
    for (double y : inside(domain)) CHECK(image.contains(g.forward(y, lambda)));
    if (std::isfinite(domain.lower)) CHECK(std::isnan(g.forward(domain.lower - 1e-6, lambda)));
    CHECK(g.inverse(-infinity, lambda) <= domain.lower);
    CHECK(g.inverse(infinity, lambda) == domain.upper);
    CHECK_CLOSE(g.inverse(image.lower, lambda), domain.lower, 1e-15);
  }
}

TEST("rounding never makes g NaN at or near an end of its domain") {
  const Composition g = compose({"affine", "sinharcsinh", "boxcox"});
  for (int i = 0; i < 1000; ++i) {
    const double lambda[] = {std::sin(i), 0.1 + 0.013 * i, 3 * std::cos(i), 0.2 + 0.003 * i, 0.4};
    double y = g.domain(lambda).lower;
    CHECK_CLOSE(y, (std::sinh(lambda[2] / lambda[3]) - lambda[0]) / lambda[1], 1e-12);
    for (int ulp = 0; ulp < 20; ++ulp, y = std::nextafter(y, infinity)) {
      CHECK(!std::isnan(g.forward(y, lambda)));
    }
  }
}

TEST("an empty domain contains nothing") {
  // boxcox below 1/2, minus 9, is never positive.
  const double lambda[] = {-2, -9, 1, 1};
  const Interval domain = compose({"boxcox", "affine", "boxcox"}).domain(lambda);
  for (double y : {-1.0, 0.0, 1e-5, 1.0, 1e5}) CHECK(!domain.contains(y));
}

TEST("parameters are named by their layer, a repeated layer by its number") {
  const Composition g = compose({"sinharcsinh", "affine", "boxcox", "sinharcsinh"});
  const std::vector<LayerParameter> parameters = g.parameters(true);
  const Names expected{"sinharcsinh.a", "sinharcsinh.b",  "affine.a",      "affine.b",
                       "boxcox.lambda", "sinharcsinh2.a", "sinharcsinh2.b"};
  CHECK(g.size() == 7);
  CHECK(parameters.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(parameters[i].name() == expected[i]);
  CHECK(parameters[4].parameter.name == "lambda");
}

TEST("an outer affine layer is redundant, its shift only beside a constant trend") {
  CHECK(redundant({"affine"}) == "affine.a affine.b");
  CHECK(redundant({"affine"}, false) == "affine.b");
  CHECK(redundant({"sinharcsinh", "affine"}) == "affine.a affine.b");
  CHECK(redundant({"affine", "affine"}) == "affine.a affine.b affine2.a affine2.b");
  CHECK(redundant({"affine", "identity"}) == "affine.a affine.b");
}

TEST("an inner affine layer is redundant as far as the next layers undo it") {
  CHECK(redundant({"affine", "sinharcsinh"}) == "");
  CHECK(redundant({"affine", "yeojohnson"}) == "");
  CHECK(redundant({"affine", "arcsinh"}) == "affine.a affine.b");
  CHECK(redundant({"affine", "softplus"}) == "affine.b");
  CHECK(redundant({"affine", "boxcox"}) == "affine.b");
  CHECK(redundant({"affine", "boxcox"}, false) == "");
  CHECK(redundant({"affine", "boxcox", "sinharcsinh"}) == "");
  CHECK(redundant({"affine", "boxcox", "arcsinh"}) == "affine.b");
}

TEST("a redundant parameter only makes an affine change that the layers after it undo") {
  // boxcox(b y) = b^lambda boxcox(y) + boxcox(b), and arcsinh(a + b y) moves c and d.
  const double b = 2.5, scaled[] = {0, b, 0.6}, plain[] = {0, 1, 0.6}, lambda = 0.6;
  const Composition g = compose({"affine", "boxcox"});
  const double shift = compose({"boxcox"}).forward(b, &lambda);
  CHECK_CLOSE(g.forward(3.3, scaled), std::pow(b, 0.6) * g.forward(3.3, plain) + shift, 1e-14);
  const double moved[] = {0.7, b, 0.3, 1.2}, same[] = {0, 1, (0.3 - 0.7) / b, 1.2 / b};
  const Composition h = compose({"affine", "arcsinh"});
  CHECK_CLOSE(h.forward(3.3, moved), h.forward(3.3, same), 1e-14);
}

TEST("a transformed response is the sum over its points") {
  for (const Example& example : examples) {
    const Composition g = compose(example.names);
    const double* lambda = example.lambda.data();
    const std::vector<double> ys = inside(g.domain(lambda));
    const Eigen::Map<const Eigen::VectorXd> y(ys.data(), ys.size());
    const btg::TransformedResponse plain = btg::transform_response(g, y, lambda);
    const btg::TransformedResponseGradient full = btg::transform_response_gradient(g, y, lambda);
    for (int i = 0; i < y.size(); ++i) CHECK_CLOSE(plain.z[i], full.z[i], 1e-14);
    CHECK_CLOSE(plain.log_jacobian, full.log_jacobian, 1e-13);
    CHECK(full.z_gradient.rows() == y.size() && full.z_gradient.cols() == g.size());

    double log_jacobian = 0;
    Lambda forward(g.size()), log_derivative(g.size()), total(g.size(), 0.0);
    for (std::size_t i = 0; i < ys.size(); ++i) {
      CHECK(full.z[i] == check::rounded(g.forward(ys[i], lambda)));
      log_jacobian += g.log_derivative(ys[i], lambda);
      g.forward_gradient(ys[i], lambda, forward.data());
      g.log_derivative_gradient(ys[i], lambda, log_derivative.data());
      for (int j = 0; j < g.size(); ++j) {
        CHECK(full.z_gradient(i, j) == forward[j]);
        total[j] += log_derivative[j];
      }
    }
    CHECK_CLOSE(full.log_jacobian, log_jacobian, 1e-14);
    for (int j = 0; j < g.size(); ++j) CHECK_CLOSE(full.log_jacobian_gradient[j], total[j], 1e-14);
  }
}
