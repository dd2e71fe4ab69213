// Every registered kernel, radial and as a product, against its closed form.
#include <Eigen/Cholesky>
#include <boost/math/special_functions/bessel.hpp>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "btg/kernels/registry.hpp"
#include "check.hpp"
#include "problems.hpp"

using btg_compute::Kernel;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Long;
using problems::Random;

namespace {

const double missing = std::numeric_limits<double>::quiet_NaN();
const Long root3 = std::sqrt(3.0L), root5 = std::sqrt(5.0L);
using ClosedForm = Long (*)(Long r);  // every kernel needs one here
const std::map<std::string, ClosedForm> closed_forms{
    {"rbf", [](Long r) { return std::exp(-r * r / 2); }},
    {"matern52", [](Long r) { return (1 + root5 * r + 5 * r * r / 3) * std::exp(-root5 * r); }},
    {"matern32", [](Long r) { return (1 + root3 * r) * std::exp(-root3 * r); }},
    {"exponential", [](Long r) { return std::exp(-r); }}};

// The closed form between the rows of x and of y.
MatrixXd naive(const Kernel& kernel, const MatrixXd& x, const MatrixXd& y, bool product) {
  const ClosedForm k = closed_forms.at(kernel.name);
  MatrixXd result(x.rows(), y.rows());
  for (int i = 0; i < x.rows(); ++i) {
    for (int j = 0; j < y.rows(); ++j) {
      Long r2 = 0, all = 1;
      for (int c = 0; c < x.cols(); ++c) {
        const Long delta = Long(x(i, c)) - Long(y(j, c));
        r2 += delta * delta;
        all *= k(std::abs(delta));
      }
      result(i, j) = double(product ? all : k(std::sqrt(r2)));
    }
  }
  return result;
}

// The largest relative error; not less than anything if there is a NaN.
double error(const MatrixXd& actual, const MatrixXd& expected) {
  const MatrixXd relative = actual.cwiseQuotient(expected).array() - 1;
  return relative.hasNaN() ? INFINITY : relative.cwiseAbs().maxCoeff();
}

// Only the lower triangle is asked for; the rest starts, and may stay, NaN.
MatrixXd correlation(const Kernel& kernel, const MatrixXd& x, bool product) {
  MatrixXd r = MatrixXd::Constant(x.rows(), x.rows(), missing);
  kernel.correlation(x.data(), int(x.rows()), int(x.cols()), product, r.data());
  return problems::symmetric(r);
}

MatrixXd cross(const Kernel& kernel, const MatrixXd& x, const MatrixXd& y, bool product) {
  MatrixXd r = MatrixXd::Constant(x.rows(), y.rows(), missing);
  kernel.cross_correlation(x.data(), int(x.rows()), y.data(), int(y.rows()), int(x.cols()), product,
                           r.data());
  return r;
}

template <class Body>
void for_each(Body body) {
  for (const Kernel& kernel : btg::kernel_registry()) {
    for (bool product : {false, true}) body(kernel, product);
  }
}

// sum_ij S_ij dR_ij / d log lengthscale_k by differences of the correlations.
double gradient_difference(const Kernel& kernel, const MatrixXd& x, bool product, const MatrixXd& s,
                           int k) {
  const auto total = [&](double log_length_scale) {
    MatrixXd scaled = x;
    scaled.col(k) *= std::exp(-log_length_scale);
    return (s.array() * correlation(kernel, scaled, product).array()).sum();
  };
  return problems::difference(total, 0, 4e-3);
}

// With S as left left' - inverse. Reads the lower triangle alone: the upper one is NaN.
VectorXd gradient(const Kernel& kernel, const MatrixXd& x, bool product, const MatrixXd& s) {
  const int n = int(x.rows()), columns = n % 3;
  const MatrixXd left = Random(n).matrix(n, columns, -1, 1);
  MatrixXd inverse = left * left.transpose() - s;
  inverse.triangularView<Eigen::StrictlyUpper>().setConstant(missing);
  VectorXd result = VectorXd::Constant(x.cols(), missing);
  kernel.gradient(x.data(), n, int(x.cols()), product, inverse.data(), left.data(), columns,
                  result.data());
  return result;
}

}  // namespace

TEST("correlations equal the closed form") {
  Random random(1);
  for_each([&](const Kernel& kernel, bool product) {
    for (int n : {1, 2, 7, 8, 9, 33, 270}) {
      for (int d : {1, 7}) {
        const MatrixXd x = random.matrix(n, d), r = correlation(kernel, x, product);
        CHECK(error(r, naive(kernel, x, x, product)) < 1e-14 && (r.diagonal().array() == 1).all());
      }
    }
  });
}

TEST("near points far from the origin lose nothing to cancellation") {
  const MatrixXd x = 1000 + Random(2).matrix(20, 3, 0, 1e-6).array();
  for_each([&](const Kernel& kernel, bool product) {
    CHECK(error(correlation(kernel, x, product), naive(kernel, x, x, product)) < 1e-15);
  });
}

TEST("cross-correlations are the correlations, and equal the closed form") {
  Random random(3);
  for_each([&](const Kernel& kernel, bool product) {
    for (int n : {1, 5, 8, 65, 270}) {
      const MatrixXd x = random.matrix(n, 3), y = random.matrix(11, 3);
      CHECK(error(cross(kernel, x, y, product), naive(kernel, x, y, product)) < 1e-14);
      CHECK(error(cross(kernel, x, x, product), correlation(kernel, x, product)) < 1e-15);
    }
  });
}

TEST("correlation matrices are positive definite with a little noise") {
  for_each([](const Kernel& kernel, bool product) {
    MatrixXd k = correlation(kernel, Random(4).matrix(40, 2), product);
    k.diagonal().array() += 1e-12;
    CHECK(Eigen::LLT<MatrixXd>(k).info() == Eigen::Success);
  });
}

TEST("the gradient is the difference in each log lengthscale") {
  Random random(5);
  for_each([&](const Kernel& kernel, bool product) {
    for (int n : {1, 2, 7, 8, 9, 40, 270}) {
      for (int d : {1, 7}) {
        if (n > 100 && d > 1) continue;  // slow
        MatrixXd x = random.matrix(n, d), s = problems::symmetric(random.matrix(n, n));
        if (n > 7) x.row(5) = x.row(2);                           // coincident points
        if (n > 7 && d > 1) x.row(6).head(3) = x.row(1).head(3);  // in some inputs
        const VectorXd actual = gradient(kernel, x, product, s);
        for (int k = 0; k < d; ++k) {
          CHECK_CLOSE(actual[k], gradient_difference(kernel, x, product, s, k), 1e-8);
        }
      }
    }
  });
}

TEST("in one dimension the product is the radial form") {
  Random random(6);
  const MatrixXd x = random.matrix(30, 1, -3, 3), s = problems::symmetric(random.matrix(30, 30));
  for (const Kernel& kernel : btg::kernel_registry()) {
    CHECK(error(correlation(kernel, x, true), correlation(kernel, x, false)) < 1e-15);
    CHECK_CLOSE(gradient(kernel, x, true, s)[0], gradient(kernel, x, false, s)[0], 1e-13);
  }
}

TEST("the Materns are those of the general formula, and order by smoothness") {
  const std::map<std::string, double> smoothness{
      {"exponential", 0.5}, {"matern32", 1.5}, {"matern52", 2.5}, {"rbf", INFINITY}};
  for (double r : {1e-3, 0.1, 0.4, 1.0, 2.7, 9.0}) {
    std::map<double, double> by_smoothness;
    double rougher = 0;
    for (const Kernel& kernel : btg::kernel_registry()) {
      if (smoothness.count(kernel.name) == 0) continue;
      const double nu = smoothness.at(kernel.name), t = std::sqrt(2 * nu) * r;
      const double value = by_smoothness[nu] =
          correlation(kernel, Eigen::Vector2d(0, r), false)(1, 0);
      if (std::isinf(nu)) continue;
      const double general = std::pow(2, 1 - nu) / std::tgamma(nu) * std::pow(t, nu) *
                             boost::math::cyl_bessel_k(nu, t);
      CHECK_CLOSE(value / general, 1, 1e-12);
    }
    for (const auto& [nu, value] : by_smoothness) {
      CHECK(std::exchange(rougher, value) < value || r > 1);
    }
  }
}

TEST("at huge distances correlations vanish, and so do their derivatives") {
  for_each([](const Kernel& kernel, bool product) {
    for (int d : {1, 2, 100}) {
      for (double distance : {40.0, 200.0, 1e3, 1e6, 1e50, 1e100, 1e150}) {
        const MatrixXd x = Eigen::Vector3d(0, distance, -distance).replicate(1, d);
        const MatrixXd r = correlation(kernel, x, product);
        CHECK(0 <= r(1, 0) && r(1, 0) < 1e-14 && 0 <= r(2, 1) && r(2, 1) < 1e-14);
        CHECK(gradient(kernel, x, product, r).cwiseAbs().sum() < 1e-12);  // false if NaN
      }
    }
  });
}

int main() { return check::run(); }
