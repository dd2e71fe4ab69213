// Fewer nodes with the same moments.
#include <cmath>
#include <set>
#include <vector>

#include "btg/backend/compute_eigen.hpp"
#include "btg/quadrature/sampling/compress.hpp"
#include "check.hpp"
#include "problems.hpp"

using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::Random;

namespace {

struct Cloud {
  MatrixXd points;
  VectorXd weights;
};

// Nearly.
double normal(Random& random) {
  double sum = -6.0;
  for (int i = 0; i < 12; ++i) sum += random.uniform(0, 1);
  return sum;
}

// Correlated, skewed, far from the origin, with weights over some orders of magnitude.
Cloud random_cloud(int d, int n, int seed) {
  Random random(seed);
  Cloud cloud{MatrixXd(d, n), VectorXd(n)};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < d; ++j) {
      const double x = normal(random);
      cloud.points(j, i) = 5.0 + (j + 1) * (x + 0.3 * x * x) + (j > 0 ? cloud.points(j - 1, i) : 0);
    }
    cloud.weights[i] = std::exp(1.5 * normal(random));
  }
  cloud.weights /= cloud.weights.sum();
  return cloud;
}

int count_positive(const VectorXd& weights) {
  return static_cast<int>((weights.array() > 0.0).count());
}

// The mean of prod_j ((x_j - centre_j) / scale_j)^exponent_j.
double moment(const Cloud& cloud, const VectorXd& weights, const std::vector<int>& exponents) {
  const VectorXd centre = cloud.points * cloud.weights;
  double sum = 0.0;
  for (Eigen::Index i = 0; i < weights.size(); ++i) {
    double product = 1.0;
    for (std::size_t j = 0; j < exponents.size(); ++j) {
      product *= std::pow((cloud.points(j, i) - centre[j]) / (3.0 + j), exponents[j]);
    }
    sum += weights[i] * product;
  }
  return sum;
}

}  // namespace

TEST("monomials are complete degree by degree") {
  const auto monomials = btg::first_monomials(3, 1000, 4);
  CHECK(monomials.size() == 35);  // (3 + 4 choose 4)
  CHECK(std::set<std::vector<int>>(monomials.begin(), monomials.end()).size() == 35);
  int before = 0;
  for (const auto& e : monomials) {
    const int degree = e[0] + e[1] + e[2];
    CHECK(degree >= before);
    before = degree;
  }
  CHECK(btg::first_monomials(3, 10, 4).size() == 10);
  CHECK(btg::first_monomials(1, 10, 4) == std::vector<std::vector<int>>({{0}, {1}, {2}, {3}, {4}}));
  // One variable before two.
  CHECK(btg::first_monomials(2, 6, 4)[5] == std::vector<int>({1, 1}));
}

TEST("compression keeps all moments up to the degree, with positive weights") {
  for (const int d : {1, 2, 3, 5}) {
    const int degree = d == 5 ? 3 : 4;
    const auto monomials = btg::first_monomials(d, 1000, degree);
    const int count = static_cast<int>(monomials.size());
    const Cloud cloud = random_cloud(d, 400, d);
    const VectorXd fewer = btg::compress(cloud.points, cloud.weights, count, btg::eigen_compute());
    CHECK(count_positive(fewer) <= count);
    CHECK(fewer.minCoeff() >= 0.0);
    CHECK_CLOSE(fewer.sum(), 1.0, 1e-14);
    for (const auto& exponents : monomials) {
      const double all = moment(cloud, cloud.weights, exponents);
      CHECK_CLOSE(moment(cloud, fewer, exponents), all, 1e-9);
    }
  }
}

TEST("smooth functions keep their means better than by as many of the heaviest points") {
  const Cloud cloud = random_cloud(4, 700, 9);
  const MatrixXd white = btg::whiten(cloud.points, cloud.weights);
  const VectorXd f = (1.0 + (0.4 * white.row(0) + 0.3 * white.row(3)).array().exp()).inverse();
  const VectorXd fewer = btg::compress(cloud.points, cloud.weights, 70, btg::eigen_compute());
  CHECK_CLOSE(f.dot(fewer), f.dot(cloud.weights), 1e-4);
  CHECK(std::abs(f.dot(cloud.weights) - 0.5) > 1e-3);  // not by symmetry
}

TEST("dependent coordinates, repeated points and few points are no obstacle") {
  Cloud cloud = random_cloud(3, 300, 4);
  cloud.points.row(2) = 2.0 * cloud.points.row(0);
  VectorXd fewer = btg::compress(cloud.points, cloud.weights, 35, btg::eigen_compute());
  CHECK(count_positive(fewer) <= 15);  // as of two coordinates
  CHECK_CLOSE(moment(cloud, fewer, {2, 2, 0}), moment(cloud, cloud.weights, {2, 2, 0}), 1e-9);

  cloud = random_cloud(2, 300, 5);
  for (int i = 0; i < 300; ++i) cloud.points.col(i) = cloud.points.col(i % 4).eval();
  fewer = btg::compress(cloud.points, cloud.weights, 20, btg::eigen_compute());
  CHECK(count_positive(fewer) <= 4);
  CHECK_CLOSE(moment(cloud, fewer, {3, 1}), moment(cloud, cloud.weights, {3, 1}), 1e-9);

  cloud = random_cloud(2, 10, 6);
  CHECK(btg::compress(cloud.points, cloud.weights, 10, btg::eigen_compute()) == cloud.weights);
}
