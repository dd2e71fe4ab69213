// Each transform against its formula, written out in long double.
#include <cmath>
#include <limits>

#include "btg/transforms/registry.hpp"
#include "check.hpp"

using btg::find_transform;
using btg::Transform;

namespace {

const double infinity = std::numeric_limits<double>::infinity();

double gradient(const Transform& g, double y, double parameter) {
  double out;
  g.forward_gradient(y, &parameter, &out);
  return out;
}

}  // namespace

TEST("identity and affine") {
  const double lambda[] = {0.7, 2.5};
  CHECK(find_transform("identity").forward(1.25, nullptr) == 1.25);
  CHECK_CLOSE(find_transform("affine").forward(-1.5, lambda), 0.7 - 2.5 * 1.5, 1e-15);
  CHECK_CLOSE(find_transform("affine").log_derivative(-1.5, lambda), std::log(2.5), 1e-15);
}

TEST("arcsinh is log(t + sqrt(1 + t^2))") {
  const Transform& g = find_transform("arcsinh");
  const double lambda[] = {0.4, 0.3};
  for (double y : {-3.0, 0.1, 0.4, 2.0, 1e5}) {
    const long double t = (y - 0.4L) / 0.3L;
    const long double z = std::copysign(std::log(std::abs(t) + std::sqrt(1 + t * t)), t);
    CHECK_CLOSE(g.forward(y, lambda), static_cast<double>(z), 1e-14);
  }
}

TEST("sinharcsinh is (r^b e^-a - r^-b e^a) / 2, r = y + sqrt(1 + y^2)") {
  const Transform& g = find_transform("sinharcsinh");
  const double lambda[] = {0.4, 1.7};
  for (double y : {-3.0, -0.2, 0.0, 0.5, 20.0}) {
    const long double r = y + std::sqrt(1 + static_cast<long double>(y) * y);
    const long double power = std::pow(r, 1.7L) * std::exp(-0.4L);
    CHECK_CLOSE(g.forward(y, lambda), static_cast<double>((power - 1 / power) / 2), 1e-13);
  }
  const double neutral[] = {0, 1};
  CHECK_CLOSE(g.forward(2.25, neutral), 2.25, 1e-14);
}

TEST("sinharcsinh overflows to infinity, never to NaN, and its log derivative does not overflow") {
  const Transform& g = find_transform("sinharcsinh");
  const double steep[] = {0, 100};
  CHECK(g.forward(1e12, steep) == infinity);
  CHECK(g.forward(-1e12, steep) == -infinity);
  const double w = std::asinh(1e12);
  CHECK_CLOSE(g.log_derivative(1e12, steep), std::log(100.0) + 99 * w, 1e-13);
  const double shifted[] = {2000, 1};
  CHECK(g.forward(0, shifted) == -infinity);
  CHECK_CLOSE(g.log_derivative(0, shifted), 2000 - std::log(2.0), 1e-15);
}

TEST("sinharcsinh with a tiny b is nearly constant, with a steep inverse") {
  const Transform& g = find_transform("sinharcsinh");
  const double flat[] = {0.5, 1e-8};
  CHECK_CLOSE(g.forward(3, flat), std::sinh(-0.5), 1e-7);
  CHECK_CLOSE(g.log_derivative(0, flat), std::log(1e-8) + std::log(std::cosh(0.5)), 1e-14);
  CHECK(g.inverse(1, flat) == infinity);
  CHECK(g.inverse(-1, flat) == -infinity);
}

TEST("boxcox at simple powers") {
  const Transform& g = find_transform("boxcox");
  const double one = 1, two = 2, half = 0.5, zero = 0, minus = -1;
  CHECK_CLOSE(g.forward(3.5, &one), 2.5, 1e-15);
  CHECK_CLOSE(g.forward(3, &two), 4, 1e-15);
  CHECK_CLOSE(g.forward(9, &half), 4, 1e-15);
  CHECK_CLOSE(g.forward(9, &zero), std::log(9.0), 1e-15);
  CHECK_CLOSE(g.forward(4, &minus), 0.75, 1e-15);
  CHECK(g.image(&half).lower == -2 && g.image(&half).upper == infinity);
  CHECK(g.image(&minus).upper == 1 && g.image(&minus).lower == -infinity);
  CHECK(g.image(&zero).lower == -infinity && g.image(&zero).upper == infinity);
}

TEST("boxcox is smooth through lambda = 0") {
  const Transform& g = find_transform("boxcox");
  const double zero = 0;
  for (double y : {1e-12, 0.02, 1.0, 7.0, 1e12}) {
    const double u = std::log(y);
    CHECK_CLOSE(gradient(g, y, zero), u * u / 2, 1e-15);
    for (double lambda : {1e-300, 1e-16, 1e-9, -1e-9, 1e-6}) {
      const double series = u + lambda * u * u / 2 + lambda * lambda * u * u * u / 6;
      CHECK_CLOSE(g.forward(y, &lambda), series, 1e-13);
      CHECK_CLOSE(g.inverse(series, &lambda) / y, 1, 1e-12);
      CHECK_CLOSE(gradient(g, y, lambda),
                  u * u / 2 + lambda * u * u * u / 3 + lambda * lambda * u * u * u * u / 8, 1e-13);
    }
  }
}

TEST("the derivative of boxcox in lambda agrees on both sides of the switch to a series") {
  const Transform& g = find_transform("boxcox");
  const double y = std::exp(2.0);
  for (double lambda : {-1.5, -0.5 - 1e-13, -0.5 + 1e-13, 0.1, 0.5 - 1e-13, 0.5 + 1e-13, 2.0}) {
    const long double x = 2 * static_cast<long double>(lambda);
    const long double exact = 4 * (std::exp(x) * (x - 1) + 1) / (x * x);
    CHECK_CLOSE(gradient(g, y, lambda), static_cast<double>(exact), 1e-14);
  }
}

TEST("softplus is log(expm1(y / s)), for tiny and huge y") {
  const Transform& g = find_transform("softplus");
  const double s = 0.5;
  CHECK_CLOSE(g.forward(0.5, &s), std::log(std::exp(1.0) - 1), 1e-15);
  CHECK_CLOSE(g.forward(0.5e-12, &s), std::log(1e-12) + 0.5e-12, 1e-15);
  CHECK_CLOSE(g.forward(5e11, &s), 1e12, 1e-15);
  CHECK_CLOSE(g.inverse(g.forward(1e-12, &s), &s) / 1e-12, 1, 1e-13);
  CHECK_CLOSE(g.inverse(0, &s), 0.5 * std::log(2.0), 1e-15);
  CHECK_CLOSE(g.log_derivative(5e11, &s), std::log(2.0), 1e-15);
  CHECK_CLOSE(g.log_derivative(1e-12, &s), -std::log(1e-12), 1e-13);
}

TEST("logit is log(y / (1 - y)), and its inverse does not overflow") {
  const Transform& g = find_transform("logit");
  const double* none = nullptr;
  CHECK(g.domain(none).lower == 0);
  CHECK(g.domain(none).upper == 1);
  CHECK_CLOSE(g.forward(0.5, none), 0, 1e-15);
  CHECK_CLOSE(g.forward(0.8, none), std::log(4.0), 1e-15);
  CHECK_CLOSE(g.forward(1e-200, none), std::log(1e-200), 1e-12);
  CHECK(g.forward(1, none) == std::numeric_limits<double>::infinity());
  CHECK(g.forward(0, none) == -std::numeric_limits<double>::infinity());
  CHECK_CLOSE(g.inverse(std::log(4.0), none), 0.8, 1e-15);
  CHECK_CLOSE(g.inverse(-700, none) / std::exp(-700), 1, 1e-13);
  CHECK(g.inverse(800, none) == 1);
  CHECK(g.inverse(-800, none) == 0);
  CHECK_CLOSE(g.log_derivative(0.8, none), std::log(1 / 0.16), 1e-15);
  CHECK_CLOSE(g.log_derivative_slope(0.8, none), 0.6 / 0.16, 1e-14);
}

TEST("yeojohnson at simple powers") {
  const Transform& g = find_transform("yeojohnson");
  const double zero = 0, one = 1, two = 2, half = 0.5;
  for (double y : {-7.0, -0.3, 0.0, 0.4, 8.0}) CHECK_CLOSE(g.forward(y, &one), y, 1e-14);
  CHECK_CLOSE(g.forward(8, &half), 4, 1e-15);
  CHECK_CLOSE(g.forward(-3, &half), -(8 - 1) / 1.5, 1e-15);
  CHECK_CLOSE(g.forward(8, &zero), std::log(9.0), 1e-15);
  CHECK_CLOSE(g.forward(-3, &zero), -7.5, 1e-15);
  CHECK_CLOSE(g.forward(8, &two), 40, 1e-15);
  CHECK_CLOSE(g.forward(-3, &two), -std::log(4.0), 1e-15);
  const double outside = 2.5;
  CHECK(g.image(&outside).lower == -2);
}

TEST("yeojohnson is smooth through lambda = 0 and lambda = 2") {
  const Transform& g = find_transform("yeojohnson");
  for (double lambda : {-1e-9, 1e-9, 2 - 1e-9, 2 + 1e-9}) {
    const double limit = std::round(lambda), y = limit == 0 ? 6 : -6, u = std::log(7.0);
    CHECK_CLOSE(g.forward(y, &lambda), g.forward(y, &limit) + (lambda - limit) * u * u / 2, 1e-14);
    CHECK_CLOSE(gradient(g, y, limit), u * u / 2, 1e-14);
    CHECK_CLOSE(gradient(g, y, lambda), u * u / 2, 1e-8);
  }
}
