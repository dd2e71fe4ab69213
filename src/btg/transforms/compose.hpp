// A composition of transforms, applied left to right: the first layer acts on y.
#pragma once

#include <vector>

#include "btg/transforms/layer_parameters.hpp"
#include "btg/transforms/transform.hpp"

namespace btg {

// `lambda` holds the natural parameters of all layers, in order. Layers must outlive the
// composition, as those of the registry do. Without layers it is the identity.
class Composition {
 public:
  Composition() = default;
  explicit Composition(const std::vector<const Transform*>& transforms);

  int size() const { return size_; }  // number of parameters

  std::vector<LayerParameter> parameters(bool trend_has_constant) const;

  // The y for which every layer is inside its domain. An inverse maps values beyond its image, such
  // as +-inf, to the end of its domain. `forward` is defined between the ends, even after rounding.
  Interval domain(const double* lambda) const;

  Interval image(const double* lambda) const;

  // Returns NaN outside the domain, like each layer.
  double forward(double y, const double* lambda) const;

  // Returns an end of the domain if z is beyond the image. Rounding may put it just outside
  // `domain`.
  double inverse(double z, const double* lambda) const;

  double log_derivative(double y, const double* lambda) const {
    return jet(y, lambda).log_derivative;
  }

  Jet jet(double y, const double* lambda) const;

  // Like Transform::advance; lambda has one column per node.
  void advance(int count, const double* lambda, double* y, double* slope) const;

  // Like Transform::tail_power. The last layer's inverse acts first; if bounded, so is all.
  double tail_power(const double* lambda, bool upper) const;

  void forward_gradient(double y, const double* lambda, double* out) const;

  void log_derivative_gradient(double y, const double* lambda, double* out) const;

  // The jet and the gradients of both its members, by the chain rule from the first layer on. With
  // u the input of a layer h and theta_j a parameter of an earlier layer:
  //   d log h'(u) / dtheta_j = (log h')'(u) du/dtheta_j,   dh(u)/dtheta_j = h'(u) du/dtheta_j
  Jet jet_gradient(double y, const double* lambda, double* forward_gradient,
                   double* log_derivative_gradient) const;

 private:
  struct Layer {
    const Transform* transform;
    int offset;  // of its parameters in lambda
  };

  // Moves an end that rounding left outside the domain inwards, in doubling steps.
  double step_inside(double end, double towards, const double* lambda) const;

  std::vector<Layer> layers_;
  int size_ = 0;
};

}  // namespace btg
