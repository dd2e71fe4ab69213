#include "btg/model/model.hpp"

#include <limits>
#include <string>

#include "btg/base/error.hpp"
#include "btg/numerics/decompositions.hpp"

namespace btg {

Covariance Model::covariance(const double* eta) const {
  const Segment own = hyperparameters.segment(Role::kernel);
  Eigen::RowVectorXd of_columns(inputs.cols());
  for (Eigen::Index k = 0; k < of_columns.size(); ++k) {
    of_columns[k] = length_scales(eta)[length_scale_of_column[k]];
  }
  std::vector<double> level_distances(levels.empty() ? 0 : of_columns.size(), -1.0);
  for (const Levels& one : levels) {
    const double length_scale = of_columns[one.column];
    level_distances[one.column] = one.squared_distance / (length_scale * length_scale);
  }
  return {compute,    kernel,         form, {own.of(eta), own.of(eta) + own.count},
          of_columns, level_distances};
}

double Model::residual_count() const {
  return btg::residual_count(likelihood, static_cast<double>(response.size()),
                             static_cast<double>(trend.basis().cols()));
}

double Model::jacobian_power() const {
  const double n = static_cast<double>(exact_count());
  return btg::residual_count(likelihood, n, static_cast<double>(trend.basis().cols())) / n;
}

double Model::degrees_of_freedom() const {
  return likelihood == Likelihood::integrated
             ? static_cast<double>(response.size() - trend.basis().cols())
             : std::numeric_limits<double>::infinity();
}

namespace {

// Throws unless the exact rows leave degrees of freedom and identify the trend.
void check_exact_rows(const Model& model) {
  const Eigen::Index p = model.trend.basis().cols();
  if (model.exact_count() <= p) {
    throw Error("censored", "There are " + std::to_string(model.exact_count()) +
                                " exact responses, too few for a trend of " + std::to_string(p) +
                                " coefficients.");
  }
  Eigen::MatrixXd exact(model.exact_count(), p);
  Eigen::Index next = 0;
  for (Eigen::Index row = 0; row < model.response.size(); ++row) {
    if (model.censored.index_of(static_cast<int>(row)) >= 0) continue;
    exact.row(next++) = model.trend.basis().row(model.sites.of_row(static_cast<int>(row)));
  }
  // 1 / |R^-1| is close to the least singular value.
  if (!(1.0 / invert(thin_qr(exact).triangle).matrix.norm() > 1e-10)) {
    throw Error("censored", "The exact responses do not determine the trend.");
  }
}

void check_censored(const Model& model) {
  const Censored& censored = model.censored;
  if (censored.empty()) return;
  int last = -1;
  for (int k = 0; k < censored.count(); ++k) {
    const int row = censored.rows()[k];
    if (row <= last || row >= model.response.size() ||
        !(censored.lower()[k] < censored.upper()[k])) {
      throw Error("damaged", "The intervals of censored responses are not in order.");
    }
    last = row;
  }
  if (model.likelihood != Likelihood::integrated) {
    throw Error("censored", "The profile likelihood needs exact responses.");
  }
  check_exact_rows(model);
}

}  // namespace

void check_model(const Model& model) {
  const Hyperparameters& all = model.hyperparameters;
  const auto expect = [](bool fits, const char* what) {
    if (!fits) throw Error("damaged", std::string("The parts of a model do not fit: ") + what);
  };
  const Eigen::Index rows = model.sites.plain() ? model.response.size() : model.sites.row_count();
  expect(model.response.size() == rows, "the response and the inputs differ in rows.");
  expect(model.trend.basis().rows() == model.site_count(),
         "the trend and the inputs differ in rows.");
  expect(static_cast<Eigen::Index>(model.length_scale_of_column.size()) == model.inputs.cols(),
         "every column of the inputs needs a lengthscale.");
  const int length_scales = all.segment(Role::length_scale).count;
  for (const int k : model.length_scale_of_column) {
    expect(k >= 0 && k < length_scales, "a column of the inputs has no lengthscale.");
  }
  for (const Levels& one : model.levels) {
    expect(one.column >= 0 && one.column < model.inputs.cols() && one.squared_distance > 0.0,
           "a factor is not a column of the inputs.");
    const Eigen::ArrayXd codes = model.inputs.col(one.column);
    expect((codes >= 1.0).all() && (codes <= one.count).all() && (codes == codes.floor()).all(),
           "the inputs have levels that the factor lacks.");
  }
  expect(all.segment(Role::kernel).count == model.kernel->n_parameters,
         "the hyperparameters are not those of the kernel.");
  expect(all.segment(Role::noise).count == model.noise.parameter_count(),
         "the hyperparameters are not those of the noise.");
  expect(model.noise.constant() || model.noise.columns().rows() == model.site_count(),
         "the model of the noise and the inputs differ in rows.");
  for (const int k : model.noise.used()) {
    expect(k >= 0 && k < model.noise.columns().cols(), "the noise has no such column.");
  }
  expect(all.segment(Role::transform).count == model.transform.size(),
         "the hyperparameters are not those of the transform.");
  expect(model.response.allFinite() && model.inputs.allFinite(),
         "some of the data are not numbers.");
  check_censored(model);
}

void check_hyperparameters(const Model& model, const Eigen::MatrixXd& etas) {
  if (etas.rows() != model.size()) {
    throw Error("damaged", "The values are not those of the model's hyperparameters.");
  }
}

void check_nodes(const Model& model, const Eigen::MatrixXd& etas) {
  if (etas.rows() != model.node_size()) {
    throw Error("damaged", "The nodes are not those of the model's hyperparameters.");
  }
}

}  // namespace btg
