// The contract of a transform: a strictly increasing g from an open interval of the response onto
// an open interval of the latent scale.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "btg/base/parameter.hpp"

namespace btg {

// An open interval; its ends may be infinite.
struct Interval {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool contains(double x) const { return lower < x && x < upper; }
};

// The affine changes `shift + scale * u` of its input that a layer, or the rest of the model, can
// undo. A parameter that makes only such a change is redundant.
struct Absorption {
  bool shift = false;
  bool scale = false;
};

// The value g(y) and log g'(y).
struct Jet {
  double value;
  double log_derivative;
};

class Transform {
 public:
  virtual ~Transform() = default;

  virtual std::string name() const = 0;
  // A few words on what it is for, as in btg_transforms().
  virtual std::string summary() const = 0;
  virtual std::vector<Parameter> parameters() const = 0;

  // `lambda` holds the parameters on their natural scale, in the order above.
  virtual Interval domain(const double* lambda) const = 0;
  virtual Interval image(const double* lambda) const = 0;

  // `forward` returns the limit, an end of the image, at an end of the domain, and NaN outside.
  // `inverse` maps values beyond the image, including +-inf, to the nearest end of the domain.
  virtual double forward(double y, const double* lambda) const = 0;
  virtual double inverse(double z, const double* lambda) const = 0;
  virtual double log_derivative(double y, const double* lambda) const = 0;

  // Both at once; a transform may override it to share work.
  virtual Jet jet(double y, const double* lambda) const {
    return {forward(y, lambda), log_derivative(y, lambda)};
  }

  // For many nodes at once, where node i has parameters lambda[i * stride], ...: y[i] becomes
  // g(y[i]), and slope[i] is multiplied by g'(y[i]). On over- or underflow the results are
  // unspecified.
  virtual void advance(int count, const double* lambda, int stride, double* y,
                       double* slope) const {
    for (int i = 0; i < count; ++i) {
      const Jet g = jet(y[i], lambda + static_cast<std::size_t>(i) * stride);
      y[i] = g.value;
      slope[i] *= std::exp(g.log_derivative);
    }
  }

  // The power at which |g^-1(z)| ~ |z|^power as z -> inf (`upper`) or -inf: 0 if bounded, infinite
  // if exponential. It decides which moments exist.
  virtual double tail_power(const double* lambda, bool upper) const = 0;

  // d/dy log g'(y), for the chain rule through compositions.
  virtual double log_derivative_slope(double y, const double* lambda) const = 0;

  // Derivatives of g(y) and log g'(y) in each natural parameter.
  virtual void forward_gradient(double y, const double* lambda, double* out) const = 0;
  virtual void log_derivative_gradient(double y, const double* lambda, double* out) const = 0;

  // Given what the layers after this one absorb, return what this layer absorbs of changes to its
  // own input, and whether its parameter `index` is redundant.
  virtual Absorption absorbs(Absorption /*downstream*/) const { return {}; }
  virtual bool redundant(int /*index*/, Absorption /*downstream*/) const { return false; }
};

}  // namespace btg
