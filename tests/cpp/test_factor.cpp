// Factors of K against explicit inverses: the dense one, and one by eigenvectors that takes its
// place in the model.
#include <memory>
#include <string>
#include <vector>

#include "btg/backend/compute_eigen.hpp"
#include "btg/base/parallel.hpp"
#include "btg/factor/dense_factor.hpp"
#include "btg/model/folds.hpp"
#include "btg/node/evaluate.hpp"
#include "btg/node/gradient.hpp"
#include "btg/predictive/joint_draws.hpp"
#include "btg/predictive/latent.hpp"
#include "btg/validation/left_out.hpp"
#include "check.hpp"
#include "eigen_factor.hpp"
#include "random_model.hpp"

using btg::Covariance;
using btg::Factor;
using btg::Model;
using btg_compute::Kernel;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using problems::EigenMethod;
using problems::Random;
using problems::RandomModel;

namespace {

// The largest difference, relative to the larger of what is expected and 1.
double error(const MatrixXd& actual, const MatrixXd& expected) {
  if (actual.rows() != expected.rows() || actual.cols() != expected.cols()) return INFINITY;
  if (actual.size() == 0) return 0.0;
  const MatrixXd difference = actual - expected;
  return difference.hasNaN()
             ? INFINITY
             : difference.cwiseAbs().maxCoeff() / std::fmax(1.0, expected.cwiseAbs().maxCoeff());
}

struct Problem {
  Covariance covariance;
  MatrixXd inputs;
  VectorXd noise;

  // Between two sets of points.
  MatrixXd correlation(const MatrixXd& a, const MatrixXd& b) const {
    const MatrixXd x = covariance.scale(a), y = covariance.scale(b);
    const int n = static_cast<int>(x.rows()), m = static_cast<int>(y.rows());
    MatrixXd r(n, m);
    covariance.cross(x.data(), n, y.data(), m, r.data());
    return r;
  }
  MatrixXd k() const {
    MatrixXd k = correlation(inputs, inputs);
    k.diagonal() += noise;
    return k;
  }
  std::unique_ptr<const Factor> factor(const btg::FactorMethod& method) const {
    return method.factor(covariance, inputs, noise, btg::Execution(1));
  }
  // F of CovarianceGradient.
  double objective(const MatrixXd& b) const {
    const problems::LongMatrix k_long = problems::widen(k()), columns = problems::widen(b);
    return static_cast<double>(-problems::log_abs_determinant(k_long) / 2 -
                               (columns.array() * problems::solve(k_long, columns).array()).sum() /
                                   2);
  }
};

// Dense factors in the form that is kept.
class PackedMethod final : public btg::FactorMethod {
 public:
  std::unique_ptr<const Factor> factor(const Covariance& covariance, const MatrixXd& inputs,
                                       const VectorXd& noise,
                                       const btg::Execution& execution) const override {
    const auto dense = btg::dense_method()->factor(covariance, inputs, noise, execution);
    const auto packed = std::dynamic_pointer_cast<const btg::PackedDenseFactor>(dense->packed());
    return std::make_unique<const btg::PackedDenseFactor>(*packed);
  }
  double factor_cost(double n) const override { return n; }
  double cross_cost(double n) const override { return n; }
  double project_cost(double n) const override { return n; }
  double shared_cost(double n) const override { return n; }
  Eigen::Index points_at_a_time(Eigen::Index n) const override { return n; }
};

// Every kernel, radial and product, with each factor.
template <class Body>
void for_each(Body body) {
  Random random(1);
  const EigenMethod eigen;
  const PackedMethod packed;
  for (const Kernel& kernel : problems::kernels()) {
    for (btg::Form form : {btg::Form::radial, btg::Form::product}) {
      const int n = random.integer(5, 20), d = random.integer(1, 3);
      const std::vector<double> own(kernel.n_parameters, 1.3);
      const Problem problem{
          {&btg::eigen_compute(), {{&kernel, form, own, 0, d}}, random.matrix(1, d, 0.5, 2)},
          random.matrix(n, d, -2, 2),
          random.matrix(n, 1, 0.01, 1)};
      body(problem, *btg::dense_method(), random);
      body(problem, static_cast<const btg::FactorMethod&>(eigen), random);
      body(problem, static_cast<const btg::FactorMethod&>(packed), random);
    }
  }
}

MatrixXd lower(const MatrixXd& a) { return a.triangularView<Eigen::Lower>(); }

}  // namespace

TEST("W'W is the inverse of K, and the determinant that of K") {
  for_each([](const Problem& problem, const btg::FactorMethod& method, Random& random) {
    const auto factor = problem.factor(method);
    const MatrixXd k = problem.k(), b = random.matrix(static_cast<int>(k.rows()), 3);
    const MatrixXd whitened = factor->whiten(b), expected = problems::solve(k, b);
    CHECK(error(factor->whiten_transposed(whitened), expected) < 1e-11);
    CHECK(error(whitened.transpose() * whitened, b.transpose() * expected) < 1e-11);
    const MatrixXd w = factor->whiten(MatrixXd::Identity(k.rows(), k.rows()));
    CHECK(error(factor->whiten_transposed(b), w.transpose() * b) < 1e-12);
    CHECK_CLOSE(factor->half_log_det(), problems::log_abs_determinant(k) / 2, 1e-11);
  });
}

TEST("the gradient is the difference in every parameter of K") {
  for_each([](const Problem& problem, const btg::FactorMethod& method, Random& random) {
    const auto factor = problem.factor(method);
    const MatrixXd b = random.matrix(static_cast<int>(problem.inputs.rows()), 2);
    const btg::CovarianceGradient gradient = factor->gradient(factor->whiten(b));
    const auto slope = [&](auto change) {
      const auto changed = [&](double by) {
        Problem moved = problem;
        change(moved, by);
        return moved.objective(b);
      };
      return problems::difference(changed, 0.0, 1e-3);
    };
    CHECK(gradient.log_length_scales.size() == problem.inputs.cols());
    for (Eigen::Index j = 0; j < gradient.log_length_scales.size(); ++j) {
      const double expected = slope(
          [&](Problem& moved, double by) { moved.covariance.length_scales[j] *= std::exp(by); });
      CHECK_CLOSE(gradient.log_length_scales[j], expected, 1e-7);
    }
    CHECK(gradient.log_parameters.size() == problem.covariance.parameter_count());
    for (Eigen::Index j = 0; j < gradient.log_parameters.size(); ++j) {
      const double expected = slope([&](Problem& moved, double by) {
        moved.covariance.terms[0].parameters[j] *= std::exp(by);
      });
      CHECK_CLOSE(gradient.log_parameters[j], expected, 1e-7);
    }
    CHECK(gradient.noise.size() == problem.inputs.rows());
    for (Eigen::Index i = 0; i < gradient.noise.size(); ++i) {
      const double expected = slope([&](Problem& moved, double by) { moved.noise[i] += by; });
      CHECK_CLOSE(gradient.noise[i], expected, 1e-6);
    }
  });
}

TEST("cross terms are those of explicit inverses") {
  for_each([](const Problem& problem, const btg::FactorMethod& method, Random& random) {
    const auto factor = problem.factor(method);
    const int n = static_cast<int>(problem.inputs.rows());
    MatrixXd points = random.matrix(5, static_cast<int>(problem.inputs.cols()), -3, 3);
    points.row(1) = problem.inputs.row(0);
    const MatrixXd b = random.matrix(n, 2), k = problem.correlation(problem.inputs, points);
    const MatrixXd solved = problems::solve(problem.k(), k);
    const MatrixXd prepared = factor->prepare(factor->whiten(b));
    const auto terms = factor->cross(points, {}, {});
    CHECK(error(terms->explained(), (k.transpose() * solved).diagonal()) < 1e-11);
    CHECK(error(terms->times(prepared.col(1)), solved.transpose() * b.col(1)) < 1e-11);
    CHECK(error(terms->transposed_times(prepared), b.transpose() * solved) < 1e-11);
    const MatrixXd covariance = problem.correlation(points, points) - k.transpose() * solved;
    CHECK(error(lower(terms->covariance()), lower(covariance)) < 1e-11);
  });
}

TEST("a projected root is that of explicit matrices") {
  for_each([](const Problem& problem, const btg::FactorMethod& method, Random& random) {
    const auto factor = problem.factor(method);
    const int n = static_cast<int>(problem.inputs.rows());
    const MatrixXd u = btg::Trend(factor->whiten(random.matrix(n, 2))).basis();
    const MatrixXd w = factor->whiten(MatrixXd::Identity(n, n)), g = w - u * (u.transpose() * w);
    const auto root = factor->project(u);
    const VectorXd x = random.matrix(n, 1);
    CHECK(error(root->transposed_times(x), g.transpose() * x) < 1e-11);
    for (int i = 0; i < n; ++i) {
      CHECK_CLOSE(root->squared_norm(i), g.col(i).squaredNorm(), 1e-11);
    }
    // A site may be there twice.
    const std::vector<int> sites{3, 0, n - 1, 3};
    const VectorXd weights = random.matrix(4, 1, 0.1, 2);
    MatrixXd c(n, 4);
    for (int k = 0; k < 4; ++k) c.col(k) = weights[k] * g.col(sites[k]);
    CHECK(error(lower(root->gram(sites, weights)), lower(c.transpose() * c)) < 1e-11);
    CHECK(error(root->combine(sites, weights), c.rowwise().sum()) < 1e-11);
  });
}

TEST("a K that is singular to rounding has no factor") {
  const EigenMethod eigen;
  Random random(2);
  for (const Kernel& kernel : problems::kernels()) {
    const std::vector<double> own(kernel.n_parameters, 1.3);
    const Problem problem{{&btg::eigen_compute(),
                           {{&kernel, btg::Form::radial, own, 0, 2}},
                           Eigen::RowVector2d(1, 2)},
                          random.matrix(4, 2).replicate(2, 1),
                          VectorXd::Constant(8, 1e-18)};
    CHECK(!problem.factor(*btg::dense_method()));
    CHECK(!problem.factor(eigen));
  }
}

// The model with the other factor, at several nodes. Some rows share a site, and weights differ.
TEST("the model does not notice which factor it has") {
  Random random(3);
  for (const Kernel& kernel : problems::kernels()) {
    for (const std::vector<std::string>& transform :
         {std::vector<std::string>{}, {"sinharcsinh"}, {"boxcox"}}) {
      for (bool shared : {false, true}) {
        const btg::Form form = shared ? btg::Form::product : btg::Form::radial;
        RandomModel made = problems::random_model(random, kernel, form, transform, 2);
        Model& dense = made.model;
        if (shared) {
          const int m = static_cast<int>(dense.inputs.rows());
          std::vector<int> of_row;
          for (int i = 0; i < m; ++i) of_row.push_back(i);
          for (int i = 0; i < m; ++i) of_row.push_back(i / 2);
          dense.response = random.matrix(2 * m, 1, 0.4, 4);
          dense.sites = btg::Sites(of_row, random.matrix(2 * m, 1, 0.2, 3));
        }
        const int n = static_cast<int>(dense.response.size());
        Model other = dense;
        other.factor_method = std::make_shared<const EigenMethod>();
        MatrixXd etas(dense.size(), 4);
        for (int i = 0; i < 4; ++i) etas.col(i) = made.random_eta(random);
        const int covariance = dense.hyperparameters.covariance_size();
        etas.col(2).head(covariance) = etas.col(1).head(covariance);

        CHECK(error(btg::evaluate(other, etas), btg::evaluate(dense, etas)) < 1e-8);
        for (int i = 0; i < 4; ++i) {
          const double* eta = etas.col(i).data();
          CHECK(error(btg::evaluate_gradient(other, eta).gradient,
                      btg::evaluate_gradient(dense, eta).gradient) < 1e-8);
        }

        const btg::Points points =
            problems::points_at(random.matrix(7, 3, -2, 2), random.polynomial_trend(7, 2), true);
        const btg::LatentValues latent = problems::latent_values(dense, etas, points);
        const btg::LatentValues same = problems::latent_values(other, etas, points);
        CHECK(error(same.location, latent.location) < 1e-8);
        CHECK(error(same.scale, latent.scale) < 1e-8);

        std::vector<int> fold_of_row(n);
        for (int i = 0; i < n; ++i) fold_of_row[i] = i % 4;
        for (const btg::Folds& folds : {btg::leave_one_out(n), btg::make_folds(fold_of_row, 4)}) {
          const btg::LeftOut a = btg::leave_out(dense, etas, folds, true);
          const btg::LeftOut b = btg::leave_out(other, etas, folds, true);
          CHECK(a.status == b.status);
          CHECK(error(b.log_marginal, a.log_marginal) < 1e-8);
          CHECK(error(b.location, a.location) < 1e-8 && error(b.scale, a.scale) < 1e-8);
        }

        const btg::DrawPlan plan{
            {0, 1, 2, 3, 0}, random.matrix(7, 5, -2, 2), random.matrix(5, 1, 0.5, 2)};
        CHECK(error(problems::joint_draws(other, etas, points, plan),
                    problems::joint_draws(dense, etas, points, plan)) < 1e-8);
      }
    }
  }
}
