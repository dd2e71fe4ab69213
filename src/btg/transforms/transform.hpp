// The contract of a transform: a strictly increasing g from an open interval of
// the response onto an open interval of the latent scale.
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

// Which affine changes `shift + scale * u` of its input a layer, or the model
// beyond it, can undo. A parameter that makes only such a change is redundant.
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
  virtual std::vector<Parameter> parameters() const = 0;

  // `lambda` holds the parameters on their natural scale, in the order above.
  virtual Interval domain(const double* lambda) const = 0;
  virtual Interval image(const double* lambda) const = 0;

  // At an end of the domain `forward` is the limit, an end of the image; outside it is
  // NaN. `inverse` takes what is beyond the image, +-inf included, to the nearest end of
  // the domain.
  virtual double forward(double y, const double* lambda) const = 0;
  virtual double inverse(double z, const double* lambda) const = 0;
  virtual double log_derivative(double y, const double* lambda) const = 0;

  // Both at once, where a transform can share work between them.
  virtual Jet jet(double y, const double* lambda) const {
    return {forward(y, lambda), log_derivative(y, lambda)};
  }

  // For many nodes at once, node i with the parameters lambda[i * stride], ...: y[i] becomes
  // g(y[i]), and slope[i] is multiplied by g'(y[i]). Where that over- or underflows, it is any
  // double or NaN.
  virtual void advance(int count, const double* lambda, int stride, double* y,
                       double* slope) const {
    for (int i = 0; i < count; ++i) {
      const Jet g = jet(y[i], lambda + static_cast<std::size_t>(i) * stride);
      y[i] = g.value;
      slope[i] *= std::exp(g.log_derivative);
    }
  }

  // How fast |g^-1(z)| grows as z -> inf (`upper`) or -inf: as |z|^power; 0 if it stays bounded,
  // infinite if it grows exponentially. Decides which moments exist.
  virtual double tail_power(const double* lambda, bool upper) const = 0;

  // d/dy log g'(y), for the chain rule through compositions.
  virtual double log_derivative_slope(double y, const double* lambda) const = 0;

  // Derivatives in each natural parameter, of g(y) and of log g'(y).
  virtual void forward_gradient(double y, const double* lambda, double* out) const = 0;
  virtual void log_derivative_gradient(double y, const double* lambda, double* out) const = 0;

  // Given what the layers after this one absorb: what this layer absorbs of
  // changes to its own input, and whether its parameter `index` is redundant.
  virtual Absorption absorbs(Absorption /*downstream*/) const { return {}; }
  virtual bool redundant(int /*index*/, Absorption /*downstream*/) const { return false; }
};

}  // namespace btg
