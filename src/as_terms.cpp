#include "as_terms.h"

#include <algorithm>
#include <string>

#include "btg/base/error.hpp"

namespace {

using btg::Form;

const btg_compute::Kernel& find_kernel(const btg::Compute& compute, const std::string& name) {
  for (int i = 0; i < compute.n_kernels; ++i) {
    if (compute.kernels[i].name == name) return compute.kernels[i];
  }
  throw btg::Error("kernel", "There is no kernel \"" + name + "\".");
}

Form as_form(const std::string& name) {
  if (name == "radial") return Form::radial;
  if (name == "product") return Form::product;
  if (name == "additive") return Form::additive;
  throw btg::Error("argument", "There is no form \"" + name + "\".");
}

bool has(const Rcpp::List& list, const char* name) {
  return list.containsElementNamed(name) && !Rf_isNull(list[name]);
}

// Numbers counted from 1, or none.
std::vector<int> as_places(const Rcpp::List& list, const char* name) {
  if (!has(list, name)) return {};
  return from_zero(Rcpp::as<std::vector<int>>(list[name]));
}

// The first column after each input, given the input of each column. Empty if each column is one.
std::vector<int> ends_of_inputs(const std::vector<int>& input) {
  std::vector<int> ends;
  for (std::size_t k = 0; k < input.size(); ++k) {
    if (k + 1 == input.size() || input[k + 1] != input[k]) ends.push_back(static_cast<int>(k) + 1);
  }
  return ends.size() == input.size() ? std::vector<int>() : ends;
}

// Reads list(name, base, kernel, form, columns, lengthscale, input, mapped, by), and appends its
// columns.
void add_term(const Rcpp::List& spec, int design_columns, const btg::Compute& compute,
              ModelTerms& all) {
  const auto base = Rcpp::as<std::string>(spec["base"]);
  const bool stationary = base == "stationary";
  if (!stationary && base != "linear" && base != "constant") {
    throw btg::Error("argument", "A term of the covariance has no base \"" + base + "\".");
  }
  const std::vector<int> columns = as_places(spec, "columns");
  const std::vector<int> length_scale = as_places(spec, "lengthscale");
  const std::vector<int> input = as_places(spec, "input");
  const int by = has(spec, "by") ? Rcpp::as<int>(spec["by"]) - 1 : -1;
  btg::Term term{Rcpp::as<std::string>(spec["name"]), nullptr,
                 base == "linear" ? Form::linear : Form::constant};
  if (stationary) {
    term.kernel = &find_kernel(compute, Rcpp::as<std::string>(spec["kernel"]));
    term.form = as_form(Rcpp::as<std::string>(spec["form"]));
    if (term.form != Form::radial) term.input_ends = ends_of_inputs(input);
    term.mapped = as_places(spec, "mapped");
  }
  const std::size_t lengthscales = stationary ? columns.size() : 0;
  if (length_scale.size() != lengthscales || (!input.empty() && input.size() != columns.size())) {
    throw btg::Error("damaged", "A term of the covariance is not described completely.");
  }
  int before = 0;  // lengthscales of the terms before
  for (const int k : all.length_scale_of_column) before = std::max(before, k + 1);
  term.first = static_cast<int>(all.column_of.size());
  term.grouped = by >= 0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    all.column_of.push_back(columns[k]);
    all.length_scale_of_column.push_back(stationary ? before + length_scale[k] : -1);
  }
  if (term.grouped) {
    all.column_of.push_back(by);
    all.length_scale_of_column.push_back(-1);
  }
  term.columns = static_cast<int>(all.column_of.size()) - term.first;
  for (int k = term.first; k < term.first + term.columns; ++k) {
    if (all.column_of[k] < 0 || all.column_of[k] >= design_columns) {
      throw btg::Error("damaged", "The inputs lack a column of a term of the covariance.");
    }
  }
  all.terms.push_back(std::move(term));
}

}  // namespace

ModelTerms as_terms(const Rcpp::List& spec, const std::vector<int>& length_scale_of_column,
                    const std::vector<int>& input_of_column, const btg::Compute& compute) {
  ModelTerms all;
  const int columns = static_cast<int>(length_scale_of_column.size());
  if (!has(spec, "terms")) {
    const Form form = as_form(Rcpp::as<std::string>(spec["form"]));
    all.terms = {
        btg::main_term(find_kernel(compute, Rcpp::as<std::string>(spec["kernel"])), form, columns)};
    if (form != Form::radial) all.terms[0].input_ends = ends_of_inputs(input_of_column);
    all.length_scale_of_column = length_scale_of_column;
    return all;
  }
  for (const SEXP term : Rcpp::List(spec["terms"])) {
    add_term(Rcpp::List(term), columns, compute, all);
  }
  return all;
}
