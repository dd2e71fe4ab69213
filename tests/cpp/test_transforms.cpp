// Every registered transform keeps the contract of transform.hpp.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/transforms/registry.hpp"
#include "check.hpp"
#include "tail_power.hpp"

using btg::find_transform;
using btg::Interval;
using btg::Parameter;
using btg::Scale;
using btg::Transform;
using btg::transform_registry;
using Lambda = std::vector<double>;

namespace {

const double infinity = std::numeric_limits<double>::infinity();
const double epsilon = std::numeric_limits<double>::epsilon();

// All combinations of plain, special and out-of-prior values.
std::vector<Lambda> settings(const Transform& g) {
  std::vector<Lambda> all{{}};
  for (const Parameter& parameter : g.parameters()) {
    const Lambda values = parameter.scale == Scale::positive
                              ? Lambda{0.15, 1, 3}
                              : Lambda{-0.6, 0, 1e-9, 0.5, 1, 2 - 1e-9, 2, 2.4};
    std::vector<Lambda> extended;
    for (const Lambda& lambda : all) {
      for (double value : values) {
        extended.push_back(lambda);
        extended.back().push_back(value);
      }
    }
    all = extended;
  }
  return all;
}

std::vector<double> inside(const Interval& domain, const std::vector<double>& magnitudes) {
  std::vector<double> ys;
  for (auto y = magnitudes.rbegin(); y != magnitudes.rend(); ++y) ys.push_back(-*y);
  ys.insert(ys.end(), magnitudes.begin(), magnitudes.end());
  std::vector<double> kept;
  for (double y : ys) {
    if (domain.contains(y)) kept.push_back(y);
  }
  return kept;
}

const std::vector<double> moderate{0.05, 0.33, 0.71, 1.0, 2.6, 5.3, 9.7};
const std::vector<double> wide{1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.5, 1,
                               2,     10,   100,  1e3,  1e6, 1e9, 1e12};

// Calls body(g, lambda, y) for every transform, setting and y of these magnitudes.
template <class Body>
void for_each(const std::vector<double>& magnitudes, Body body) {
  for (const Transform* g : transform_registry()) {
    for (const Lambda& lambda : settings(*g)) {
      for (double y : inside(g->domain(lambda.data()), magnitudes)) body(*g, lambda, y);
    }
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
double parameter_difference(F f, Lambda lambda, std::size_t j, Scale scale) {
  const double h = scale == Scale::positive ? 0.002 * lambda[j] : 0.001;
  const auto along = [&](double value) {
    lambda[j] = value;
    return f(lambda.data());
  };
  return difference(along, lambda[j], h);
}

}  // namespace

TEST("the registry lists the transforms in order and finds each by name") {
  const std::vector<std::string> names{"identity", "affine",   "arcsinh",    "sinharcsinh",
                                       "boxcox",   "softplus", "yeojohnson", "logit"};
  CHECK(transform_registry().size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(transform_registry()[i]->name() == names[i]);
    CHECK(&find_transform(names[i]) == transform_registry()[i]);
  }
}

TEST("an unknown name is an error that lists the valid ones") {
  CHECK_THROWS(find_transform("box-cox"), btg::Error);
  try {
    find_transform("box-cox");
  } catch (const btg::Error& error) {
    const std::string message = error.what();
    CHECK(error.kind == "transform");
    CHECK(message.find("\"box-cox\"") != std::string::npos);
    for (const Transform* g : transform_registry()) {
      CHECK(message.find("\"" + g->name() + "\"") != std::string::npos);
    }
  }
}

TEST("a neutral value is inside the bounds of its prior") {
  for (const Transform* g : transform_registry()) {
    for (const Parameter& parameter : g->parameters()) {
      CHECK(parameter.default_prior.lower < parameter.neutral);
      CHECK(parameter.neutral < parameter.default_prior.upper);
    }
  }
}

TEST("g is strictly increasing, and over many magnitudes never decreasing") {
  for (const Transform* g : transform_registry()) {
    for (const Lambda& lambda : settings(*g)) {
      double previous = -infinity;
      for (double y : inside(g->domain(lambda.data()), moderate)) {
        const double z = g->forward(y, lambda.data());
        CHECK(previous < z);
        previous = z;
      }
      previous = -infinity;
      for (double y : inside(g->domain(lambda.data()), wide)) {
        const double z = g->forward(y, lambda.data());
        CHECK(previous <= z);
        previous = z;
      }
    }
  }
}

TEST("the inverse undoes g, up to the rounding of z where g is flat") {
  int sharp = 0, total = 0;
  for_each(wide, [&](const Transform& g, const Lambda& lambda, double y) {
    const double z = g.forward(y, lambda.data());
    const double rounding =
        16 * epsilon * std::abs(z) * std::exp(-g.log_derivative(y, lambda.data()));
    const double error = std::abs(g.inverse(z, lambda.data()) - y);
    CHECK(error <= 1e-12 * std::abs(y) + rounding);
    ++total;
    if (rounding < 1e-10 * std::abs(y)) ++sharp;
  });
  CHECK(sharp > total / 2);
}

TEST("g of a neutral setting round trips to 1e-10 at all magnitudes") {
  for (const char* name : {"identity", "affine", "arcsinh", "sinharcsinh", "yeojohnson"}) {
    const Transform& g = find_transform(name);
    Lambda lambda;
    for (const Parameter& parameter : g.parameters()) lambda.push_back(parameter.neutral);
    for (double y : inside(g.domain(lambda.data()), wide)) {
      CHECK_CLOSE(g.inverse(g.forward(y, lambda.data()), lambda.data()) / y, 1, 1e-10);
    }
  }
}

TEST("log_derivative is the log of the slope of g") {
  for_each(moderate, [](const Transform& g, const Lambda& lambda, double y) {
    const auto forward = [&](double at) { return g.forward(at, lambda.data()); };
    const double slope = difference(forward, y, 0.003 * std::abs(y));
    CHECK_CLOSE(g.log_derivative(y, lambda.data()), std::log(slope), 1e-8);
  });
}

TEST("log_derivative_slope is the slope of log_derivative") {
  for_each(moderate, [](const Transform& g, const Lambda& lambda, double y) {
    const auto log_derivative = [&](double at) { return g.log_derivative(at, lambda.data()); };
    const double slope = difference(log_derivative, y, 0.003 * std::abs(y));
    CHECK_CLOSE(g.log_derivative_slope(y, lambda.data()), slope, 1e-8);
  });
}

TEST("advance is jet for many parameters at once, and multiplies the slope") {
  for (const Transform* g : transform_registry()) {
    const std::vector<Lambda> all = settings(*g);
    const int stride = static_cast<int>(g->parameters().size()) + 1;
    Lambda lambda(all.size() * stride, std::nan(""));
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::copy(all[i].begin(), all[i].end(), lambda.begin() + i * stride);
    }
    for (double y : inside(g->domain(all[0].data()), moderate)) {
      std::vector<double> value(all.size(), y), slope(all.size());
      for (std::size_t i = 0; i < all.size(); ++i) slope[i] = 0.1 + i;
      g->advance(static_cast<int>(all.size()), lambda.data(), stride, value.data(), slope.data());
      for (std::size_t i = 0; i < all.size(); ++i) {
        const btg::Jet jet = g->jet(y, all[i].data());
        CHECK_CLOSE(value[i], jet.value, 1e-13);
        CHECK_CLOSE(slope[i] / ((0.1 + i) * std::exp(jet.log_derivative)), 1, 1e-12);
      }
    }
  }
}

TEST("advance takes each y with its own parameters") {
  for (const Transform* g : transform_registry()) {
    const std::vector<Lambda> all = settings(*g);
    std::vector<double> value{0.3, 0.3, 0.8}, slope{1, 1, 1};
    Lambda lambda;
    for (int i = 0; i < 3; ++i) {
      const Lambda& mine = all[i % all.size()];
      lambda.insert(lambda.end(), mine.begin(), mine.end());
    }
    const int stride = static_cast<int>(g->parameters().size());
    g->advance(3, lambda.data(), stride, value.data(), slope.data());
    for (int i = 0; i < 3; ++i) {
      CHECK_CLOSE(value[i], g->forward(i < 2 ? 0.3 : 0.8, all[i % all.size()].data()), 1e-13);
    }
  }
}

TEST("tail_power is how fast the inverse grows") {
  for (const Transform* g : transform_registry()) {
    for (const Lambda& lambda : settings(*g)) {
      for (bool upper : {false, true}) check::check_tail_power(*g, lambda.data(), upper);
    }
  }
}

TEST("the gradients are the differences in each parameter") {
  for_each(moderate, [](const Transform& g, const Lambda& lambda, double y) {
    const std::vector<Parameter> parameters = g.parameters();
    Lambda forward(lambda.size()), log_derivative(lambda.size());
    g.forward_gradient(y, lambda.data(), forward.data());
    g.log_derivative_gradient(y, lambda.data(), log_derivative.data());
    const auto value = [&](const double* at) { return g.forward(y, at); };
    const auto log_slope = [&](const double* at) { return g.log_derivative(y, at); };
    for (std::size_t j = 0; j < lambda.size(); ++j) {
      const Scale scale = parameters[j].scale;
      CHECK_CLOSE(forward[j], parameter_difference(value, lambda, j, scale), 1e-8);
      CHECK_CLOSE(log_derivative[j], parameter_difference(log_slope, lambda, j, scale), 1e-8);
    }
  });
}

TEST("the ends of domain and image are each other's limits") {
  for (const Transform* g : transform_registry()) {
    for (const Lambda& lambda : settings(*g)) {
      const Interval domain = g->domain(lambda.data()), image = g->image(lambda.data());
      CHECK(check::rounded(g->forward(domain.lower, lambda.data())) == image.lower);
      CHECK(check::rounded(g->forward(domain.upper, lambda.data())) == image.upper);
      CHECK(check::rounded(g->inverse(image.lower, lambda.data())) == domain.lower);
      CHECK(check::rounded(g->inverse(image.upper, lambda.data())) == domain.upper);
    }
  }
}

TEST("beyond its image the inverse stays at the end of the domain") {
  for (const Transform* g : transform_registry()) {
    for (const Lambda& lambda : settings(*g)) {
      const Interval domain = g->domain(lambda.data()), image = g->image(lambda.data());
      CHECK(g->inverse(-infinity, lambda.data()) == domain.lower);
      CHECK(g->inverse(infinity, lambda.data()) == domain.upper);
      CHECK(g->inverse(image.lower - 1, lambda.data()) == domain.lower);
      CHECK(g->inverse(image.upper + 1, lambda.data()) == domain.upper);
    }
  }
}

TEST("outside the closed domain g is NaN, and so is g of NaN") {
  for (const Transform* g : transform_registry()) {
    for (const Lambda& lambda : settings(*g)) {
      const Interval domain = g->domain(lambda.data());
      CHECK(std::isnan(g->forward(std::nan(""), lambda.data())));
      for (double y : inside({}, wide)) {
        const bool defined = !std::isnan(g->forward(y, lambda.data()));
        CHECK(defined == (domain.lower <= y && y <= domain.upper));
      }
    }
  }
}

TEST("the image contains g(y)") {
  for_each(moderate, [](const Transform& g, const Lambda& lambda, double y) {
    CHECK(g.image(lambda.data()).contains(g.forward(y, lambda.data())));
  });
  for_each(wide, [](const Transform& g, const Lambda& lambda, double y) {
    const double z = g.forward(y, lambda.data());
    const Interval image = g.image(lambda.data());
    CHECK(image.lower <= z && z <= image.upper);
  });
}

TEST("nothing but saturation happens at extreme y") {
  const std::vector<double> extreme{1e-300, 1e-100, 1e100, 1e300};
  for_each(extreme, [](const Transform& g, const Lambda& lambda, double y) {
    CHECK(!std::isnan(g.forward(y, lambda.data())));
    CHECK(std::isfinite(g.log_derivative(y, lambda.data())));
    CHECK(!std::isnan(g.log_derivative_slope(y, lambda.data())));
    Lambda gradient(lambda.size());
    g.forward_gradient(y, lambda.data(), gradient.data());
    for (double value : gradient) CHECK(!std::isnan(value));
    g.log_derivative_gradient(y, lambda.data(), gradient.data());
    for (double value : gradient) CHECK(std::isfinite(value));
  });
}
