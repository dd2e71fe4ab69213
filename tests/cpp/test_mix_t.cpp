// Sums over t distributions by a table, against closed forms of the t with 1 and 2 degrees of
// freedom, and pieces of a table against the polynomials that it holds.
#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <vector>

#include "btg/compute/mix_t.hpp"
#include "btg/numerics/student_t.hpp"
#include "check.hpp"
#include "problems.hpp"

using btg::Four;
using btg_compute::TMixture;
using btg_compute::TTable;
using Eigen::VectorXd;
using problems::Long;
using problems::Random;

namespace {

const double infinity = std::numeric_limits<double>::infinity();
const double missing = std::numeric_limits<double>::quiet_NaN();
const Long pi = std::acos(-1.0L);

struct ClosedForm {
  double degrees_of_freedom;
  Long (*cdf)(Long x);
  Long (*density)(Long x);
};

const std::vector<ClosedForm> closed_forms{
    {1, [](Long x) { return 0.5L + std::atan(x) / pi; },
     [](Long x) { return 1 / (pi * (1 + x * x)); }},
    {2, [](Long x) { return 0.5L + x / (2 * std::sqrt(2 + x * x)); },
     [](Long x) { return 1 / std::pow(2 + x * x, 1.5L); }},
    {infinity, [](Long x) { return std::erfc(-x / std::sqrt(2.0L)) / 2; },
     [](Long x) { return std::exp(-x * x / 2) / std::sqrt(2 * pi); }}};

// The components of a mixture.
struct Components {
  VectorXd u, slope, location, inverse_scale, weight;

  explicit Components(int count)
      : u(VectorXd::Zero(count)),
        slope(VectorXd::Ones(count)),
        location(VectorXd::Zero(count)),
        inverse_scale(VectorXd::Ones(count)),
        weight(VectorXd::Constant(count, 1.0 / count)) {}

  int size() const { return static_cast<int>(u.size()); }
  Long argument(int i) const { return (Long(u[i]) - location[i]) * inverse_scale[i]; }
};

struct Mixed {
  TMixture sums;
  VectorXd x;
};

Mixed mix(const TTable& table, const Components& c) {
  Mixed result{{}, VectorXd::Constant(c.size(), missing)};
  result.sums = btg::mix_t(table, c.size(), c.u.data(), c.slope.data(), c.location.data(),
                           c.inverse_scale.data(), c.weight.data(), result.x.data());
  return result;
}

Components random_components(Random& random, int count) {
  Components c(count);
  c.u = random.matrix(count, 1, -3, 3);
  c.slope = random.matrix(count, 1, 0.1, 5);
  c.location = random.matrix(count, 1, -2, 2);
  c.inverse_scale = random.matrix(count, 1, 0.2, 1.5);
  c.weight = random.matrix(count, 1, 0, 1);
  return c;
}

}  // namespace

TEST("mixtures are the sums of closed forms") {
  Random random(1);
  for (const ClosedForm& t : closed_forms) {
    const btg::StudentT made(t.degrees_of_freedom);
    for (const int count : {1, 2, 3, 4, 5, 7, 8, 50}) {
      const Components c = random_components(random, count);
      const Mixed mixed = mix(made.table(), c);
      Long cdf = 0, survival = 0, density = 0;
      for (int i = 0; i < count; ++i) {
        const Long x = c.argument(i);
        CHECK_CLOSE(mixed.x[i], static_cast<double>(x), 1e-15);
        cdf += c.weight[i] * t.cdf(x);
        survival += c.weight[i] * t.cdf(-x);
        density += c.weight[i] * c.slope[i] * c.inverse_scale[i] * t.density(x);
      }
      CHECK(mixed.sums.far == 0);
      CHECK_CLOSE(mixed.sums.cdf, static_cast<double>(cdf), 1e-13);
      CHECK_CLOSE(mixed.sums.survival, static_cast<double>(survival), 1e-13);
      CHECK_CLOSE(mixed.sums.density, static_cast<double>(density), 1e-11);
    }
  }
}

// Of a function that is not a t at all.
TEST("a table is the polynomial of each piece") {
  Random random(2);
  const int pieces = 10;
  const VectorXd coefficients = random.matrix(TTable::order * pieces, 1);
  const TTable table{coefficients.data(), 4.0, pieces / 4.0};
  for (int trial = 0; trial < 200; ++trial) {
    const Four x = random.matrix(4, 1, 0, table.end * (1 - 1e-12)).array();
    const btg::FourTails actual = btg::tails_and_densities(table, x);
    for (int i = 0; i < 4; ++i) {
      const int piece = static_cast<int>(x[i] * 4);
      const Long r = Long(x[i]) * 4 - piece;
      Long value = 0, slope = 0;
      for (int k = TTable::order - 1; k >= 0; --k) {
        slope = slope * r + value;
        value = value * r + coefficients[TTable::order * piece + k];
      }
      CHECK_CLOSE(actual.tail[i], static_cast<double>(value), 1e-13);
      CHECK_CLOSE(actual.density[i], static_cast<double>(-4 * slope), 1e-12);
    }
  }
  // The first point of a piece is its constant.
  const btg::FourTails at_start = btg::tails_and_densities(table, Four(0, 0.25, 0.5, 2.25));
  CHECK(at_start.tail[0] == coefficients[0] && at_start.tail[1] == coefficients[8]);
  CHECK(at_start.tail[2] == coefficients[16] && at_start.tail[3] == coefficients[72]);
}

TEST("some of four values are read, and the rest are 0") {
  const double values[] = {1, 2, 3, 4, 5};
  CHECK((btg::load_four(values, 0) == Four(0, 0, 0, 0)).all());
  CHECK((btg::load_four(values, 1) == Four(1, 0, 0, 0)).all());
  CHECK((btg::load_four(values, 3) == Four(1, 2, 3, 0)).all());
  CHECK((btg::load_four(values, 4) == Four(1, 2, 3, 4)).all());
  CHECK((btg::load_four(values + 1, 9) == Four(2, 3, 4, 5)).all());
}

TEST("a number is positive or not") {
  const double least = std::numeric_limits<double>::min();
  CHECK((btg::is_positive(Four(-1, 0, -0.0, 2)) == Four(0, 0, 0, 1)).all());
  CHECK((btg::is_positive(Four(infinity, -infinity, 1e-16, -1e-16)) == Four(1, 0, 1, 0)).all());
  CHECK(btg::is_positive(Four::Constant(-least))[0] == 0.0);
}

TEST("components beyond the table are counted and left out") {
  const btg::StudentT t(1);
  const double end = t.table().end;
  for (const int count : {1, 3, 4, 6}) {
    for (const double beyond : {end, -end, 1e3, -1e300, infinity, -infinity}) {
      Components c(count);
      c.u.setConstant(0.5);
      c.u[count - 1] = beyond;
      const Mixed mixed = mix(t.table(), c);
      const double share = (count - 1.0) / count;
      CHECK(mixed.sums.far == 1 && mixed.x[count - 1] == beyond);
      CHECK_CLOSE(mixed.sums.cdf, share * static_cast<double>(closed_forms[0].cdf(0.5L)), 1e-13);
      CHECK_CLOSE(mixed.sums.cdf + mixed.sums.survival, share, 1e-13);
    }
  }
  Components all(5);
  all.u.setConstant(1e6);
  CHECK(mix(t.table(), all).sums.far == 5 && mix(t.table(), all).sums.cdf == 0.0);
  // Just inside.
  Components inside(1);
  inside.u[0] = end * (1 - 1e-14);
  CHECK(mix(t.table(), inside).sums.far == 0);
  CHECK_CLOSE(mix(t.table(), inside).sums.survival,
              static_cast<double>(closed_forms[0].cdf(-Long(inside.u[0]))), 1e-13);
}

TEST("a mixture of nothing is nothing") {
  const btg::StudentT t(2);
  const TMixture none = mix(t.table(), Components(0)).sums;
  CHECK(none.cdf == 0 && none.survival == 0 && none.density == 0 && none.far == 0);
}

TEST("at its location a component is one half") {
  const btg::StudentT t(2);
  Components c(3);
  c.location.setConstant(1.7);
  c.u.setConstant(1.7);
  const TMixture half = mix(t.table(), c).sums;
  CHECK_CLOSE(half.cdf, 0.5, 1e-15);
  CHECK_CLOSE(half.survival, 0.5, 1e-15);
  CHECK_CLOSE(half.density, std::pow(2, -1.5), 1e-13);
}

TEST("weights may be negative, or 0") {
  const btg::StudentT t(1);
  Components c(5);
  c.u << -1, 0, 1, 2, 3;
  c.weight << 1.5, -0.75, 0, 0.5, -0.25;
  Long cdf = 0;
  for (int i = 0; i < 5; ++i) cdf += c.weight[i] * closed_forms[0].cdf(c.u[i]);
  CHECK_CLOSE(mix(t.table(), c).sums.cdf, static_cast<double>(cdf), 1e-13);
}

TEST("what is not a number is noticed") {
  const btg::StudentT t(3);
  const auto far = [&](VectorXd Components::*which, double value) {
    Components c(6);
    (c.*which)[2] = value;
    return mix(t.table(), c).sums.far;
  };
  CHECK(far(&Components::weight, missing) == -1);
  // As NaN, or as a component that the caller has to evaluate itself.
  CHECK(far(&Components::u, missing) != 0);
  CHECK(far(&Components::location, missing) != 0);
  CHECK(far(&Components::inverse_scale, missing) != 0);
}

TEST("an infinite slope gives a density that is large, and a cdf all the same") {
  const btg::StudentT t(3);
  Components c(2);
  c.slope[0] = infinity;
  const TMixture steep = mix(t.table(), c).sums;
  CHECK(steep.far == 0 && steep.density > 1e290 && std::isfinite(steep.density));
  CHECK_CLOSE(steep.cdf, 0.5, 1e-15);
}
