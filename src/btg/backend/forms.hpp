// Correlation forms: how a correlation depends on the differences delta_k in each column, or on the
// columns themselves. A form has
//
//   correlate(pairs, out)                  R of each pair
//   add_gradient(pairs, weights, sums)     weights times dR / d log lengthscale_k, times
//                                          dR / d log parameter, times the products of crossed
//                                          columns, and times R; overwrites the weights
//   slopes(pairs, out)                     dR / dy_k, one panel per column k
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

// `weights` are already multiplied by R.
inline void add_value(const Pairs& pairs, Panel& weights, GradientSums& sums) {
  Chunk sum = weights.chunk(0);
  for (int i = chunk_size; i < pairs.count; i += chunk_size) sum += weights.chunk(i);
  sums.add(pairs.place_of_value(), sum);
}

// For the crossed columns first, ..., end - 1, with weights that are already multiplied by R and
// its log slope.
template <class Weight>
void add_crossed(const Pairs& pairs, int first, int end, Weight weight, GradientSums& sums) {
  for (int j = 0; j < pairs.how.crossed_count; ++j) {
    const int k = pairs.how.crossed[j];
    if (k < first || k >= end) continue;
    for (int i = 0; i < pairs.count; i += chunk_size) {
      const Chunk product = pairs.difference(i, k) * pairs.difference(i, k + 1);
      sums.add(pairs.place_of_crossed(j), -2.0 * weight(i) * product.max(-1e12).min(1e12));
    }
  }
}

// Adds the derivatives of one input's factor of R, given its squared distances. `weights` are
// already multiplied by R; `factor` is overwritten.
inline void add_input_gradient(const Pairs& pairs, int input, Panel& weights, Panel& squared,
                               Panel& factor, GradientSums& sums) {
  for (int j = 0; j < pairs.how.kernel->n_parameters; ++j) {
    pairs.parameter_slope(j, squared, factor);
    add_products(pairs, weights, factor, pairs.place_of_parameter(j), sums);
  }
  pairs.log_slope(squared, factor);
  const int first = pairs.first_of(input), end = pairs.end_of(input);
  if (end - first == 1) {
    for (int i = 0; i < pairs.count; i += chunk_size) {
      const Chunk reach = within_reach(Chunk(squared.chunk(i)));
      sums.add(first, -2.0 * weights.chunk(i) * reach * factor.chunk(i));
    }
    return;
  }
  for (int k = first; k < end; ++k) {
    for (int i = 0; i < pairs.count; i += chunk_size) {
      const Chunk reach = within_reach(pairs.squared_difference(i, k));
      sums.add(k, -2.0 * weights.chunk(i) * reach * factor.chunk(i));
    }
  }
  const auto weight = [&](int i) { return Chunk(weights.chunk(i) * factor.chunk(i)); };
  add_crossed(pairs, first, end, weight, sums);
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
    add_value(pairs, weights, sums);
    for (int j = 0; j < pairs.how.kernel->n_parameters; ++j) {
      pairs.parameter_slope(j, r2, factor);
      add_products(pairs, weights, factor, pairs.place_of_parameter(j), sums);
    }
    pairs.log_slope(r2, factor);
    scale_panel(pairs, factor, weights);
    const int all = pairs.columns();
    for (int i = 0; i < pairs.count; i += chunk_size) {
      const Chunk weight = -2.0 * weights.chunk(i);
      for (int k = 0; k < all; ++k) {
        sums.add(k, weight * within_reach(pairs.squared_difference(i, k)));
      }
    }
    add_crossed(
        pairs, 0, all, [&](int i) { return Chunk(weights.chunk(i)); }, sums);
  }

  static void slopes(const Pairs& pairs, std::vector<Panel>& out) {
    Panel r2, r, slope;
    pairs.squared_distances(r2);
    pairs.value(r2, r.data());
    pairs.log_slope(r2, slope);
    for (int i = 0; i < pairs.count; i += chunk_size) {
      const Chunk factor = -2.0 * r.chunk(i) * slope.chunk(i);
      for (int k = 0; k < pairs.columns(); ++k) out[k].chunk(i) = factor * pairs.difference(i, k);
    }
  }
};

// R = prod_j k(r_j), with r_j^2 the sum of delta_k^2 over the columns of input j. Derivatives are
// as in the radial form, one factor at a time.
struct ProductForm {
  static void correlate(const Pairs& pairs, double* out) {
    Panel polynomial, exponent, squared;
    for (int i = 0; i < pairs.count; i += chunk_size) {
      polynomial.chunk(i).setOnes();
      exponent.chunk(i).setZero();
    }
    for (int j = 0; j < pairs.inputs(); ++j) {
      pairs.squared_distances_in(j, squared);
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
    add_value(pairs, weights, sums);
    for (int j = 0; j < pairs.inputs(); ++j) {
      pairs.squared_distances_in(j, squared);
      add_input_gradient(pairs, j, weights, squared, factor, sums);
    }
  }

  static void slopes(const Pairs& pairs, std::vector<Panel>& out) {
    Panel r, squared, slope;
    correlate(pairs, r.data());
    for (int j = 0; j < pairs.inputs(); ++j) {
      pairs.squared_distances_in(j, squared);
      pairs.log_slope(squared, slope);
      for (int k = pairs.first_of(j); k < pairs.end_of(j); ++k) {
        for (int i = 0; i < pairs.count; i += chunk_size) {
          out[k].chunk(i) = -2.0 * r.chunk(i) * slope.chunk(i) * pairs.difference(i, k);
        }
      }
    }
  }
};

// R = 1/m sum_j k(r_j) over the m inputs.
struct AdditiveForm {
  static void correlate(const Pairs& pairs, double* out) {
    const double share = 1.0 / pairs.inputs();
    Panel squared, value;
    for (int j = 0; j < pairs.inputs(); ++j) {
      pairs.squared_distances_in(j, squared);
      pairs.value(squared, value.data());
      for (int i = 0; i < pairs.count; i += chunk_size) {
        Eigen::Map<Chunk> sum(out + i);
        if (j == 0) sum.setZero();
        sum += share * value.chunk(i);
      }
    }
  }

  static void add_gradient(const Pairs& pairs, Panel& weights, GradientSums& sums) {
    const double share = 1.0 / pairs.inputs();
    Panel squared, factor, own;
    for (int j = 0; j < pairs.inputs(); ++j) {
      pairs.squared_distances_in(j, squared);
      pairs.value(squared, factor.data());
      for (int i = 0; i < pairs.count; i += chunk_size) {
        own.chunk(i) = share * weights.chunk(i) * factor.chunk(i);
      }
      add_value(pairs, own, sums);
      add_input_gradient(pairs, j, own, squared, factor, sums);
    }
  }

  static void slopes(const Pairs& pairs, std::vector<Panel>& out) {
    const double share = 1.0 / pairs.inputs();
    Panel r, squared, slope;
    for (int j = 0; j < pairs.inputs(); ++j) {
      pairs.squared_distances_in(j, squared);
      pairs.value(squared, r.data());
      pairs.log_slope(squared, slope);
      for (int k = pairs.first_of(j); k < pairs.end_of(j); ++k) {
        for (int i = 0; i < pairs.count; i += chunk_size) {
          out[k].chunk(i) = -2.0 * share * r.chunk(i) * slope.chunk(i) * pairs.difference(i, k);
        }
      }
    }
  }
};

// R = 1/d sum_k x_k y_k over the d columns, the covariance of a linear function whose coefficients
// are independent.
struct LinearForm {
  static void correlate(const Pairs& pairs, double* out) {
    const int all = pairs.columns();
    for (int i = 0; i < pairs.count; i += chunk_size) {
      Chunk sum = Chunk::Zero();
      for (int k = 0; k < all; ++k) sum += pairs.product(i, k);
      Eigen::Map<Chunk>(out + i) = sum / all;
    }
  }

  static void add_gradient(const Pairs& pairs, Panel& weights, GradientSums& sums) {
    Panel factor;
    correlate(pairs, factor.data());
    scale_panel(pairs, factor, weights);
    add_value(pairs, weights, sums);
  }

  static void slopes(const Pairs& pairs, std::vector<Panel>& out) {
    const int all = pairs.columns();
    for (int k = 0; k < all; ++k) {
      for (int i = 0; i < pairs.count; i += chunk_size) {
        out[k].chunk(i) = pairs.product_slope(i, k) / all;
      }
    }
  }
};

// R = 1, for the effects of groups. It has no columns of its own.
struct ConstantForm {
  static void correlate(const Pairs& pairs, double* out) {
    for (int i = 0; i < pairs.count; i += chunk_size) Eigen::Map<Chunk>(out + i).setOnes();
  }

  static void add_gradient(const Pairs& pairs, Panel& weights, GradientSums& sums) {
    add_value(pairs, weights, sums);
  }

  static void slopes(const Pairs& /*pairs*/, std::vector<Panel>& /*out*/) {}
};

struct FormFunctions {
  void (*correlate)(const Pairs& pairs, double* out);
  void (*add_gradient)(const Pairs& pairs, Panel& weights, GradientSums& sums);
  void (*slopes)(const Pairs& pairs, std::vector<Panel>& out);
};

template <class F>
constexpr FormFunctions form_functions{F::correlate, F::add_gradient, F::slopes};

inline const FormFunctions& functions_of(btg_compute::Form form) {
  static constexpr FormFunctions forms[] = {
      form_functions<RadialForm>, form_functions<ProductForm>, form_functions<AdditiveForm>,
      form_functions<LinearForm>, form_functions<ConstantForm>};
  return forms[static_cast<int>(form)];
}

}  // namespace btg
