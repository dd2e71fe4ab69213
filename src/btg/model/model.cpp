#include "btg/model/model.hpp"

#include <limits>
#include <string>

#include "btg/base/error.hpp"

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

double Model::degrees_of_freedom() const {
  return likelihood == Likelihood::integrated
             ? static_cast<double>(response.size() - trend.basis().cols())
             : std::numeric_limits<double>::infinity();
}

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
}

void check_nodes(const Model& model, const Eigen::MatrixXd& etas) {
  if (etas.rows() != model.size()) {
    throw Error("damaged", "The nodes are not those of the model's hyperparameters.");
  }
}

}  // namespace btg
