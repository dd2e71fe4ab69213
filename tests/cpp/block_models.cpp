#include "block_models.hpp"

#include <cmath>

namespace blocks {

RandomModel large_model(Random& random, const Kernel& kernel, btg::Form form, int n, int p,
                        bool replicated) {
  RandomModel result = problems::random_model(random, kernel, form, {"boxcox"}, p);
  Model& model = result.model;
  model.inputs = random.matrix(n, 3);
  result.trend = random.polynomial_trend(n, p);
  model.trend = btg::Trend(result.trend);
  std::vector<int> of_row;
  for (int i = 0; i < n; ++i) of_row.push_back(i);
  for (int i = 0; replicated && i < n; i += 3) of_row.push_back(i);
  const int rows = static_cast<int>(of_row.size());
  model.response = random.matrix(rows, 1, 0.4, 4);
  if (replicated) model.sites = btg::Sites(of_row, random.matrix(rows, 1, 0.3, 2));
  return result;
}

Model with_blocks(const Model& model, const BlockOptions& options) {
  Model result = model;
  const Eigen::RowVectorXd length_scales = Eigen::RowVectorXd::Constant(model.inputs.cols(), 0.8);
  result.factor_method = std::make_shared<btg::BlockMethod>(
      std::make_shared<btg::BlockStructure>(model.inputs, btg::InputSpace(length_scales), options));
  return result;
}

double evaluate_one(const Model& model, const VectorXd& eta) {
  return btg::evaluate(model, eta)[0];
}

btg::Points random_points(Random& random, const Model& model, int count, int p) {
  MatrixXd inputs = random.matrix(count, static_cast<int>(model.inputs.cols()), -1.2, 1.2);
  for (const btg::Term& term : model.terms) {
    if (!term.grouped) continue;
    const int column = term.first + term.columns - 1;
    for (int i = 0; i < count; ++i) inputs(i, column) = model.inputs(i, column);
    inputs(count - 1, column) = 99;  // a new group
  }
  inputs.row(0) = model.inputs.row(3);
  return {inputs, random.polynomial_trend(count, p), random.matrix(count, 1, 0, 1), {}};
}

void check_close(const MatrixXd& actual, const MatrixXd& expected, double tolerance) {
  CHECK(actual.rows() == expected.rows() && actual.cols() == expected.cols());
  for (Eigen::Index i = 0; i < actual.size(); ++i) {
    CHECK_CLOSE(actual.data()[i], expected.data()[i], tolerance);
  }
}

void check_same_model(const Model& block, const Model& dense, const VectorXd& eta, Random& random,
                      double tolerance) {
  const int p = static_cast<int>(dense.trend.basis().cols());
  CHECK_CLOSE(evaluate_one(block, eta), evaluate_one(dense, eta), tolerance);
  const btg::MarginalGradient slopes = btg::evaluate_gradient(block, eta.data());
  check_close(slopes.gradient, btg::evaluate_gradient(dense, eta.data()).gradient, tolerance);

  const btg::Points points = random_points(random, dense, 30, p);
  const btg::LatentValues predicted = problems::latent_values(block, eta, points);
  const btg::LatentValues expected = problems::latent_values(dense, eta, points);
  check_close(predicted.location, expected.location, tolerance);
  check_close(predicted.scale, expected.scale, tolerance);

  const btg::Direction along{
      random.matrix(30, static_cast<int>(dense.inputs.cols())), random.matrix(30, p), {}};
  const auto sloped = [&](const Model& model) {
    return btg::predict_latent(model, eta, points, {along}, {}, true);
  };
  const btg::LatentPredictions moved = sloped(block), exactly = sloped(dense);
  check_close(moved.along[0].location, exactly.along[0].location, tolerance);
  check_close(moved.along[0].scale, exactly.along[0].scale, tolerance);
  check_close(moved.spread[0].covariance, exactly.spread[0].covariance, tolerance);
  check_close(moved.spread[0].variance, exactly.spread[0].variance, tolerance);

  const btg::KernelNode node = *btg::kernel_node(block, eta.data());
  const btg::KernelNode dense_node = *btg::kernel_node(dense, eta.data());
  check_close(problems::symmetric(node.factor->cross(points.inputs, {}, {})->covariance()),
              problems::symmetric(dense_node.factor->cross(points.inputs, {}, {})->covariance()),
              tolerance);

  const int rows = static_cast<int>(dense.response.size());
  std::vector<int> three(rows);
  for (int i = 0; i < rows; ++i) three[i] = i / 3;
  for (const btg::Folds& folds :
       {btg::leave_one_out(rows), btg::make_folds(three, three.back() + 1)}) {
    const btg::LeftOut left_out = btg::leave_out(block, eta, folds, true);
    const btg::LeftOut exact = btg::leave_out(dense, eta, folds, true);
    check_close(left_out.location, exact.location, tolerance);
    check_close(left_out.scale, exact.scale, tolerance);
    check_close(left_out.log_marginal, exact.log_marginal, tolerance);
  }
}

MatrixXd covariance_of(const btg::Factor& factor, int n) {
  const MatrixXd w = factor.whiten(MatrixXd::Identity(n, n));
  const problems::LongMatrix wide = problems::widen(w);
  return problems::narrow(problems::inverse(problems::transposed_times(wide, wide)));
}

MatrixXd covariance_of_rows(const Model& model, const btg::KernelNode& node) {
  const int n = static_cast<int>(model.site_count()),
            rows = static_cast<int>(model.response.size());
  MatrixXd sites = covariance_of(*node.factor, n);
  sites.diagonal() -= node.noise.cwiseProduct(model.sites.relative_noise(n));
  MatrixXd k(rows, rows);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < rows; ++j) k(i, j) = sites(model.sites.of_row(i), model.sites.of_row(j));
    k(i, i) += node.noise[model.sites.of_row(i)] / model.sites.weight(i);
  }
  return k;
}

}  // namespace blocks
