// Correlation forms: how a correlation depends on the differences delta_k in each input. A form has
//
//   correlate(pairs, out)                  R of each pair
//   add_gradient(pairs, weights, sums)     weights times dR / d log lengthscale_k and times
//                                          dR / d log parameter; overwrites the weights
//   slopes(pairs, out)                     dR / dy_k, one panel per input k
//
// To add a form, write its struct and add it to `forms`, in the order of btg_compute::Form.
#pragma once

#include <vector>

#include "btg/backend/pairs.hpp"
#include "btg/compute/compute.hpp"
#include "btg/kernels/kernel.hpp"
#include "btg/kernels/kernel_functions.hpp"

namespace btg {

inline void scale_panel(const Pairs& pairs, Panel& factor, Panel& weights) {
  for (int i = 0; i < pairs.count; i += chunk_size) weights.chunk(i) *= factor.chunk(i);
}

inline void add_products(const Pairs& pairs, Panel& weights, Panel& factor, int column,
                         GradientSums& sums) {
  for (int i = 0; i < pairs.count; i += chunk_size) {
    sums.add(column, weights.chunk(i) * factor.chunk(i));
  }
}

// R = k(r) with r^2 = sum_k delta_k^2, so that
// dR / d log lengthscale_k = -2 delta_k^2 R (d log k / d r^2) and
// dR / dy_k = 2 (y_k - x_k) R (d log k / d r^2).
// At r = 0 the exponential kernel has a kink and gets slope 0, the mean of both sides.
struct RadialForm {
  static void correlate(const Pairs& pairs, double* out) {
    Panel r2;
    pairs.squared_distances(r2);
    pairs.value(r2, out);
  }

  static void add_gradient(const Pairs& pairs, Panel& weights, GradientSums& sums) {
    Panel r2, factor;
    pairs.squared_distances(r2);
    pairs.value(r2, factor.data());
    scale_panel(pairs, factor, weights);
    for (int j = 0; j < pairs.how.kernel->n_parameters; ++j) {
      pairs.parameter_slope(j, r2, factor);
      add_products(pairs, weights, factor, pairs.inputs() + j, sums);
    }
    pairs.log_slope(r2, factor);
    scale_panel(pairs, factor, weights);
    for (int i = 0; i < pairs.count; i += chunk_size) {
      const Chunk weight = -2.0 * weights.chunk(i);
      for (int k = 0; k < pairs.inputs(); ++k) {
        sums.add(k, weight * within_reach(pairs.squared_difference(i, k)));
      }
    }
  }

  static void slopes(const Pairs& pairs, std::vector<Panel>& out) {
    Panel r2, r, slope;
    pairs.squared_distances(r2);
    pairs.value(r2, r.data());
    pairs.log_slope(r2, slope);
    for (int i = 0; i < pairs.count; i += chunk_size) {
      const Chunk factor = -2.0 * r.chunk(i) * slope.chunk(i);
      for (int k = 0; k < pairs.inputs(); ++k) out[k].chunk(i) = factor * pairs.difference(i, k);
    }
  }
};

// R = prod_k k(|delta_k|). Derivatives are as in the radial form, one factor at a time.
struct ProductForm {
  static void correlate(const Pairs& pairs, double* out) {
    Panel polynomial, exponent, squared;
    for (int i = 0; i < pairs.count; i += chunk_size) {
      polynomial.chunk(i).setOnes();
      exponent.chunk(i).setZero();
    }
    for (int k = 0; k < pairs.inputs(); ++k) {
      pairs.squared_differences(k, squared);
      pairs.how.kernel->accumulate(pairs.how.own, squared.data(), pairs.count, polynomial.data(),
                                   exponent.data());
    }
    for (int i = 0; i < pairs.count; i += chunk_size) {
      // 1 while the exponential is a normal number, else 0; otherwise a product of many polynomials
      // could outweigh an exponential clamped at exp(-708).
      const Chunk counts = ((708.0 - exponent.chunk(i)) * 1e300).max(0.0).min(1.0);
      Eigen::Map<Chunk>(out + i) =
          polynomial.chunk(i) * counts * exp_minus(Chunk(exponent.chunk(i)));
    }
  }

  static void add_gradient(const Pairs& pairs, Panel& weights, GradientSums& sums) {
    Panel squared, factor;
    correlate(pairs, factor.data());
    scale_panel(pairs, factor, weights);
    for (int k = 0; k < pairs.inputs(); ++k) {
      pairs.squared_differences(k, squared);
      for (int j = 0; j < pairs.how.kernel->n_parameters; ++j) {
        pairs.parameter_slope(j, squared, factor);
        add_products(pairs, weights, factor, pairs.inputs() + j, sums);
      }
      pairs.log_slope(squared, factor);
      for (int i = 0; i < pairs.count; i += chunk_size) {
        const Chunk reach = within_reach(Chunk(squared.chunk(i)));
        sums.add(k, -2.0 * weights.chunk(i) * reach * factor.chunk(i));
      }
    }
  }

  static void slopes(const Pairs& pairs, std::vector<Panel>& out) {
    Panel r, squared, slope;
    correlate(pairs, r.data());
    for (int k = 0; k < pairs.inputs(); ++k) {
      pairs.squared_differences(k, squared);
      pairs.log_slope(squared, slope);
      for (int i = 0; i < pairs.count; i += chunk_size) {
        out[k].chunk(i) = -2.0 * r.chunk(i) * slope.chunk(i) * pairs.difference(i, k);
      }
    }
  }
};

struct FormFunctions {
  void (*correlate)(const Pairs& pairs, double* out);
  void (*add_gradient)(const Pairs& pairs, Panel& weights, GradientSums& sums);
  void (*slopes)(const Pairs& pairs, std::vector<Panel>& out);
};

template <class F>
constexpr FormFunctions form_functions{F::correlate, F::add_gradient, F::slopes};

inline const FormFunctions& functions_of(btg_compute::Form form) {
  static constexpr FormFunctions forms[] = {form_functions<RadialForm>,
                                            form_functions<ProductForm>};
  return forms[static_cast<int>(form)];
}

}  // namespace btg
