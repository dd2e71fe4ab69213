// Hyperparameters in the order of their roles: where each part of eta is, what is free, and the
// prior of the free ones.
#include <cmath>
#include <string>
#include <vector>

#include "btg/base/error.hpp"
#include "btg/model/hyperparameters.hpp"
#include "check.hpp"

using btg::Hyperparameter;
using btg::Hyperparameters;
using btg::Prior;
using btg::Role;
using btg::Scale;

namespace {

Hyperparameter fixed(const std::string& name, Role role, Scale scale = Scale::positive) {
  return {name, role, scale, std::nullopt, 1.0};
}

Hyperparameter free_one(const std::string& name, Role role, const btg::PriorSpec& prior,
                        Scale scale = Scale::positive) {
  return {name, role, scale, Prior(prior, scale), 1.0};
}

double normal_log_density(double x, double mean, double sd) {
  return -0.5 * std::pow((x - mean) / sd, 2) - std::log(sd * std::sqrt(2 * std::acos(-1.0)));
}

// Two lengthscales, no parameters of the kernel, a noise and three of the transform.
std::vector<Hyperparameter> example() {
  return {free_one("a", Role::length_scale, {"lognormal", {0.3, 0.8}}),
          fixed("b", Role::length_scale),
          free_one("noise", Role::noise, {"lognormal", {-1, 1}}),
          free_one("c", Role::transform, {"normal", {0.5, 2}}, Scale::real),
          fixed("d", Role::transform, Scale::real),
          free_one("e", Role::transform, {"uniform", {0, 4}}, Scale::real)};
}

}  // namespace

TEST("each role has its segment of eta, also if it is empty") {
  const Hyperparameters all(example());
  CHECK(all.size() == 6);
  CHECK(all[2].name == "noise" && all[2].role == Role::noise);
  const auto is = [&](Role role, int first, int count) {
    return all.segment(role).first == first && all.segment(role).count == count;
  };
  CHECK(is(Role::length_scale, 0, 2));
  CHECK(is(Role::kernel, 2, 0));
  CHECK(is(Role::noise, 2, 1));
  CHECK(is(Role::transform, 3, 3));
  CHECK(all.covariance_size() == 3);
  double eta[] = {1, 2, 3, 4, 5, 6};
  CHECK(*all.segment(Role::transform).of(eta) == 4);
  *all.segment(Role::noise).of(eta) = 7;
  CHECK(eta[2] == 7);
}

TEST("those with a prior are free") {
  const Hyperparameters all(example());
  CHECK(all[0].free() && !all[1].free());
  CHECK(all.free_count() == 4);
  CHECK(all.free_covariance_count() == 2);
}

TEST("the log prior is that of the free coordinates") {
  const Hyperparameters all(example());
  const double eta[] = {2, 55, 0.1, -0.7, 66, 3};
  const double expected = normal_log_density(std::log(2.0), 0.3, 0.8) +
                          normal_log_density(std::log(0.1), -1, 1) +
                          normal_log_density(-0.7, 0.5, 2) - std::log(4.0);
  CHECK_CLOSE(all.log_prior(eta), expected, 1e-12);
  const double outside[] = {2, 55, 0.1, -0.7, 66, 5};
  CHECK(all.log_prior(outside) == -INFINITY);
}

TEST("any other order of roles is an error") {
  for (std::size_t i = 0; i + 1 < example().size(); ++i) {
    std::vector<Hyperparameter> swapped = example();
    std::swap(swapped[i], swapped[i + 1]);
    if (swapped[i].role == swapped[i + 1].role) {
      CHECK(Hyperparameters(swapped)[static_cast<int>(i)].name == swapped[i].name);
    } else {
      CHECK_THROWS(Hyperparameters(swapped), btg::Error);
    }
  }
  CHECK_THROWS(Hyperparameters({fixed("alpha", Role::kernel), fixed("a", Role::length_scale)}),
               btg::Error);
}

TEST("there may be none") {
  const Hyperparameters none;
  CHECK(none.size() == 0 && none.free_count() == 0 && none.covariance_size() == 0);
  CHECK(none.log_prior(nullptr) == 0.0);
  CHECK(Hyperparameters(std::vector<Hyperparameter>()).segment(Role::transform).count == 0);
}
