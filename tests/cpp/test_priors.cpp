// Every registered prior family: normalised, and mapped from a standard normal.
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/priors/prior.hpp"
#include "btg/priors/registry.hpp"
#include "check.hpp"
#include "problems.hpp"

using btg::family_registry;
using btg::FamilyEntry;
using btg::Prior;
using btg::PriorSpec;
using btg::Scale;

namespace {

const double infinity = std::numeric_limits<double>::infinity();
const double epsilon = std::numeric_limits<double>::epsilon();

double normal_cdf(double u) { return 0.5 * std::erfc(-u / std::sqrt(2.0)); }

// The normal mass between two points on the same side of 0.
double normal_mass(double a, double b) {
  return a < 0 ? normal_cdf(b) - normal_cdf(a) : normal_cdf(-a) - normal_cdf(-b);
}

struct Named {
  PriorSpec spec;
  Scale scale;
  bool truncated;  // by its bounds, or by 0 on the positive scale
  Prior prior() const { return Prior(spec, scale); }
};

// Each family with two sets of arguments, on both scales, without bounds, with one of
// them and with both.
std::vector<Named> all_priors() {
  std::vector<Named> all;
  for (const FamilyEntry& family : family_registry()) {
    for (double shift : {0.0, 1.2}) {
      PriorSpec spec{family.name, {}};
      for (std::size_t i = 0; i < family.arguments.size(); ++i) {
        spec.arguments.push_back(family.positive[i] ? 0.8 + shift : (i == 0 ? -0.4 : 1.9) + shift);
      }
      for (Scale scale : {Scale::real, Scale::positive}) {
        const bool at_zero = scale == Scale::positive && btg::make_family(spec)->cdf(0.0) > 0;
        all.push_back({spec, scale, at_zero});
        const Prior untruncated(spec, scale);
        const double low = btg::from_coordinate(untruncated.from_normal(-0.8), scale);
        const double high = btg::from_coordinate(untruncated.from_normal(1.1), scale);
        for (const auto& [lower, upper] : std::vector<std::pair<double, double>>{
                 {low, infinity}, {-infinity, high}, {low, high}, {high, infinity}}) {
          all.push_back({{spec.family, spec.arguments, lower, upper}, scale, true});
        }
      }
    }
  }
  return all;
}

// The prior mass between two coordinates, over their asinh, in which all tails are short.
double mass(const Prior& prior, double a, double b, unsigned depth) {
  const auto density = [&](double v) {
    return std::exp(prior.log_density(std::sinh(v))) * std::cosh(v);
  };
  return boost::math::quadrature::gauss_kronrod<double, 31>::integrate(density, std::asinh(a),
                                                                       std::asinh(b), depth, 1e-9);
}

std::string kind_of_error(const PriorSpec& spec, Scale scale = Scale::real) {
  try {
    Prior prior(spec, scale);
  } catch (const btg::Error& error) {
    return error.kind;
  }
  return "";
}

}  // namespace

TEST("the densities are those of R") {
  struct Value {
    const char* family;
    std::vector<double> arguments;
    double density;  // at 1.3
  };
  const std::vector<Value> values{
      {"normal", {0.4, 0.8}, 0.2648458072196243},
      {"lognormal", {0.4, 0.8}, 0.3779630155933262},
      {"uniform", {0.4, 3.9}, 1 / 3.5},
      {"loguniform", {0.1, 1.9}, 1 / (1.3 * 1.8)},
      {"half_normal", {0.8}, 0.2663456703264627},  // 2 dnorm(1.3, 0, 0.8)
      {"exponential", {0.8}, 0.2827637455670241},
      {"gamma", {0.8, 3}, 0.03973023873021336},
      {"inverse_gamma", {0.8, 3}, 0.128334154946923},       // dgamma(1 / 1.3, 0.8, 3) / 1.3^2
      {"beta_prime", {0.8, 3}, 0.08074880063251626},        // dbeta(1.3 / 2.3, 0.8, 3) / 2.3^2
      {"student_t", {3.5, 0.4, 0.8}, 0.232044081096504},    // dt(0.9 / 0.8, 3.5) / 0.8
      {"half_student_t", {3.5, 0.8}, 0.2623565376944614}};  // 2 dt(1.3 / 0.8, 3.5) / 0.8
  CHECK(values.size() == family_registry().size());
  for (const Value& value : values) {
    const PriorSpec spec{value.family, value.arguments};
    CHECK_CLOSE(Prior(spec, Scale::real).log_density(1.3), std::log(value.density), 1e-13);
    CHECK_CLOSE(Prior(spec, Scale::positive).log_density(std::log(1.3)) -
                    Prior({value.family, value.arguments, 0.0}, Scale::real).log_density(1.3),
                std::log(1.3), 1e-13);
  }
}

TEST("between the images of two normal points lies the normal mass") {
  for (const Named& named : all_priors()) {
    const Prior prior = named.prior();
    for (double u = -6; u < 6; u += 0.5) {
      const double a = prior.from_normal(u), b = prior.from_normal(u + 0.5);
      CHECK(a < b);
      const double expected = normal_mass(u, u + 0.5);
      const double rounding =
          4 * epsilon * (std::abs(a) + std::abs(b)) * std::exp(prior.log_density(a)) +
          (named.truncated ? 1e-13 : 0.0);
      check::report(std::abs(mass(prior, a, b, 2) - expected) <= 1e-8 * expected + rounding,
                    __FILE__, __LINE__, named.spec.family + " at u = " + std::to_string(u));
    }
  }
}

TEST("and no mass lies beyond") {
  for (const Named& named : all_priors()) {
    const Prior prior = named.prior();
    const double reach = named.scale == Scale::positive ? 300.0 : 1e25;
    const double lower = mass(prior, -reach, prior.from_normal(-6.5), 5);
    const double upper = mass(prior, prior.from_normal(6.5), reach, 5);
    check::report(lower < 1e-6 && upper < 1e-6, __FILE__, __LINE__,
                  named.spec.family + ": mass beyond the tails " + std::to_string(lower) + ", " +
                      std::to_string(upper));
  }
}

TEST("the bounds hold") {
  for (const Named& named : all_priors()) {
    const Prior prior = named.prior();
    for (double bound : {named.spec.lower, named.spec.upper}) {
      if (!std::isfinite(bound)) continue;
      const double c = btg::to_coordinate(bound, named.scale);
      const double outward = bound == named.spec.lower ? -1 : 1;
      CHECK(prior.log_density(c + outward * 1e-9) == -infinity);
      CHECK(prior.log_density(c + outward * 5) == -infinity);
      CHECK(std::isfinite(prior.log_density(c - outward * 1e-9)));
      CHECK(outward * (c - prior.from_normal(outward * 8)) >= -1e-14);
      CHECK_CLOSE(prior.from_normal(outward * 8), c, 1e-6);
    }
  }
}

TEST("the slope of from_normal is its difference") {
  for (const Named& named : all_priors()) {
    const Prior prior = named.prior();
    for (double u : {-3.0, -1.0, -1e-3, 0.0, 1e-3, 0.7, 2.5}) {
      const double slope =
          problems::difference([&](double at) { return prior.from_normal(at); }, u, 0.01);
      CHECK_CLOSE(prior.from_normal_slope(u, prior.from_normal(u)) / slope, 1, 1e-7);
    }
  }
}

TEST("an improper specification is an error") {
  for (const FamilyEntry& family : family_registry()) {
    const std::size_t count = family.arguments.size();
    std::vector<double> good;
    for (std::size_t i = 0; i < count; ++i) good.push_back(1.0 + double(i));
    CHECK(kind_of_error({family.name, good}) == "");
    CHECK(kind_of_error({family.name, {}}) == "prior");
    CHECK(kind_of_error({family.name, std::vector<double>(count + 1, 1.0)}) == "prior");
    for (std::size_t i = 0; i < count; ++i) {
      for (double value : {infinity, -infinity, std::nan(""), 0.0, -1.0}) {
        if (std::isfinite(value) && !family.positive[i]) continue;
        std::vector<double> bad = good;
        bad[i] = value;
        CHECK(kind_of_error({family.name, bad}) == "prior");
      }
    }
    const double median = Prior({family.name, good}, Scale::positive).from_normal(0);
    const double at = std::exp(median);
    CHECK(kind_of_error({family.name, good, at * 1.1, at}) == "prior");
    CHECK(kind_of_error({family.name, good, at, at}) == "prior");
    CHECK(kind_of_error({family.name, good, -infinity, -1}, Scale::positive) == "prior");
  }
  CHECK(kind_of_error({"gaussian", {0, 1}}) == "prior");
  CHECK(kind_of_error({"", {}}) == "prior");
}

TEST("an interval needs a length") {
  for (const char* family : {"uniform", "loguniform"}) {
    CHECK(kind_of_error({family, {2, 1}}) == "prior");
    CHECK(kind_of_error({family, {1, 1}}) == "prior");
    CHECK(kind_of_error({family, {1, 2}}, Scale::positive) == "");
  }
}
