// Every registered kernel, radial and as a product, against its closed form.
#include <boost/math/special_functions/bessel.hpp>
#include <limits>
#include <map>
#include <string>

#include "btg/kernels/registry.hpp"
#include "check.hpp"
#include "problems.hpp"

using btg_compute::Kernel;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Long;
using problems::LongMatrix;
using problems::Random;

namespace {

const double missing = std::numeric_limits<double>::quiet_NaN();

using ClosedForm = Long (*)(Long r);
const std::map<std::string, ClosedForm> closed_forms{
    {"rbf", [](Long r) { return std::exp(-r * r / 2); }},
    {"matern52",
     [](Long r) {
       return (1 + std::sqrt(5.0L) * r + 5 * r * r / 3) * std::exp(-std::sqrt(5.0L) * r);
     }},
    {"matern32", [](Long r) { return (1 + std::sqrt(3.0L) * r) * std::exp(-std::sqrt(3.0L) * r); }},
    {"exponential", [](Long r) { return std::exp(-r); }}};

Long naive(const Kernel& kernel, const VectorXd& x, const VectorXd& y, bool product) {
  const ClosedForm k = closed_forms.at(kernel.name);
  Long r2 = 0, all = 1;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const Long delta = Long(x[i]) - Long(y[i]);
    r2 += delta * delta;
    all *= k(std::abs(delta));
  }
  return product ? all : k(std::sqrt(r2));
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

double at(const Kernel& kernel, double r) {
  return cross(kernel, MatrixXd::Zero(1, 1), MatrixXd::Constant(1, 1, r), false)(0, 0);
}

const Kernel& find(const std::string& name) {
  for (const Kernel& kernel : btg::kernel_registry()) {
    if (kernel.name == name) return kernel;
  }
  throw std::runtime_error("no kernel " + name);
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
  return problems::difference(total, 0.0, 4e-3);
}

// Reads lower triangles alone: the upper ones are NaN.
VectorXd gradient(const Kernel& kernel, const MatrixXd& x, bool product, const MatrixXd& s) {
  MatrixXd r = correlation(kernel, x, product), lower_s = s;
  r.triangularView<Eigen::StrictlyUpper>().setConstant(missing);
  lower_s.triangularView<Eigen::StrictlyUpper>().setConstant(missing);
  VectorXd result = VectorXd::Constant(x.cols(), missing);
  kernel.gradient(x.data(), int(x.rows()), int(x.cols()), product, r.data(), lower_s.data(),
                  result.data());
  return result;
}

MatrixXd random_symmetric(Random& random, int n) {
  return problems::symmetric(random.matrix(n, n));
}

}  // namespace

TEST("every kernel has a closed form here, and a name of its own") {
  CHECK(btg::kernel_registry().size() == closed_forms.size());
  for (const Kernel& kernel : btg::kernel_registry()) {
    CHECK(closed_forms.count(kernel.name) == 1);
    CHECK(&find(kernel.name) == &kernel);
  }
}

TEST("correlations equal the closed form") {
  Random random(1);
  for_each([&](const Kernel& kernel, bool product) {
    for (int n : {1, 2, 7, 8, 9, 33, 300}) {
      for (int d : {1, 2, 7}) {
        const MatrixXd x = random.matrix(n, d, -1.5, 1.5);
        const MatrixXd r = correlation(kernel, x, product);
        for (int j = 0; j < n; ++j) {
          CHECK(r(j, j) == 1.0);
          for (int i = j + 1; i<n; i += n> 100 ? 17 : 1) {
            const double expected = naive(kernel, x.row(i), x.row(j), product);
            CHECK_CLOSE(r(i, j) / expected, 1, 1e-14 * (10 - std::log(expected)));
          }
        }
      }
    }
  });
}

TEST("correlations of near points far from the origin lose nothing to cancellation") {
  Random random(2);
  const MatrixXd x = 1000 + random.matrix(20, 3, 0, 1e-6).array();
  for_each([&](const Kernel& kernel, bool product) {
    const MatrixXd r = correlation(kernel, x, product);
    for (int i = 1; i < x.rows(); ++i) {
      CHECK_CLOSE(r(i, 0), double(naive(kernel, x.row(i), x.row(0), product)), 1e-15);
    }
  });
}

TEST("cross-correlations are the correlations, and equal the closed form") {
  Random random(3);
  for_each([&](const Kernel& kernel, bool product) {
    for (int n : {1, 5, 8, 65, 270}) {
      const MatrixXd x = random.matrix(n, 3), y = random.matrix(11, 3);
      const MatrixXd within = cross(kernel, x, x, product), r = cross(kernel, x, y, product);
      CHECK((within - correlation(kernel, x, product)).cwiseAbs().maxCoeff() < 1e-15);
      CHECK((within.diagonal().array() == 1.0).all());
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < 11; ++j) {
          CHECK_CLOSE(r(i, j), double(naive(kernel, x.row(i), y.row(j), product)), 1e-14);
        }
      }
    }
  });
}

TEST("correlation matrices are positive definite with a little noise") {
  Random random(4);
  for_each([&](const Kernel& kernel, bool product) {
    LongMatrix k = correlation(kernel, random.matrix(40, 2), product).cast<Long>();
    k.diagonal().array() += 1e-12L;
    // Elimination without pivoting: all pivots positive.
    for (int j = 0; j < k.rows(); ++j) {
      CHECK(k(j, j) > 0);
      const LongMatrix row = k.row(j) / k(j, j);
      k.bottomRows(k.rows() - j - 1) -= k.col(j).tail(k.rows() - j - 1) * row;
    }
  });
}

TEST("the gradient is the difference in each log lengthscale") {
  Random random(5);
  for_each([&](const Kernel& kernel, bool product) {
    for (int n : {1, 2, 7, 8, 9, 40}) {
      for (int d : {1, 7}) {
        MatrixXd x = random.matrix(n, d);
        if (n > 7) x.row(5) = x.row(2);                           // coincident points
        if (n > 7 && d > 1) x.row(6).head(3) = x.row(1).head(3);  // in some inputs
        const MatrixXd s = random_symmetric(random, n);
        const VectorXd actual = gradient(kernel, x, product, s);
        for (int k = 0; k < d; ++k) {
          CHECK_CLOSE(actual[k], gradient_difference(kernel, x, product, s, k), 1e-9);
        }
      }
    }
    const MatrixXd x = random.matrix(300, 2), s = random_symmetric(random, 300);
    const VectorXd actual = gradient(kernel, x, product, s);
    CHECK_CLOSE(actual[1], gradient_difference(kernel, x, product, s, 1), 1e-8);
  });
}

TEST("in one dimension the product is the radial form") {
  Random random(6);
  const MatrixXd x = random.matrix(30, 1, -3, 3), s = random_symmetric(random, 30);
  for (const Kernel& kernel : btg::kernel_registry()) {
    CHECK((correlation(kernel, x, true) - correlation(kernel, x, false)).cwiseAbs().maxCoeff() <
          1e-15);
    CHECK_CLOSE(gradient(kernel, x, true, s)[0], gradient(kernel, x, false, s)[0], 1e-13);
  }
}

TEST("the Materns are those of the general formula, and order by smoothness") {
  const std::map<std::string, double> smoothness{
      {"exponential", 0.5}, {"matern32", 1.5}, {"matern52", 2.5}};
  for (double r : {1e-3, 0.1, 0.4, 1.0, 2.7, 9.0}) {
    for (const auto& [name, nu] : smoothness) {
      const double t = std::sqrt(2 * nu) * r;
      const double general = std::pow(2, 1 - nu) / std::tgamma(nu) * std::pow(t, nu) *
                             boost::math::cyl_bessel_k(nu, t);
      CHECK_CLOSE(at(find(name), r) / general, 1, 1e-12);
    }
    if (r > 1) continue;
    CHECK(at(find("exponential"), r) < at(find("matern32"), r));
    CHECK(at(find("matern32"), r) < at(find("matern52"), r));
    CHECK(at(find("matern52"), r) < at(find("rbf"), r));
  }
}

TEST("at huge distances correlations vanish, and so do their derivatives") {
  for_each([](const Kernel& kernel, bool product) {
    for (int d : {1, 2, 100}) {
      for (double distance : {40.0, 200.0, 1e3, 1e6, 1e50, 1e100, 1e150}) {
        MatrixXd x = MatrixXd::Zero(3, d);
        x.row(1).setConstant(distance);
        x.row(2).setConstant(-distance);
        const MatrixXd r = correlation(kernel, x, product);
        const VectorXd slope = gradient(kernel, x, product, MatrixXd::Ones(3, 3));
        CHECK(0 <= r(1, 0) && r(1, 0) < 1e-14);
        CHECK(0 <= r(2, 1) && r(2, 1) < 1e-14);
        CHECK(slope.cwiseAbs().maxCoeff() < 1e-12);  // false if NaN
      }
    }
  });
}

int main() { return check::run(); }
