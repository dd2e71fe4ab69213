// Sums of terms: their closed forms, and derivatives against differences.
#include <cmath>
#include <string>
#include <vector>

#include "btg/backend/compute_eigen.hpp"
#include "btg/factor/covariance.hpp"
#include "btg/model/model.hpp"
#include "check.hpp"
#include "random_model.hpp"

using btg::Covariance;
using btg::Form;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Random;
using problems::RandomModel;
using problems::TermPlan;

namespace {

double matern52(double r) {
  const double s = std::sqrt(5.0) * r;
  return (1 + s + s * s / 3) * std::exp(-s);
}

// Every form and groups, with inputs of one and of two columns.
const std::vector<std::vector<TermPlan>> plans = {
    {{Form::radial, 2, 0, 1}, {Form::additive, 3, 0, 1}},
    {{Form::additive, 3, 4, 4, {2, 3}}, {Form::product, 3, 0, 0, {1, 3}}, {Form::linear, 2, 0, 0}},
    {{Form::constant, 0, 3, 0}, {Form::linear, 1, 3, 0}, {Form::radial, 1, 3, 2}},
    {{Form::linear, 3, 0, 0}},
    {{Form::radial, 3, 0, 1, {}, {1}}, {Form::product, 3, 3, 0, {2, 3}, {0}}},
    {{Form::additive, 4, 0, 4, {2, 4}, {0, 2}}},
};

struct Case {
  RandomModel made;
  VectorXd eta;
  MatrixXd points;
  Covariance covariance() const { return made.model.covariance(eta.data()); }
};

template <class Body>
void for_each(Body body) {
  Random random(31);
  for (const std::vector<TermPlan>& plan : plans) {
    Case one{problems::random_model(random, problems::kernels()[1], Form::radial, {}, 1), {}, {}};
    problems::set_terms(random, plan, 21, one.made);
    one.eta = one.made.random_eta(random);
    one.points = one.made.model.inputs.topRows(9);
    for (Eigen::Index i = 0; i < one.points.size(); ++i) {
      double& x = one.points.data()[i];
      if (x != std::floor(x)) x += random.uniform(-0.5, 0.5);
    }
    body(one, random);
  }
}

MatrixXd cross(const Covariance& covariance, const MatrixXd& a, const MatrixXd& b) {
  const MatrixXd x = covariance.scale(a), y = covariance.scale(b);
  MatrixXd r(x.rows(), y.rows());
  covariance.cross(x.data(), static_cast<int>(x.rows()), y.data(), static_cast<int>(y.rows()),
                   r.data());
  return r;
}

void check_close(const MatrixXd& actual, const MatrixXd& expected, double tolerance) {
  CHECK(actual.rows() == expected.rows() && actual.cols() == expected.cols());
  for (Eigen::Index i = 0; i < actual.size(); ++i) {
    CHECK_CLOSE(actual(i), expected(i), tolerance);
  }
}

}  // namespace

TEST("an additive term is the mean of processes of one input each") {
  Random random(1);
  for (const bool joined : {false, true}) {
    RandomModel made = problems::random_model(random, problems::kernels()[1], Form::radial, {}, 1);
    const std::vector<int> ends = joined ? std::vector<int>{1, 3} : std::vector<int>{};
    problems::set_terms(random, {{Form::additive, 3, 0, 1, ends}}, 15, made);
    CHECK(std::string(made.model.terms[0].kernel->name) == "matern52");
    const VectorXd eta = made.random_eta(random);
    const MatrixXd& x = made.model.inputs;
    const MatrixXd r = cross(made.model.covariance(eta.data()), x, x);
    for (int i = 0; i < 15; ++i) {
      for (int j = 0; j < 15; ++j) {
        const Eigen::Array3d d = ((x.row(i) - x.row(j)).transpose().array() / eta.head(3).array());
        const double expected =
            joined
                ? (matern52(std::abs(d[0])) + matern52(std::hypot(d[1], d[2]))) / 2
                : (matern52(std::abs(d[0])) + matern52(std::abs(d[1])) + matern52(std::abs(d[2]))) /
                      3;
        CHECK_CLOSE(r(i, j), expected, 1e-14);
      }
    }
  }
}

TEST("linear terms, groups and shares are those written down") {
  Random random(2);
  RandomModel made = problems::random_model(random, problems::kernels()[1], Form::radial, {}, 1);
  problems::set_terms(random,
                      {{Form::constant, 0, 3, 0}, {Form::linear, 2, 0, 0}, {Form::radial, 1, 2, 1}},
                      15, made);
  const VectorXd eta = made.random_eta(random);
  const Covariance covariance = made.model.covariance(eta.data());
  const MatrixXd& x = made.model.inputs;
  const MatrixXd r = cross(covariance, x, x);
  const double length_scale = eta[0], sum = 1 + eta[1] + eta[2];
  for (int i = 0; i < 15; ++i) {
    const auto expected = [&](int j) {
      const double linear = (x(i, 1) * x(j, 1) + x(i, 2) * x(j, 2)) / 2;
      const double process = matern52(std::abs(x(i, 3) - x(j, 3)) / length_scale);
      return ((x(i, 0) == x(j, 0)) + eta[1] * linear + eta[2] * process * (x(i, 4) == x(j, 4))) /
             sum;
    };
    for (int j = 0; j < 15; ++j) CHECK_CLOSE(r(i, j), expected(j), 1e-14);
    CHECK_CLOSE(covariance.variance(x)[i], expected(i), 1e-14);
  }
}

TEST("terms that are kept sum to the whole") {
  for_each([](const Case& one, Random&) {
    const MatrixXd& x = one.made.model.inputs;
    const Covariance all = one.covariance();
    MatrixXd sum = MatrixXd::Zero(21, 9);
    VectorXd variance = VectorXd::Zero(9);
    for (std::size_t t = 0; t < all.terms.size(); ++t) {
      std::vector<bool> kept(all.terms.size(), false);
      kept[t] = true;
      sum += cross(all.only(kept), x, one.points);
      variance += all.only(kept).variance(all.scale(one.points));
    }
    check_close(cross(all, x, one.points), sum, 1e-14);
    check_close(all.variance(all.scale(one.points)), variance, 1e-14);
    const std::vector<bool> none(all.terms.size(), false);
    CHECK((cross(all.only(none), x, one.points).array() == 0.0).all());
    MatrixXd lower(21, 21), scaled = all.scale(x);
    all.correlation(scaled.data(), 21, lower.data());
    check_close(MatrixXd(lower.triangularView<Eigen::Lower>()),
                MatrixXd(cross(all, x, x).triangularView<Eigen::Lower>()), 1e-14);
    check_close(all.variance(scaled), cross(all, x, x).diagonal(), 1e-14);
  });
}

TEST("gradients in lengthscales, parameters and shares are those of differences") {
  for_each([](const Case& one, Random& random) {
    const Covariance at = one.covariance();
    const int n = 21;
    const MatrixXd& x = one.made.model.inputs;
    const MatrixXd left = random.matrix(n, 2), other = random.matrix(n, n);
    const MatrixXd inverse = other + other.transpose();
    const MatrixXd s = left * left.transpose() - inverse, weights = random.matrix(n, 9);
    const MatrixXd scaled = at.scale(x), scaled_points = at.scale(one.points);
    VectorXd slopes(at.slope_count()), cross_slopes(at.slope_count());
    at.gradient(scaled.data(), n, inverse.data(), left.data(), 2, slopes.data());
    at.cross_gradient(scaled.data(), n, scaled_points.data(), 9, weights.data(),
                      cross_slopes.data());
    const auto moved = [&](int j, double by) {
      Covariance result = at;
      if (j < at.columns()) {
        result.length_scales[j] *= std::exp(by);
        return result;
      }
      int k = j - at.columns();
      for (btg::CovarianceTerm& term : result.terms) {
        const int count = static_cast<int>(term.parameters.size());
        if (k >= 0 && k < count) term.parameters[k] *= std::exp(by);
        k -= count;
      }
      const int maps = k - static_cast<int>(at.terms.size());
      if (maps >= 0) {
        btg::InputMap& map = result.maps[maps / 2];
        (maps % 2 == 0 ? map.u : map.v) += by;
      } else if (k >= 0) {
        result.terms[k].share *= std::exp(by);
      }
      return result;
    };
    for (int j = 0; j < slopes.size(); ++j) {
      const bool fixed = j < at.columns() && one.made.model.length_scale_of_column[j] < 0;
      if (fixed) {
        CHECK(slopes[j] == 0.0 && cross_slopes[j] == 0.0);
        continue;
      }
      const auto sum = [&](double by) { return cross(moved(j, by), x, x).cwiseProduct(s).sum(); };
      CHECK_CLOSE(slopes[j], problems::difference(sum, 0.0, 2e-3), 1e-8);
      const auto cross_sum = [&](double by) {
        return cross(moved(j, by), x, one.points).cwiseProduct(weights).sum();
      };
      CHECK_CLOSE(cross_slopes[j], problems::difference(cross_sum, 0.0, 2e-3), 1e-8);
    }
  });
}

TEST("slopes in the inputs are those of differences") {
  for_each([](const Case& one, Random&) {
    const Covariance at = one.covariance();
    const MatrixXd& x = one.made.model.inputs;
    const MatrixXd scaled = at.scale(x), scaled_points = at.scale(one.points);
    const MatrixXd slopes = at.cross_slopes(scaled.data(), 21, scaled_points.data(), 9);
    const MatrixXd of_variance = at.variance_slopes(scaled_points);
    const MatrixXd of_process = at.slope_covariance();
    for (int k = 0; k < at.columns(); ++k) {
      const bool codes = one.points(0, k) == std::floor(one.points(0, k));
      for (int i = 0; i < 9; ++i) {
        MatrixXd point = one.points.row(i), fixed = point;
        for (int j = 0; j < 21; ++j) {
          const auto value = [&](double step) {
            MatrixXd at_step = point;
            at_step(0, k) += codes ? 0.0 : step;
            return cross(at, x.row(j), at_step)(0, 0);
          };
          CHECK_CLOSE(slopes(j, 9 * k + i), problems::difference(value, 0.0, 1e-3), 1e-8);
        }
        const auto variance = [&](double step) {
          MatrixXd at_step = point;
          at_step(0, k) += codes ? 0.0 : step;
          return cross(at, at_step, at_step)(0, 0);
        };
        CHECK_CLOSE(of_variance(i, k), problems::difference(variance, 0.0, 1e-3), 1e-8);
        for (int l = 0; l < at.columns(); ++l) {  // d^2 R(x, y) / dx_k dy_l at x = y
          const bool other_codes = one.points(0, l) == std::floor(one.points(0, l));
          const auto both = [&](double a, double b) {
            point(0, k) += codes ? 0.0 : a;
            fixed(0, l) += other_codes ? 0.0 : b;
            const double value = cross(at, point, fixed)(0, 0);
            point = fixed = one.points.row(i);
            return value;
          };
          const double h = 1e-4;
          const double curvature =
              (both(h, h) - both(h, -h) - both(-h, h) + both(-h, -h)) / (4 * h * h);
          CHECK_CLOSE(of_process(k, l), curvature, 2e-3);
        }
      }
    }
  });
}
