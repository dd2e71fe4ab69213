// A composition of transforms, applied left to right: the first layer acts on y.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "btg/transforms/layer_parameters.hpp"
#include "btg/transforms/transform.hpp"

namespace btg {

// `lambda` is the natural parameters of all layers, one layer after the other.
// Layers must outlive the composition, as those of the registry do. Without
// layers it is the identity.
class Composition {
 public:
  Composition() = default;
  explicit Composition(const std::vector<const Transform*>& transforms) {
    for (const Transform* transform : transforms) {
      layers_.push_back({transform, size_});
      size_ += static_cast<int>(transform->parameters().size());
    }
  }

  int size() const { return size_; }  // how many parameters

  std::vector<LayerParameter> parameters(bool trend_has_constant) const {
    std::vector<const Transform*> transforms;
    for (const Layer& layer : layers_) transforms.push_back(layer.transform);
    return layer_parameters(transforms, trend_has_constant);
  }

  // The y for which every layer is inside its domain: an inverse takes what is
  // beyond its image, such as +-inf, to the end of its domain. `forward` is
  // defined everywhere between the ends, rounding included.
  Interval domain(const double* lambda) const {
    const Interval line;
    const double lower = inverse(line.lower, lambda), upper = inverse(line.upper, lambda);
    return {step_inside(lower, line.upper, lambda), step_inside(upper, line.lower, lambda)};
  }

  Interval image(const double* lambda) const {
    Interval reach;
    for (const Layer& layer : layers_) {
      const double* parameters = lambda + layer.offset;
      const Interval domain = layer.transform->domain(parameters);
      reach.lower = layer.transform->forward(std::max(reach.lower, domain.lower), parameters);
      reach.upper = layer.transform->forward(std::min(reach.upper, domain.upper), parameters);
    }
    return reach;
  }

  // NaN outside the domain, since each layer's is.
  double forward(double y, const double* lambda) const {
    for (const Layer& layer : layers_) y = layer.transform->forward(y, lambda + layer.offset);
    return y;
  }

  // An end of the domain if z is beyond the image. Rounding may put it just
  // outside `domain`.
  double inverse(double z, const double* lambda) const {
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
      z = layer->transform->inverse(z, lambda + layer->offset);
    }
    return z;
  }

  double log_derivative(double y, const double* lambda) const {
    return jet(y, lambda).log_derivative;
  }

  Jet jet(double y, const double* lambda) const {
    Jet g{y, 0};
    for (const Layer& layer : layers_) {
      const double* parameters = lambda + layer.offset;
      const Jet next = layer.transform->jet(g.value, parameters);
      g = {next.value, g.log_derivative + next.log_derivative};
    }
    return g;
  }

  // As Transform::advance; lambda has a column for each node.
  void advance(int count, const double* lambda, double* y, double* slope) const {
    for (const Layer& layer : layers_) {
      layer.transform->advance(count, lambda + layer.offset, size_, y, slope);
    }
  }

  // As Transform::tail_power. The last layer's inverse acts first; what it leaves bounded stays so.
  double tail_power(const double* lambda, bool upper) const {
    double power = 1;
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
      const double next = layer->transform->tail_power(lambda + layer->offset, upper);
      power = power == 0 || next == 0 ? 0 : power * next;
    }
    return power;
  }

  void forward_gradient(double y, const double* lambda, double* out) const {
    std::vector<double> unused(size_);
    jet_gradient(y, lambda, out, unused.data());
  }

  void log_derivative_gradient(double y, const double* lambda, double* out) const {
    std::vector<double> unused(size_);
    jet_gradient(y, lambda, unused.data(), out);
  }

  // The jet and the gradients of both its members, by the chain rule from the
  // first layer on. With u the input of a layer h and theta_j of an earlier layer:
  //   d log h'(u) / dtheta_j = (log h')'(u) du/dtheta_j,   dh(u)/dtheta_j = h'(u) du/dtheta_j
  Jet jet_gradient(double y, const double* lambda, double* forward_gradient,
                   double* log_derivative_gradient) const {
    Jet g{y, 0};
    for (const Layer& layer : layers_) {
      const Transform& h = *layer.transform;
      const double* parameters = lambda + layer.offset;
      const double u = g.value, log_derivative = h.log_derivative(u, parameters);
      if (layer.offset > 0) {
        const double slope = h.log_derivative_slope(u, parameters);
        const double derivative = std::exp(log_derivative);
        for (int j = 0; j < layer.offset; ++j) {
          log_derivative_gradient[j] += slope * forward_gradient[j];
          forward_gradient[j] *= derivative;
        }
      }
      h.forward_gradient(u, parameters, forward_gradient + layer.offset);
      h.log_derivative_gradient(u, parameters, log_derivative_gradient + layer.offset);
      g.value = h.forward(u, parameters);
      g.log_derivative += log_derivative;
    }
    return g;
  }

 private:
  struct Layer {
    const Transform* transform;
    int offset;  // of its parameters in lambda
  };

  // Moves an end that rounding left outside the domain inwards, in doubling steps.
  double step_inside(double end, double towards, const double* lambda) const {
    double step = std::nextafter(end, towards) - end;
    for (; std::isfinite(end) && std::isnan(forward(end, lambda)); step *= 2) end += step;
    return end;
  }

  std::vector<Layer> layers_;
  int size_ = 0;
};

}  // namespace btg
