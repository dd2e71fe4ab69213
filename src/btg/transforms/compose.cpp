#include "btg/transforms/compose.hpp"

#include <algorithm>
#include <cmath>

namespace btg {

Composition::Composition(const std::vector<const Transform*>& transforms) {
  for (const Transform* transform : transforms) {
    layers_.push_back({transform, size_});
    size_ += static_cast<int>(transform->parameters().size());
  }
}

std::vector<LayerParameter> Composition::parameters(bool trend_has_constant) const {
  std::vector<const Transform*> transforms;
  for (const Layer& layer : layers_) transforms.push_back(layer.transform);
  return layer_parameters(transforms, trend_has_constant);
}

Interval Composition::domain(const double* lambda) const {
  const Interval line;
  const double lower = inverse(line.lower, lambda), upper = inverse(line.upper, lambda);
  return {step_inside(lower, line.upper, lambda), step_inside(upper, line.lower, lambda)};
}

Interval Composition::image(const double* lambda) const {
  Interval reach;
  for (const Layer& layer : layers_) {
    const double* parameters = lambda + layer.offset;
    const Interval domain = layer.transform->domain(parameters);
    reach.lower = layer.transform->forward(std::max(reach.lower, domain.lower), parameters);
    reach.upper = layer.transform->forward(std::min(reach.upper, domain.upper), parameters);
  }
  return reach;
}

double Composition::forward(double y, const double* lambda) const {
  for (const Layer& layer : layers_) y = layer.transform->forward(y, lambda + layer.offset);
  return y;
}

double Composition::inverse(double z, const double* lambda) const {
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    z = layer->transform->inverse(z, lambda + layer->offset);
  }
  return z;
}

Jet Composition::jet(double y, const double* lambda) const {
  Jet g{y, 0};
  for (const Layer& layer : layers_) {
    const double* parameters = lambda + layer.offset;
    const Jet next = layer.transform->jet(g.value, parameters);
    g = {next.value, g.log_derivative + next.log_derivative};
  }
  return g;
}

void Composition::advance(int count, const double* lambda, double* y, double* slope) const {
  for (const Layer& layer : layers_) {
    layer.transform->advance(count, lambda + layer.offset, size_, y, slope);
  }
}

double Composition::tail_power(const double* lambda, bool upper) const {
  double power = 1;
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    const double next = layer->transform->tail_power(lambda + layer->offset, upper);
    power = power == 0 || next == 0 ? 0 : power * next;
  }
  return power;
}

void Composition::forward_gradient(double y, const double* lambda, double* out) const {
  std::vector<double> unused(size_);
  jet_gradient(y, lambda, out, unused.data());
}

void Composition::log_derivative_gradient(double y, const double* lambda, double* out) const {
  std::vector<double> unused(size_);
  jet_gradient(y, lambda, unused.data(), out);
}

Jet Composition::jet_gradient(double y, const double* lambda, double* forward_gradient,
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

double Composition::step_inside(double end, double towards, const double* lambda) const {
  double step = std::nextafter(end, towards) - end;
  for (; std::isfinite(end) && std::isnan(forward(end, lambda)); step *= 2) end += step;
  return end;
}

}  // namespace btg
