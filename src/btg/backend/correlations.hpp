// Correlation matrices and their derivatives for any kernel and form, one panel of a column at a
// time. compute/compute.hpp gives the contracts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "btg/backend/forms.hpp"
#include "btg/backend/pairs.hpp"
#include "btg/compute/compute.hpp"

namespace btg {
namespace eigen {

using btg_compute::Correlation;

// Calls visit(pairs) for each panel of rows, starting at the chunk that contains `first`.
template <class Visit>
void for_each_panel(const Correlation& how, const PaddedColumns& x, const double* y, int first,
                    Visit visit) {
  for (first = first / chunk_size * chunk_size; first < x.rows(); first += panel_size) {
    visit(Pairs{how, x, y, first, std::min(panel_size, x.rows() - first)});
  }
}

// Multiplies by 1 within the group of y, and by 0 outside.
inline void keep_group(const Pairs& pairs, Panel& values) {
  if (!pairs.how.grouped) return;
  for (int i = 0; i < pairs.count; i += chunk_size) values.chunk(i) *= pairs.in_group(i);
}

// amplitude * R of each pair.
inline void term_values(const FormFunctions& form, const Pairs& pairs, Panel& values) {
  if (pairs.how.grouped && pairs.none_in_group()) {
    std::fill(values.data(), values.data() + pairs.count, 0.0);
    return;
  }
  form.correlate(pairs, values.data());
  keep_group(pairs, values);
  for (int i = 0; i < pairs.count; i += chunk_size) values.chunk(i) *= pairs.how.amplitude;
}

// Writes rows `first`, ..., n - 1 of a column, and possibly a few rows above, or adds to them.
inline void correlation_column(const Correlation& how, const PaddedColumns& x, const double* y,
                               int first, int n, double* column) {
  const FormFunctions& form = functions_of(how.form);
  const bool plain = !how.grouped && !how.add && how.amplitude == 1.0;
  for_each_panel(how, x, y, first, [&](const Pairs& pairs) {
    if (!plain) {
      Panel values;
      term_values(form, pairs, values);
      const int known = std::min(pairs.count, n - pairs.first);
      for (int i = 0; i < known; ++i) {
        double& element = column[pairs.first + i];
        element = (how.add ? element : 0.0) + values.data()[i];
      }
    } else if (pairs.first + pairs.count <= n) {
      form.correlate(pairs, column + pairs.first);
    } else {
      Panel values;
      form.correlate(pairs, values.data());
      std::copy(values.data(), values.data() + (n - pairs.first), column + pairs.first);
    }
  });
}

inline void correlation(const Correlation& how, const double* x, int n, int d, double* r) {
  const PaddedColumns padded(x, n, d);
  const PointList points(x, n, d);
  for (int j = 0; j < n; ++j) {
    correlation_column(how, padded, points[j], j, n, r + static_cast<std::ptrdiff_t>(n) * j);
  }
}

inline void cross_correlation(const Correlation& how, const double* x, int n, const double* y,
                              int m, int d, double* r) {
  const PaddedColumns padded(x, n, d);
  const PointList points(y, m, d);
  for (int j = 0; j < m; ++j) {
    correlation_column(how, padded, points[j], 0, n, r + static_cast<std::ptrdiff_t>(n) * j);
  }
}

// Computes S = left left' - inverse for the rows of `pairs` and column j. Entries on or above the
// diagonal, or beyond n, are 0.
inline void weights_below_diagonal(const Pairs& pairs, const PaddedColumns& left,
                                   const double* left_j, const double* inverse, int n, int j,
                                   Panel& weights) {
  for (int i = 0; i < pairs.count; i += chunk_size) {
    const int first = pairs.first + i;
    Chunk sum = Chunk::Zero();
    if (first > j && first + chunk_size <= n) {
      sum = -Eigen::Map<const Chunk>(inverse + first);
    } else {
      for (int k = std::max(first, j + 1); k < std::min(first + chunk_size, n); ++k) {
        sum[k - first] = -inverse[k];
      }
    }
    for (int c = 0; c < left.columns(); ++c) sum += left_j[c] * left.chunk(first, c);
    for (int k = first; k <= std::min(j, first + chunk_size - 1); ++k) sum[k - first] = 0.0;
    weights.chunk(i) = sum;
  }
}

// The factor 2 accounts for the pairs above the diagonal.
inline void correlation_gradient(const Correlation& how, const double* x, int n, int d,
                                 const double* inverse, const double* left, int columns,
                                 double* gradient) {
  const PaddedColumns padded(x, n, d), padded_left(left, n, columns);
  const PointList points(x, n, d), lefts(left, n, columns);
  const FormFunctions& form = functions_of(how.form);
  GradientSums sums(d + how.parameter_count() + how.crossed_count + 1);
  Panel weights;
  for (int j = 0; j < n; ++j) {
    for_each_panel(how, padded, points[j], j, [&](const Pairs& pairs) {
      if (how.grouped && pairs.none_in_group()) return;
      weights_below_diagonal(pairs, padded_left, lefts[j],
                             inverse + static_cast<std::ptrdiff_t>(n) * j, n, j, weights);
      keep_group(pairs, weights);
      form.add_gradient(pairs, weights, sums);
    });
  }
  sums.write(2.0 * how.amplitude, gradient);
}

inline void cross_gradient(const Correlation& how, const double* x, int n, const double* y, int m,
                           int d, const double* weights, double* gradient) {
  const PaddedColumns padded(x, n, d);
  const PointList points(y, m, d);
  const FormFunctions& form = functions_of(how.form);
  GradientSums sums(d + how.parameter_count() + how.crossed_count + 1);
  Panel own;
  for (int j = 0; j < m; ++j) {
    const double* column = weights + static_cast<std::ptrdiff_t>(n) * j;
    for_each_panel(how, padded, points[j], 0, [&](const Pairs& pairs) {
      const int known = std::min(pairs.count, n - pairs.first);
      std::copy(column + pairs.first, column + pairs.first + known, own.data());
      std::fill(own.data() + known, own.data() + pairs.count, 0.0);
      keep_group(pairs, own);
      form.add_gradient(pairs, own, sums);
    });
  }
  sums.write(how.amplitude, gradient);
}

inline void cross_slopes(const Correlation& how, const double* x, int n, const double* y, int m,
                         int d, double* slopes) {
  const PaddedColumns padded(x, n, d);
  const PointList points(y, m, d);
  const FormFunctions& form = functions_of(how.form);
  const bool plain = !how.grouped && how.amplitude == 1.0;
  std::vector<Panel> of_columns(d);
  if (how.grouped) std::fill_n(of_columns.back().data(), panel_size, 0.0);  // of the codes
  for (int j = 0; j < m; ++j) {
    for_each_panel(how, padded, points[j], 0, [&](const Pairs& pairs) {
      form.slopes(pairs, of_columns);
      const int known = std::min(pairs.count, n - pairs.first);
      for (int k = 0; k < d; ++k) {
        if (!plain) {
          keep_group(pairs, of_columns[k]);
          for (int i = 0; i < pairs.count; i += chunk_size) {
            of_columns[k].chunk(i) *= how.amplitude;
          }
        }
        std::copy(of_columns[k].data(), of_columns[k].data() + known,
                  slopes + (static_cast<std::ptrdiff_t>(m) * k + j) * n + pairs.first);
      }
    });
  }
}

}  // namespace eigen
}  // namespace btg
