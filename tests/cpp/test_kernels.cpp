// Every registered kernel, radial and as a product, against its closed form.
#include <boost/math/special_functions/bessel.hpp>
#include <cfloat>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "btg/backend/compute_eigen.hpp"
#include "btg/kernels/registry.hpp"
#include "check.hpp"
#include "problems.hpp"

using btg::Form;
using btg_compute::Kernel;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Long;
using problems::Random;

namespace {

const btg::Compute& compute = btg::eigen_compute();
const double missing = std::numeric_limits<double>::quiet_NaN();
const Long root3 = std::sqrt(3.0L), root5 = std::sqrt(5.0L);
using ClosedForm = Long (*)(Long r, const double* own);  // every kernel needs one here
const std::map<std::string, ClosedForm> closed_forms{
    {"rbf", [](Long r, const double*) { return std::exp(-r * r / 2); }},
    {"matern52",
     [](Long r, const double*) { return (1 + root5 * r + 5 * r * r / 3) * std::exp(-root5 * r); }},
    {"matern32", [](Long r, const double*) { return (1 + root3 * r) * std::exp(-root3 * r); }},
    {"exponential", [](Long r, const double*) { return std::exp(-r); }},
    {"rational_quadratic",
     [](Long r, const double* own) { return std::pow(1 + r * r / (2 * own[0]), -Long(own[0])); }}};

// A kernel, radial or as a product, at some values of its own parameters.
struct Formed {
  const Kernel* kernel;
  Form form;
  std::vector<double> own;

  btg_compute::Correlation how() const { return {kernel, form, own.data()}; }
  Long closed(Long r) const { return closed_forms.at(kernel->name)(r, own.data()); }
};

Formed formed(const Kernel& kernel, Form form, double own = 1.3) {
  return {&kernel, form, std::vector<double>(kernel.n_parameters, own)};
}

const Kernel& find_kernel(const std::string& name) {
  for (const Kernel& kernel : btg::kernel_registry()) {
    if (kernel.name == name) return kernel;
  }
  throw std::invalid_argument(name);
}

// The closed form between the rows of x and of y.
MatrixXd naive(const Formed& k, const MatrixXd& x, const MatrixXd& y) {
  MatrixXd result(x.rows(), y.rows());
  for (int i = 0; i < x.rows(); ++i) {
    for (int j = 0; j < y.rows(); ++j) {
      Long r2 = 0, all = 1;
      for (int c = 0; c < x.cols(); ++c) {
        const Long delta = Long(x(i, c)) - Long(y(j, c));
        r2 += delta * delta;
        all *= k.closed(std::abs(delta));
      }
      result(i, j) = double(k.form == Form::product ? all : k.closed(std::sqrt(r2)));
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
MatrixXd correlation(const Formed& k, const MatrixXd& x) {
  MatrixXd r = MatrixXd::Constant(x.rows(), x.rows(), missing);
  compute.correlation(k.how(), x.data(), int(x.rows()), int(x.cols()), r.data());
  return problems::symmetric(r);
}

MatrixXd cross(const Formed& k, const MatrixXd& x, const MatrixXd& y) {
  MatrixXd r = MatrixXd::Constant(x.rows(), y.rows(), missing);
  compute.cross_correlation(k.how(), x.data(), int(x.rows()), y.data(), int(y.rows()),
                            int(x.cols()), r.data());
  return r;
}

// Every kernel; those with parameters of their own at small and at large values of them.
template <class Body>
void for_each(Body body) {
  for (const Kernel& kernel : btg::kernel_registry()) {
    for (Form form : {Form::radial, Form::product}) {
      body(formed(kernel, form));
      if (kernel.n_parameters > 0) body(formed(kernel, form, 20.0));
    }
  }
}

// sum_ij S_ij dR_ij / d log lengthscale_k, or then in the logarithms of the kernel's own
// parameters, by differences of the correlations.
double gradient_difference(const Formed& k, const MatrixXd& x, const MatrixXd& s, int which) {
  const int own = which - int(x.cols());
  const auto total = [&](double change) {
    MatrixXd scaled = x;
    Formed moved = k;
    if (own < 0) {
      scaled.col(which) *= std::exp(-change);
    } else {
      moved.own[own] *= std::exp(change);
    }
    return (s.array() * correlation(moved, scaled).array()).sum();
  };
  return problems::difference(total, 0, 4e-3);
}

// With S as left left' - inverse. Reads the lower triangle alone: the upper one is NaN.
VectorXd gradient(const Formed& k, const MatrixXd& x, const MatrixXd& s) {
  const int n = int(x.rows()), columns = n % 3;
  const MatrixXd left = Random(n).matrix(n, columns, -1, 1);
  MatrixXd inverse = left * left.transpose() - s;
  inverse.triangularView<Eigen::StrictlyUpper>().setConstant(missing);
  const Eigen::Index slopes = x.cols() + k.kernel->n_parameters;
  VectorXd result = VectorXd::Constant(slopes + 1, missing);
  compute.correlation_gradient(k.how(), x.data(), n, int(x.cols()), inverse.data(), left.data(),
                               columns, result.data());
  return result.head(slopes);
}

}  // namespace

TEST("correlations equal the closed form") {
  Random random(1);
  for_each([&](const Formed& k) {
    for (int n : {1, 2, 7, 8, 9, 33, 270}) {
      for (int d : {1, 7}) {
        const MatrixXd x = random.matrix(n, d), r = correlation(k, x);
        CHECK(error(r, naive(k, x, x)) < 1e-14 && (r.diagonal().array() == 1).all());
      }
    }
  });
}

TEST("near points far from the origin lose nothing to cancellation") {
  const MatrixXd x = 1000 + Random(2).matrix(20, 3, 0, 1e-6).array();
  for_each([&](const Formed& k) { CHECK(error(correlation(k, x), naive(k, x, x)) < 1e-15); });
}

TEST("cross-correlations are the correlations, and equal the closed form") {
  // Registers of 80 bits are stored at other places of the two.
  const double same = FLT_EVAL_METHOD == 0 ? 1e-15 : 1e-14;
  Random random(3);
  for_each([&](const Formed& k) {
    for (int n : {1, 5, 8, 65, 270}) {
      const MatrixXd x = random.matrix(n, 3), y = random.matrix(11, 3);
      CHECK(error(cross(k, x, y), naive(k, x, y)) < 1e-14);
      CHECK(error(cross(k, x, x), correlation(k, x)) < same);
    }
  });
}

TEST("correlation matrices are positive definite with a little noise") {
  for_each([](const Formed& k) {
    const bool alone = k.form == Form::radial && problems::needs_one_input(k.kernel->name);
    MatrixXd r = correlation(k, Random(4).matrix(40, alone ? 1 : 2));
    r.diagonal().array() += 1e-12;
    CHECK(!problems::cholesky(r).hasNaN());
  });
}

TEST("the gradient is the difference in each log lengthscale, and in the kernel's parameters") {
  Random random(5);
  for_each([&](const Formed& k) {
    for (int n : {1, 2, 7, 8, 9, 40, 270}) {
      for (int d : {1, 7}) {
        if (n > 100 && d > 1) continue;  // slow
        MatrixXd x = random.matrix(n, d), s = problems::symmetric(random.matrix(n, n));
        if (n > 7) x.row(5) = x.row(2);                           // coincident points
        if (n > 7 && d > 1) x.row(6).head(3) = x.row(1).head(3);  // in some inputs
        const VectorXd actual = gradient(k, x, s);
        for (int j = 0; j < actual.size(); ++j) {
          CHECK_CLOSE(actual[j], gradient_difference(k, x, s, j), 1e-8);
        }
      }
    }
  });
}

TEST("in one dimension the product is the radial form") {
  Random random(6);
  const MatrixXd x = random.matrix(30, 1, -3, 3), s = problems::symmetric(random.matrix(30, 30));
  for (const Kernel& kernel : btg::kernel_registry()) {
    const Formed product = formed(kernel, Form::product), radial = formed(kernel, Form::radial);
    CHECK(error(correlation(product, x), correlation(radial, x)) < 1e-15);
    const VectorXd slopes = gradient(product, x, s), same = gradient(radial, x, s);
    for (int j = 0; j < slopes.size(); ++j) CHECK_CLOSE(slopes[j], same[j], 1e-13);
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
          correlation(formed(kernel, Form::radial), Eigen::Vector2d(0, r))(1, 0);
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

TEST("at huge distances correlations fall as they do, and their derivatives with them") {
  for_each([](const Formed& k) {
    const bool vanishes = k.closed(1e6) < 1e-5;
    for (int d : {1, 2, 100}) {
      for (double distance : {40.0, 200.0, 1e3, 1e6, 1e50, 1e100, 1e150}) {
        const MatrixXd x = Eigen::Vector3d(0, distance, -distance).replicate(1, d);
        const MatrixXd r = correlation(k, x);
        const double slopes = gradient(k, x, r).cwiseAbs().sum();
        if (!vanishes) {
          CHECK(r(1, 0) <= 1 && r(2, 1) <= 1 && std::isfinite(slopes));
          continue;
        }
        // No further than within reach.
        const double tail = double(k.closed(std::fmin(distance, 1e6)));
        const double most = 1.01 * tail + 1e-14;
        CHECK(0 <= r(1, 0) && r(1, 0) < most && 0 <= r(2, 1) && r(2, 1) < most);
        CHECK(r(1, 0) < 1e-5 || distance < 1e6);
        CHECK(slopes < 1e3 * d * tail + 1e-12);  // false if NaN
      }
    }
  });
}

TEST("the rational quadratic is the squared exponential for large alpha") {
  Random random(7);
  const MatrixXd x = random.matrix(20, 3, -2, 2), s = problems::symmetric(random.matrix(20, 20));
  for (Form form : {Form::radial, Form::product}) {
    const Formed limit = formed(find_kernel("rbf"), form);
    const Formed k = formed(find_kernel("rational_quadratic"), form, 1e9);
    CHECK(error(correlation(k, x), correlation(limit, x)) < 1e-6);
    const VectorXd slopes = gradient(k, x, s), expected = gradient(limit, x, s);
    for (int j = 0; j < 3; ++j) CHECK_CLOSE(slopes[j], expected[j], 1e-6);
    CHECK_CLOSE(slopes[3], 0, 1e-6);
    // It comes nearer as 1 / alpha.
    const Formed far = formed(find_kernel("rational_quadratic"), form, 1e3);
    const Formed near = formed(find_kernel("rational_quadratic"), form, 1e4);
    const double ratio = (correlation(far, x) - correlation(limit, x)).norm() /
                         (correlation(near, x) - correlation(limit, x)).norm();
    CHECK_CLOSE(ratio, 10, 0.02);
  }
}
