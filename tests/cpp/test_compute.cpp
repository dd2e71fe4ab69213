// The tables of dense functions, that of AVX2 included, against naive loops.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "btg/backend/compute_eigen.hpp"
#include "btg/kernels/registry.hpp"
#include "btg/numerics/student_t.hpp"
#include "check.hpp"
#include "compute_avx2.h"
#include "problems.hpp"

using btg_compute::Compute;
using Eigen::MatrixXd;
using problems::LongMatrix;
using problems::narrow;
using problems::Random;
using problems::times;
using problems::transposed_times;
using problems::widen;

namespace {

const double missing = std::numeric_limits<double>::quiet_NaN();
const std::vector<int> sizes{1, 2, 7, 8, 9, 63, 64, 65, 200, 300};

std::vector<const Compute*> tables() {
  std::vector<const Compute*> all{&btg::eigen_compute()};
  if (avx2_compute()) all.push_back(avx2_compute());
  return all;
}

// Calls body(compute, n, a) with a positive definite a of each size.
template <class Body>
void for_each(Body body) {
  Random random(1);
  for (int n : sizes) {
    const MatrixXd half = random.matrix(n, n + 3);
    MatrixXd a = half * half.transpose();
    a.diagonal().array() += 0.1 * n;
    for (const Compute* compute : tables()) body(*compute, n, a);
  }
}

// A factor whose unused triangle is NaN.
MatrixXd factor_of(const MatrixXd& a) {
  MatrixXd l = problems::cholesky(a);
  l.triangularView<Eigen::StrictlyUpper>().setConstant(missing);
  return l;
}

MatrixXd lower(const MatrixXd& a) { return a.triangularView<Eigen::Lower>(); }

// The largest difference, relative to the largest entry; NaN stays NaN.
double error(const MatrixXd& actual, const MatrixXd& expected) {
  const MatrixXd difference = (actual - expected).cwiseAbs();
  return difference.hasNaN() ? missing : difference.maxCoeff() / expected.cwiseAbs().maxCoeff();
}

}  // namespace

TEST("cholesky is that of a naive loop, from the lower triangle alone") {
  for_each([](const Compute& compute, int n, MatrixXd a) {
    const MatrixXd expected = problems::cholesky(a);
    a.triangularView<Eigen::StrictlyUpper>().setConstant(missing);
    CHECK(compute.cholesky(a.data(), n) == 0);
    CHECK(error(lower(a), expected) < 1e-14);
  });
}

TEST("cholesky says that a matrix is not positive definite, wherever it fails") {
  for_each([](const Compute& compute, int n, const MatrixXd& a) {
    for (int bad : {0, n / 2, n - 1}) {
      MatrixXd indefinite = a;
      indefinite(bad, bad) = -1.0;
      CHECK(compute.cholesky(indefinite.data(), n) != 0);
    }
    MatrixXd zero = MatrixXd::Zero(n, n);
    CHECK(compute.cholesky(zero.data(), n) != 0);
    MatrixXd negative = -a;
    CHECK(compute.cholesky(negative.data(), n) != 0);
  });
}

TEST("cholesky of a matrix that just fails by its last row") {
  for_each([](const Compute& compute, int n, MatrixXd a) {
    if (n == 1) return;
    MatrixXd l = factor_of(a);
    const double explained = l.row(n - 1).head(n - 1).squaredNorm();
    a(n - 1, n - 1) = explained * (1 + 1e-10);
    MatrixXd definite = a;
    CHECK(compute.cholesky(definite.data(), n) == 0);
    a(n - 1, n - 1) = explained * (1 - 1e-10);
    CHECK(compute.cholesky(a.data(), n) != 0);
  });
}

TEST("the triangular solves undo the factor and its transpose") {
  for_each([](const Compute& compute, int n, const MatrixXd& a) {
    const MatrixXd l = factor_of(a);
    const LongMatrix whole = widen(lower(l));
    for (int columns : {1, 2, 5, 33}) {
      const MatrixXd b = Random(n + 1000 * columns).matrix(n, columns);
      MatrixXd x = b;
      compute.solve_lower(l.data(), n, x.data(), columns);
      CHECK(error(narrow(times(whole, widen(x))), b) < 1e-13);
      x = b;
      compute.solve_lower_transposed(l.data(), n, x.data(), columns);
      CHECK(error(narrow(transposed_times(whole, widen(x))), b) < 1e-13);
    }
  });
}

TEST("solving for no columns does nothing") {
  for_each([](const Compute& compute, int n, const MatrixXd& a) {
    const MatrixXd l = factor_of(a);
    MatrixXd none(n, 0);
    compute.solve_lower(l.data(), n, none.data(), 0);
    compute.solve_lower_transposed(l.data(), n, none.data(), 0);
  });
}

TEST("the products of all columns") {
  for_each([](const Compute& compute, int n, const MatrixXd&) {
    for (int columns : {1, 2, 5, 33}) {
      const MatrixXd x = Random(n + 1000 * columns).matrix(n, columns);
      MatrixXd products = MatrixXd::Constant(columns, columns, missing);
      compute.gram(x.data(), n, columns, products.data());
      const MatrixXd expected = narrow(transposed_times(widen(x), widen(x)));
      CHECK(error(lower(products), lower(expected)) < 1e-14);
    }
  });
}

TEST("the inverse of the factor, with zeros above the diagonal") {
  for_each([](const Compute& compute, int n, const MatrixXd& a) {
    const MatrixXd l = factor_of(a);
    const LongMatrix whole = widen(lower(l));
    MatrixXd inverse = MatrixXd::Constant(n, n, missing);
    compute.invert_lower(l.data(), n, inverse.data());
    CHECK(inverse == lower(inverse));
    const MatrixXd identity = narrow(times(whole, widen(inverse)));
    CHECK(error(identity, MatrixXd::Identity(n, n)) < 1e-13);
  });
}

TEST("the inverse is that of the matrix") {
  for_each([](const Compute& compute, int n, const MatrixXd& a) {
    const MatrixXd l = factor_of(a);
    const LongMatrix whole = widen(lower(l));
    MatrixXd inverse = MatrixXd::Constant(n, n, missing);
    compute.inverse(l.data(), n, inverse.data());
    const LongMatrix product =
        times(whole, transposed_times(whole, widen(problems::symmetric(inverse))));
    CHECK(error(narrow(product), MatrixXd::Identity(n, n)) < 1e-13);
  });
}

TEST("every table has the registered kernels, with the same results") {
  Random random(2);
  const Compute& eigen = btg::eigen_compute();
  for (const Compute* compute : tables()) {
    CHECK(compute->n_kernels == int(btg::kernel_registry().size()));
    for (int i = 0; i < compute->n_kernels; ++i) {
      const btg_compute::Kernel& kernel = compute->kernels[i];
      const btg_compute::Kernel& expected = btg::kernel_registry()[i];
      CHECK(std::string(kernel.name) == expected.name);
      CHECK(kernel.n_parameters == expected.n_parameters);
      for (int n : sizes) {
        for (int d : {1, 3}) {
          for (btg::Form form : {btg::Form::radial, btg::Form::product, btg::Form::additive}) {
            const MatrixXd x = random.matrix(n, d, -2, 2), y = random.matrix(6, d, -2, 2);
            MatrixXd r(n, n), same(n, n), cross(n, 6), same_cross(n, 6);
            const std::vector<double> own(expected.n_parameters, 1.7);
            const btg_compute::Correlation how{&kernel, form, own.data()},
                same_how{&expected, form, own.data()};
            const int slopes = d + expected.n_parameters + 1;
            compute->correlation(how, x.data(), n, d, r.data());
            eigen.correlation(same_how, x.data(), n, d, same.data());
            CHECK(error(lower(r), lower(same)) < 1e-14);
            compute->cross_correlation(how, x.data(), n, y.data(), 6, d, cross.data());
            eigen.cross_correlation(same_how, x.data(), n, y.data(), 6, d, same_cross.data());
            CHECK(error(cross, same_cross) < 1e-14);
            const MatrixXd s = random.matrix(n, n), left = random.matrix(n, 2);
            Eigen::VectorXd slope(slopes), same_slope(slopes);
            compute->correlation_gradient(how, x.data(), n, d, s.data(), left.data(), 2,
                                          slope.data());
            eigen.correlation_gradient(same_how, x.data(), n, d, s.data(), left.data(), 2,
                                       same_slope.data());
            CHECK((slope - same_slope).cwiseAbs().maxCoeff() < 1e-13 * n);
          }
        }
      }
    }
  }
}

namespace {

// Indicators of codes 1, ..., count, at which different levels have the squared distance.
MatrixXd indicators(const Eigen::VectorXd& codes, int count, double squared_distance) {
  MatrixXd result = MatrixXd::Zero(codes.size(), count);
  for (Eigen::Index i = 0; i < codes.size(); ++i) {
    result(i, static_cast<int>(codes[i]) - 1) = std::sqrt(squared_distance / 2.0);
  }
  return result;
}

MatrixXd beside(const MatrixXd& left, const MatrixXd& right) {
  MatrixXd both(left.rows(), left.cols() + right.cols());
  both << left, right;
  return both;
}

}  // namespace

// A column of levels in a radial kernel has the distances of indicators; in a product it is one
// factor of its own.
TEST("levels are as far apart as their indicators") {
  Random random(11);
  const int n = 70, m = 9, count = 4;
  const double squared_distance = 1.7;
  const std::vector<double> distances{-1.0, squared_distance, -1.0};
  const auto draw = [&](int rows) {
    MatrixXd x = random.matrix(rows, 3);
    for (int i = 0; i < rows; ++i) x(i, 1) = random.integer(1, count);
    return x;
  };
  const MatrixXd x = draw(n), y = draw(m), weights = random.matrix(n, m);
  const auto numbers = [](const MatrixXd& all) { return beside(all.col(0), all.col(2)); };
  const auto expanded = [&](const MatrixXd& all) {
    return indicators(all.col(1), count, squared_distance);
  };
  for (const Compute* table : tables()) {
    for (int k = 0; k < table->n_kernels; ++k) {
      const btg_compute::Kernel& kernel = table->kernels[k];
      const std::vector<double> own(kernel.n_parameters, 1.3);
      const auto cross = [&](btg_compute::Form form, const double* levels, const MatrixXd& a,
                             const MatrixXd& b) {
        MatrixXd r(a.rows(), b.rows());
        table->cross_correlation({&kernel, form, own.data(), levels}, a.data(),
                                 static_cast<int>(a.rows()), b.data(), static_cast<int>(b.rows()),
                                 static_cast<int>(a.cols()), r.data());
        return r;
      };
      using btg_compute::Form;
      const MatrixXd radial = cross(Form::radial, distances.data(), x, y);
      const MatrixXd expected = cross(Form::radial, nullptr, beside(numbers(x), expanded(x)),
                                      beside(numbers(y), expanded(y)));
      CHECK(error(radial, expected) < 1e-14);
      const MatrixXd product = cross(Form::product, distances.data(), x, y);
      const MatrixXd factors =
          cross(Form::product, nullptr, numbers(x), numbers(y))
              .cwiseProduct(cross(Form::radial, nullptr, expanded(x), expanded(y)));
      CHECK(error(product, factors) < 1e-14);

      // The gradient in the log lengthscale of the levels, by differences.
      for (const Form form : {Form::radial, Form::product}) {
        Eigen::VectorXd gradient(3 + kernel.n_parameters + 1);
        table->cross_gradient({&kernel, form, own.data(), distances.data()}, x.data(), n, y.data(),
                              m, 3, weights.data(), gradient.data());
        const auto sum_at = [&](double log_scale) {
          std::vector<double> moved = distances;
          moved[1] *= std::exp(-2.0 * log_scale);
          return cross(form, moved.data(), x, y).cwiseProduct(weights).sum();
        };
        const double step = 1e-5, slope = (sum_at(step) - sum_at(-step)) / (2.0 * step);
        CHECK(std::abs(gradient[1] - slope) < 1e-7 * weights.cwiseAbs().sum());

        MatrixXd slopes(n, m * 3);
        table->cross_slopes({&kernel, form, own.data(), distances.data()}, x.data(), n, y.data(), m,
                            3, slopes.data());
        CHECK((slopes.middleCols(m, m).array() == 0.0).all());
        CHECK(slopes.leftCols(m).cwiseAbs().maxCoeff() > 0.0);
      }
    }
  }
}

TEST("products are subtracted from parts of matrices") {
  Random random(3);
  for (const Compute* compute : tables()) {
    for (int rows : {1, 5, 40}) {
      const MatrixXd a = random.matrix(rows, 7), b = random.matrix(9, 11);
      MatrixXd c = random.matrix(rows + 2, 11);
      const MatrixXd before = c;
      compute->subtract_product(a.data(), rows, b.data() + 1, 9, rows, 7, 11, c.data() + 1,
                                rows + 2);
      MatrixXd expected = before;
      expected.middleRows(1, rows) -= a * b.middleRows(1, 7);
      CHECK(error(c, expected) < 1e-13);
    }
  }
}

TEST("mixtures of t distributions are sums over their components") {
  Random random(4);
  for (const double df : {3.0, 29.0}) {
    const btg::StudentT t(df);
    for (const Compute* compute : tables()) {
      for (int count : {1, 2, 3, 4, 5, 11, 192}) {
        const MatrixXd values = random.matrix(count, 5, 0.1, 2);
        Eigen::VectorXd u = 4.0 * values.col(0), x(count);
        const Eigen::VectorXd slope = values.col(1), location = 3.0 * values.col(2),
                              inverse_scale = values.col(3), weight = values.col(4);
        u[0] = location[0];
        if (count > 2) u[1] = 1e3;  // beyond the table
        if (count > 3) u[2] = INFINITY;
        const btg_compute::TMixture got =
            compute->mix_t(t.table(), count, u.data(), slope.data(), location.data(),
                           inverse_scale.data(), weight.data(), x.data());
        double cdf = 0, survival = 0, density = 0;
        int far = 0;
        for (int i = 0; i < count; ++i) {
          const double argument = (u[i] - location[i]) * inverse_scale[i];
          CHECK(x[i] == argument || std::abs(x[i] - argument) < 1e-14);
          if (std::abs(argument) >= 8) {
            ++far;
            continue;
          }
          cdf += weight[i] * t.cdf(argument);
          survival += weight[i] * t.cdf(-argument);
          density += weight[i] * t.density(argument) * slope[i] * inverse_scale[i];
        }
        CHECK(got.far == far);
        CHECK_CLOSE(got.cdf, cdf, 1e-12);
        CHECK_CLOSE(got.survival, survival, 1e-12);
        CHECK_CLOSE(got.density, density, 1e-12);
        u[0] = NAN;  // is noticed, as one that is left out or as NaN
        CHECK(compute
                  ->mix_t(t.table(), count, u.data(), slope.data(), location.data(),
                          inverse_scale.data(), weight.data(), x.data())
                  .far != far);
      }
    }
  }
}

TEST("the tables are told apart by name") {
  for (const Compute* compute : tables()) {
    for (const Compute* other : tables()) {
      CHECK((std::string(compute->name) == other->name) == (compute == other));
    }
  }
}

TEST("a packed factor solves as a naive loop does, and is restored to the last bit") {
  for_each([](const Compute& compute, int n, const MatrixXd& a) {
    const MatrixXd l = factor_of(a);
    Eigen::VectorXd packed(compute.packed_size(n));
    packed.setConstant(missing);
    compute.pack_lower(l.data(), n, packed.data());
    MatrixXd restored(n, n);
    compute.unpack_lower(packed.data(), n, restored.data());
    CHECK(lower(restored) == lower(l));
    Random random(2);
    const MatrixXd b = random.matrix(n, 11);
    MatrixXd solved = b;
    compute.solve_packed(packed.data(), n, solved.data(), 11);
    CHECK(error(lower(l) * solved, b) < 1e-13);
    // Any number of columns gives the same bits.
    for (int columns : {1, 2, 3, 4, 5, 8}) {
      MatrixXd some = b.rightCols(columns);
      compute.solve_packed(packed.data(), n, some.data(), columns);
      CHECK(some == solved.rightCols(columns));
    }
  });
}
