#include "btg/model/model.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include "btg/base/error.hpp"
#include "btg/base/select_rows.hpp"
#include "btg/numerics/decompositions.hpp"

namespace btg {

namespace {

// As Correlation expects them, of the columns of a term; empty if none of them holds levels.
std::vector<double> level_distances(const std::vector<Levels>& levels, const Term& term,
                                    const Eigen::RowVectorXd& length_scales) {
  std::vector<double> distances;
  for (const Levels& one : levels) {
    const int column = one.column - term.first;
    if (column < 0 || column >= term.columns - static_cast<int>(term.grouped)) continue;
    if (distances.empty()) distances.assign(term.columns, -1.0);
    const double length_scale = length_scales[one.column];
    distances[column] = one.squared_distance / (length_scale * length_scale);
  }
  return distances;
}

}  // namespace

Covariance Model::covariance(const double* eta) const {
  Covariance result{compute, {}, Eigen::RowVectorXd::Ones(inputs.cols())};
  for (Eigen::Index k = 0; k < inputs.cols(); ++k) {
    if (length_scale_of_column[k] >= 0) {
      result.length_scales[k] = length_scales(eta)[length_scale_of_column[k]];
    }
  }
  const Eigen::VectorXd rho = shares(eta);
  const double* parameter = of(Role::kernel, eta);
  const double* map = of(Role::map, eta);
  for (const Term& term : terms) {
    result.terms.push_back({term.kernel,
                            term.form,
                            {parameter, parameter + term.parameter_count()},
                            term.first,
                            term.columns,
                            level_distances(levels, term, result.length_scales),
                            term.input_ends,
                            term.grouped,
                            rho[static_cast<Eigen::Index>(result.terms.size())],
                            term.mapped});
    parameter += term.parameter_count();
    for (const int column : term.mapped) {
      result.maps.push_back({term.first + column, map[0], map[1]});
      map += 2;
    }
  }
  return result;
}

Eigen::VectorXd Model::shares(const double* eta) const {
  Eigen::VectorXd ratios = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(terms.size()));
  for (Eigen::Index t = 1; t < ratios.size(); ++t) ratios[t] = of(Role::share, eta)[t - 1];
  return ratios / ratios.sum();
}

namespace {

Eigen::MatrixXd select_columns(const Eigen::MatrixXd& from, const std::vector<int>& columns) {
  Eigen::MatrixXd result(from.rows(), columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (columns[k] >= from.cols()) {
      throw Error("argument", "The points lack a column of the inputs.");
    }
    result.col(static_cast<Eigen::Index>(k)) = from.col(columns[k]);
  }
  return result;
}

}  // namespace

Points Model::expand(Points points) const {
  if (!column_of.empty()) points.inputs = select_columns(points.inputs, column_of);
  return points;
}

std::vector<Direction> Model::expand(std::vector<Direction> directions) const {
  for (Direction& one : directions) {
    if (!column_of.empty()) one.inputs = select_columns(one.inputs, column_of);
  }
  return directions;
}

KeptTerms Model::kept_terms(const Points& points) const {
  KeptTerms kept;
  if (!points.terms) return kept;
  for (const Term& term : terms) {
    kept.push_back(std::find(points.terms->begin(), points.terms->end(), term.name) !=
                   points.terms->end());
  }
  return kept;
}

double Model::residual_count() const {
  return btg::residual_count(likelihood, static_cast<double>(response.size()),
                             static_cast<double>(trend.basis().cols()));
}

bool Model::is_reference(int row) const {
  const int index = censored.index_of(row);
  return index < 0 || std::isfinite(censored.middle(index));
}

double Model::degrees_of_freedom() const {
  return likelihood == Likelihood::integrated
             ? static_cast<double>(response.size() - trend.basis().cols())
             : std::numeric_limits<double>::infinity();
}

double largest_variance(const Model& model) {
  double largest = 1.0;
  for (const Term& term : model.terms) {
    if (term.form != Form::linear) continue;
    const int own = term.columns - static_cast<int>(term.grouped);
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(model.inputs.rows());
    for (int k = term.first; k < term.first + own; ++k) {
      if (levels_of(model.levels, k)) {
        sum.array() += 1.0;
      } else {
        sum += model.inputs.col(k).cwiseAbs2();
      }
    }
    largest = std::max(largest, sum.maxCoeff() / own);
  }
  return largest;
}

namespace {

void expect(bool fits, const char* what) {
  if (!fits) throw Error("damaged", std::string("The parts of a model do not fit: ") + what);
}

// Both columns of an input map are scaled alike, and hold numbers.
void check_maps(const Model& model, const Term& term) {
  int before = -2;
  for (const int k : term.mapped) {
    const int own = term.columns - static_cast<int>(term.grouped);
    expect(term.kernel && k >= before + 2 && k + 1 < own, "an input map lacks its columns.");
    before = k;
    const int column = term.first + k;
    expect(model.length_scale_of_column[column] == model.length_scale_of_column[column + 1],
           "an input map has two lengthscales.");
    expect(!levels_of(model.levels, column) && !levels_of(model.levels, column + 1),
           "an input map has levels of a factor.");
  }
}

void check_terms(const Model& model) {
  const Hyperparameters& all = model.hyperparameters;
  expect(!model.terms.empty(), "the covariance has no term.");
  int column = 0, parameters = 0, maps = 0;
  for (const Term& term : model.terms) {
    const int own = term.columns - static_cast<int>(term.grouped);
    const bool kernel = term.form != Form::linear && term.form != Form::constant;
    expect(term.first == column && own >= 0, "the terms and the inputs differ in columns.");
    expect(kernel == (term.kernel != nullptr), "a term has a kernel that it does not use.");
    expect(term.form == Form::constant ? own == 0 : own > 0, "a term lacks its inputs.");
    for (std::size_t j = 0; j < term.input_ends.size(); ++j) {
      expect(term.input_ends[j] > (j == 0 ? 0 : term.input_ends[j - 1]),
             "an input of a term has no columns.");
    }
    expect(term.input_ends.empty() || term.input_ends.back() == own,
           "the inputs of a term lack columns.");
    for (int k = 0; k < term.columns; ++k) {
      const bool scaled = model.length_scale_of_column[term.first + k] >= 0;
      expect(scaled == (kernel && k < own), "a column of the inputs has no lengthscale.");
    }
    check_maps(model, term);
    column += term.columns;
    parameters += term.parameter_count();
    maps += static_cast<int>(term.mapped.size());
  }
  expect(column == model.inputs.cols(), "the terms and the inputs differ in columns.");
  expect(model.column_of.empty() ||
             static_cast<Eigen::Index>(model.column_of.size()) == model.inputs.cols(),
         "the inputs are not those of the data.");
  expect(all.segment(Role::kernel).count == parameters,
         "the hyperparameters are not those of the kernel.");
  expect(all.segment(Role::map).count == 2 * maps,
         "the hyperparameters are not those of the input maps.");
  expect(all.segment(Role::share).count == static_cast<int>(model.terms.size()) - 1,
         "every term of the covariance but the first needs a ratio.");
}

// Throws unless the rows that determine the trend leave degrees of freedom. These are the exact
// ones; without any, those with two finite limits.
void check_known_rows(const Model& model) {
  const Eigen::Index p = model.trend.basis().cols();
  const bool exact = model.exact_count() > 0;
  const char* kind = exact ? "exact responses" : "responses with two finite limits";
  std::vector<int> sites;
  for (int row = 0; row < model.response.size(); ++row) {
    if (exact ? model.is_exact(row) : model.is_reference(row)) {
      sites.push_back(model.sites.of_row(row));
    }
  }
  if (static_cast<Eigen::Index>(sites.size()) <= p) {
    throw Error("censored", "There are " + std::to_string(sites.size()) + " " + kind +
                                ", too few for a trend of " + std::to_string(p) + " coefficients.");
  }
  // 1 / |R^-1| is close to the least singular value.
  const Eigen::MatrixXd rows = select_rows(model.trend.basis(), sites);
  if (!(1.0 / invert(thin_qr(rows).triangle).matrix.norm() > 1e-10)) {
    throw Error("censored", std::string("The ") + kind + " do not determine the trend.");
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
  check_known_rows(model);
}

}  // namespace

void check_model(const Model& model) {
  const Hyperparameters& all = model.hyperparameters;
  const Eigen::Index rows = model.sites.plain() ? model.response.size() : model.sites.row_count();
  expect(model.response.size() == rows, "the response and the inputs differ in rows.");
  expect(model.trend.basis().rows() == model.site_count(),
         "the trend and the inputs differ in rows.");
  expect(static_cast<Eigen::Index>(model.length_scale_of_column.size()) == model.inputs.cols(),
         "every column of the inputs needs a lengthscale.");
  const int length_scales = all.segment(Role::length_scale).count;
  for (const int k : model.length_scale_of_column) {
    expect(k >= -1 && k < length_scales, "a column of the inputs has no lengthscale.");
  }
  for (const Levels& one : model.levels) {
    expect(one.column >= 0 && one.column < model.inputs.cols() && one.squared_distance > 0.0,
           "a factor is not a column of the inputs.");
    const Eigen::ArrayXd codes = model.inputs.col(one.column);
    expect((codes >= 1.0).all() && (codes <= one.count).all() && (codes == codes.floor()).all(),
           "the inputs have levels that the factor lacks.");
  }
  check_terms(model);
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
